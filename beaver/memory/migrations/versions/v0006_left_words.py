"""Words of sessions that were forgotten lay in the full-text index, ids of users on the receipt of their making. Frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Only rows go. Where there were any a purge is noted, which clears their bytes once an engine has the database open."""
    connection = op.get_bind()
    user_id = (
        "receipt ->> 'user_id'" if connection.dialect.name == "postgresql" else "json_extract(receipt, '$.user_id')"
    )
    left = (
        "DELETE FROM memory_fts WHERE NOT EXISTS (SELECT 1 FROM passages WHERE passages.id = memory_fts.rowid)",
        f"DELETE FROM receipts WHERE principal = 'admin' AND {user_id} NOT IN (SELECT id FROM users)",  # noqa: S608 - ours
    )
    if sum(connection.execute(sa.text(statement)).rowcount for statement in left):
        op.execute(
            "INSERT INTO upkeep (name, holder, progress) VALUES ('purge', 'migration', '{}') ON CONFLICT (name) DO NOTHING"
        )
