"""The first schema: sessions, runs, events, leases, outbox and its timeline."""

from alembic import op

from beaver.db.tables import metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table."""
    metadata.create_all(op.get_bind())
