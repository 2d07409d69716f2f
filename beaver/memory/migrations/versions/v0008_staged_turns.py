"""A flush finds what waits of a conversation without all its turns. Frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add an index of what waits."""
    waits = sa.text("flushed_ms IS NULL")
    op.create_index(
        "ix_turns_staged", "turns", ["conversation_id", "sequence"], sqlite_where=waits, postgresql_where=waits
    )
