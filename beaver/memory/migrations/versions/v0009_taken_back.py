"""A search finds what a user took back without all observations, and who has several names without all people. Frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add an index of each."""
    taken_back = sa.text("end_reason = 'deleted'")
    op.create_index(
        "ix_observations_taken_back",
        "observations",
        ["namespace_id", "ended_ms"],
        sqlite_where=taken_back,
        postgresql_where=taken_back,
    )
    op.create_index(
        "ix_people_of_several_names",
        "people",
        ["namespace_id"],
        sqlite_where=sa.text("aliases <> '[]'"),
        postgresql_where=sa.text("json_array_length(aliases) > 0"),
    )
