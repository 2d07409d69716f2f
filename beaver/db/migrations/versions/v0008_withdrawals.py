"""What the Gateway is to forget since it was deleted here while it was sent is kept until it has. Frozen."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create a table; nothing that exists is touched."""
    op.create_table(
        "withdrawals",
        sa.Column("id", sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("gateway_user_id", sa.Text, nullable=False),
        sa.Column("app_id", sa.Text, nullable=False),
        sa.Column("project_id", sa.Text, nullable=False),
        sa.Column("message_id", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("due_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_withdrawals"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_withdrawals_due_ms", "withdrawals", ["due_ms"])
