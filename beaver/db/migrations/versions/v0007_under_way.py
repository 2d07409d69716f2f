"""Runs under way, leases that are held and what the write gate did today are found without a look at all before. Frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_UNDER_WAY = sa.text("status IN ('queued','running')")
_HELD = sa.text("run_id IS NOT NULL")


def upgrade() -> None:
    """Create three indexes; nothing that older releases use changes."""
    op.create_index("ix_runs_under_way", "runs", ["session_id"], sqlite_where=_UNDER_WAY, postgresql_where=_UNDER_WAY)
    op.create_index("ix_leases_held", "leases", ["expires_ms"], sqlite_where=_HELD, postgresql_where=_HELD)
    op.create_index("ix_memory_turns_tenant_user_id_at_ms", "memory_turns", ["tenant", "user_id", "at_ms"])
