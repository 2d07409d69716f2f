"""What chat servers share: keys of callers, requests seen, runs' streams and stops, where a session was forked. Frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create three tables and add columns that may be NULL: what an older release wrote stays readable."""
    _create_api_keys()
    _create_run_requests()
    _create_run_events()
    op.add_column("runs", sa.Column("stop_requested_ms", sa.BigInteger))
    op.add_column("sessions", sa.Column("parent_id", sa.Text))
    op.add_column("sessions", sa.Column("forked_after_event", sa.BigInteger))
    op.create_index("ix_sessions_parent_id", "sessions", ["parent_id"])


def _create_api_keys() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("prefix", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("front_end", sa.Boolean, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("expires_ms", sa.BigInteger),
        sa.Column("revoked_ms", sa.BigInteger),
        sa.Column("used_ms", sa.BigInteger),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("hash", name="uq_api_keys_hash"),
    )


def _create_run_requests() -> None:
    op.create_table(
        "run_requests",
        sa.Column("caller", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("body_hash", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("expires_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("caller", "key", name="pk_run_requests"),
    )
    op.create_index("ix_run_requests_session_id", "run_requests", ["session_id"])
    op.create_index("ix_run_requests_expires_ms", "run_requests", ["expires_ms"])


def _create_run_events() -> None:
    op.create_table(
        "run_events",
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "seq", name="pk_run_events"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_run_events_run_id_runs", ondelete="CASCADE"),
    )
    op.create_index("ix_run_events_created_ms", "run_events", ["created_ms"])
