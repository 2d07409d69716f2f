"""What the write gate counts names no session, and no run of a deleted one. Frozen."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Only rows change: what an older release enters beside this one, a session's deletion clears."""
    op.execute("UPDATE memory_turns SET session_id = ''")
    op.execute(
        "UPDATE memory_turns SET run_id = 'deleted_' || id"
        " WHERE NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = memory_turns.run_id)"
    )
