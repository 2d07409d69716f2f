"""What a turn replaces is noted, so that an index in memory need not be read anew. Frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add a table."""
    op.create_table(
        "retired_passages",
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("passage_id", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("namespace_id", "revision", "passage_id", name="pk_retired_passages"),
        sa.ForeignKeyConstraint(
            ["namespace_id"],
            ["namespaces.id"],
            name="fk_retired_passages_namespace_id_namespaces",
            ondelete="CASCADE",
        ),
    )
