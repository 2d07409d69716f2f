"""A restore writes to a staged namespace, in short transactions, until all of it is there. Frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add a column."""
    op.add_column("namespaces", sa.Column("staged_ms", sa.BigInteger))
