"""A document's passage says in which section and on which page it begins. Frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add two columns, empty for what was stored before."""
    op.add_column("passages", sa.Column("section", sa.Text))
    op.add_column("passages", sa.Column("page", sa.Integer))
