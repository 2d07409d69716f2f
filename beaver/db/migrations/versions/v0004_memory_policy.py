"""The host's memory: its items on their way to the Gateway, the write gate's counts, tombstones, switched sessions. Frozen."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0004"
down_revision = "0003"

_RISING = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Create five tables; nothing that older releases use changes."""
    _create_distilled_outbox()
    _create_memory_turns()
    _create_memory_tombstones()
    op.create_table(
        "memory_keys",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_memory_keys"),
    )
    op.create_table(
        "memory_switches",
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("off", sa.Boolean, nullable=False),
        sa.Column("changes", sa.Integer, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("updated_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("session_id", name="pk_memory_switches"),
    )


def _create_distilled_outbox() -> None:
    op.create_table(
        "distilled_outbox",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("project", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("item_id", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("batch", sa.Text),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("holder", sa.Text),
        sa.Column("claim_expires_ms", sa.BigInteger),
        sa.Column("due_ms", sa.BigInteger, nullable=False),
        sa.Column("error_category", sa.Text),
        sa.Column("error_status", sa.Integer),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("updated_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_distilled_outbox"),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name="fk_distilled_outbox_session_id_sessions", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_distilled_outbox_state_due_ms", "distilled_outbox", ["state", "due_ms"])
    op.create_index("ix_distilled_outbox_batch", "distilled_outbox", ["batch"])
    op.create_index("ix_distilled_outbox_item_id", "distilled_outbox", ["item_id"])
    op.create_index("ix_distilled_outbox_session_id", "distilled_outbox", ["session_id"])


def _create_memory_turns() -> None:
    op.create_table(
        "memory_turns",
        sa.Column("id", _RISING, nullable=False, autoincrement=True),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("attempted", sa.Integer, nullable=False),
        sa.Column("accepted", sa.Integer, nullable=False),
        sa.Column("deduped", sa.Integer, nullable=False),
        sa.Column("superseded", sa.Integer, nullable=False),
        sa.Column("remote", sa.Integer, nullable=False),
        sa.Column("rejected", sa.JSON, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_memory_turns"),
        sa.UniqueConstraint("run_id", name="uq_memory_turns_run_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_memory_turns_tenant_user_id_id", "memory_turns", ["tenant", "user_id", "id"])


def _create_memory_tombstones() -> None:
    op.create_table(
        "memory_tombstones",
        sa.Column("id", _RISING, nullable=False, autoincrement=True),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("item_id", sa.Text, nullable=False),
        sa.Column("hmac", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_memory_tombstones"),
        sa.UniqueConstraint("tenant", "user_id", "hmac", name="uq_memory_tombstones_tenant_user_id_hmac"),
        sqlite_autoincrement=True,
    )
