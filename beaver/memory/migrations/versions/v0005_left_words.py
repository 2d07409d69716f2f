"""Words of sessions that were forgotten lay in the full-text index, ids of users on the receipt of their making. Frozen."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Only rows go. A purge is noted, which clears their bytes once an engine has the database open."""
    op.execute("DELETE FROM memory_fts WHERE NOT EXISTS (SELECT 1 FROM passages WHERE passages.id = memory_fts.rowid)")
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    user_id = "receipt ->> 'user_id'" if is_postgresql else "json_extract(receipt, '$.user_id')"
    op.execute(f"DELETE FROM receipts WHERE principal = 'admin' AND {user_id} NOT IN (SELECT id FROM users)")  # noqa: S608 - ours
    op.execute(
        "INSERT INTO upkeep (name, holder, progress) VALUES ('purge', 'migration', '{}') ON CONFLICT (name) DO NOTHING"
    )
