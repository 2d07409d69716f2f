"""A write looks for the observation of its hash, and a page for the newest, without the whole namespace. Frozen."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add two indexes."""
    op.create_index("ix_observations_namespace_id_hash", "observations", ["namespace_id", "hash"])
    op.create_index("ix_observations_namespace_id_created_ms_id", "observations", ["namespace_id", "created_ms", "id"])
