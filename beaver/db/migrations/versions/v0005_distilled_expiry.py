"""An item that is on its way to the Gateway knows when its time is over. Frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add a column that may be NULL: what an older release enters has no end."""
    op.add_column("distilled_outbox", sa.Column("expires_ms", sa.BigInteger))
