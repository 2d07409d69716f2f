"""The session database's tables. All times are UTC epoch milliseconds; order within a session is by `events.id`."""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
    text,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.types import JSON

from beaver.db.fulltext import POSTGRES_OBJECTS, SQLITE_OBJECTS

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

UNFINISHED = "state IN ('pending','claimed','adding','added','flushing')"
HELD = "run_id IS NOT NULL"
UNDER_WAY = "status IN ('queued','running')"

# SQLite gives rising ids without gaps being reused only to INTEGER PRIMARY KEY AUTOINCREMENT.
_RISING = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")

sessions = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("title", Text),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    # Forked off which session, and with which of its messages: those up to this event (inclusive).
    Column("parent_id", Text),
    Column("forked_after_event", BigInteger),
    Index("ix_sessions_updated_ms", "updated_ms"),
    Index("ix_sessions_parent_id", "parent_id"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("session_id", Text, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("status", Text, nullable=False),  # queued | running | completed | failed | cancelled
    Column("stop_reason", Text),
    Column("error_code", Text),
    Column("fence", BigInteger, nullable=False),
    Column("provider", Text),
    Column("model", Text),
    Column("usage", JSON),
    Column("tools_used", JSON),
    Column("created_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger),
    Column("stop_requested_ms", BigInteger),  # read by the process that has the run
    Index("ix_runs_session_id_created_ms", "session_id", "created_ms"),
    # Few, however many have ended. Queries must say the very same words to use it.
    Index("ix_runs_under_way", "session_id", sqlite_where=text(UNDER_WAY), postgresql_where=text(UNDER_WAY)),
)

events = Table(
    "events",
    metadata,
    Column("id", _RISING, primary_key=True, autoincrement=True),
    Column("session_id", Text, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("run_id", Text),
    Column("kind", Text, nullable=False),  # "message", or the name of an audit event
    Column("role", Text),  # user | assistant | tool, for messages
    Column("content", Text, nullable=False),
    Column("payload", JSON, nullable=False),
    Column("context_visible", Boolean, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Index("ix_events_session_id_id", "session_id", "id"),
    Index("ix_events_run_id", "run_id"),
    sqlite_autoincrement=True,
)

# One row a session, kept after release, so that the fence only ever rises.
leases = Table(
    "leases",
    metadata,
    Column("session_id", Text, ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("run_id", Text),
    Column("holder", Text),
    Column("fence", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Index("ix_leases_held", "expires_ms", sqlite_where=text(HELD), postgresql_where=text(HELD)),
)

# One row a completed turn. The texts stay in `events`; the row only points at them.
outbox = Table(
    "outbox",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("session_id", Text, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("position", BigInteger, nullable=False),  # the answer's event id: the order within the session
    Column("user_event_id", BigInteger, nullable=False),
    Column("answer_event_id", BigInteger, nullable=False),
    Column("user_at_ms", BigInteger, nullable=False),
    Column("answer_at_ms", BigInteger, nullable=False),
    Column("gateway_user_id", Text, nullable=False),
    Column("app_id", Text, nullable=False),
    Column("project_id", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("generation", Integer, nullable=False),  # how often it was rung for
    Column("attempt", Integer, nullable=False),  # 1, and one more for each requeue by an operator
    Column("holder", Text),
    Column("fence", BigInteger, nullable=False),  # rises with every claim
    Column("claim_expires_ms", BigInteger),
    Column("due_ms", BigInteger, nullable=False),  # when the relay may ring (again)
    Column("error_category", Text),
    Column("error_status", Integer),
    Column("traceparent", Text),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    Index("ix_outbox_session_id_position", "session_id", "position"),
    # What is on its way stays small however long the ledger grows. Queries must say the very same words to use these two.
    Index("ix_outbox_unfinished", "due_ms", sqlite_where=text(UNFINISHED), postgresql_where=text(UNFINISHED)),
    Index(
        "ix_outbox_unfinished_order",
        "session_id",
        "position",
        sqlite_where=text(UNFINISHED),
        postgresql_where=text(UNFINISHED),
    ),
    Index("ix_outbox_state_updated_ms", "state", "updated_ms"),
)

outbox_timeline = Table(
    "outbox_timeline",
    metadata,
    Column("id", _RISING, primary_key=True, autoincrement=True),
    Column("run_id", Text, ForeignKey("outbox.run_id", ondelete="CASCADE"), nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("from_state", Text),
    Column("to_state", Text, nullable=False),
    Column("actor", Text, nullable=False),  # which process or operator moved it
    Column("attempt", Integer, nullable=False),
    Column("detail", JSON, nullable=False),
    Index("ix_outbox_timeline_run_id_id", "run_id", "id"),
    sqlite_autoincrement=True,
)

# What a run told while it went on, so that any server can tell it again. Pruned some time after the run's end.
run_events = Table(
    "run_events",
    metadata,
    Column("run_id", Text, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),  # 1, 2, 3, … within the run
    Column("kind", Text, nullable=False),
    Column("payload", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Index("ix_run_events_created_ms", "created_ms"),
)

# One row a request that asked for a run and may come again: the same key means the same run.
run_requests = Table(
    "run_requests",
    metadata,
    Column("caller", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("body_hash", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("session_id", Text, nullable=False),  # empty until it is known
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Index("ix_run_requests_session_id", "session_id"),
    Index("ix_run_requests_expires_ms", "expires_ms"),
)

# The keys of the chat server's callers; of the key itself only its hash and its first letters.
api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("prefix", Text, nullable=False),
    Column("hash", Text, nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("front_end", Boolean, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger),
    Column("revoked_ms", BigInteger),
    Column("used_ms", BigInteger),
    UniqueConstraint("hash", name="uq_api_keys_hash"),
)

# One row a worker process that lives, or died without a word; it says so itself every few seconds.
worker_heartbeats = Table(
    "worker_heartbeats",
    metadata,
    Column("worker_id", Text, primary_key=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("version", Text, nullable=False),
    Column("started_ms", BigInteger, nullable=False),
    Column("seen_ms", BigInteger, nullable=False),
    Column("in_flight", Integer, nullable=False),
    Column("draining", Boolean, nullable=False),
)

# One row an item of the host's memory that is on its way to the Gateway: the distilled lane, beside the turns above. What
# has arrived keeps its row for a while, without its words.
distilled_outbox = Table(
    "distilled_outbox",
    metadata,
    Column("key", Text, primary_key=True),  # SHA-256 of session, turn and redacted content
    Column("tenant", Text, nullable=False),
    Column("project", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("session_id", Text, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("run_id", Text, nullable=False),
    Column("item_id", Text, nullable=False),  # in the host's own store
    Column("content", Text, nullable=False),
    Column("state", Text, nullable=False),  # pending | sending | sent | dead
    Column("batch", Text),  # what was tried together is tried again together
    Column("attempt", Integer, nullable=False),
    Column("holder", Text),
    Column("claim_expires_ms", BigInteger),
    Column("due_ms", BigInteger, nullable=False),
    Column("error_category", Text),
    Column("error_status", Integer),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger),  # the item's own end: nothing of it is sent or held after that
    Index("ix_distilled_outbox_state_due_ms", "state", "due_ms"),
    Index("ix_distilled_outbox_batch", "batch"),
    Index("ix_distilled_outbox_item_id", "item_id"),
    Index("ix_distilled_outbox_session_id", "session_id"),
)

# One row a message that reached the Gateway although it had been deleted here, until the Gateway has forgotten it. Its id alone.
withdrawals = Table(
    "withdrawals",
    metadata,
    Column("id", _RISING, primary_key=True, autoincrement=True),
    Column("gateway_user_id", Text, nullable=False),
    Column("app_id", Text, nullable=False),
    Column("project_id", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("due_ms", BigInteger, nullable=False),
    Index("ix_withdrawals_due_ms", "due_ms"),
    sqlite_autoincrement=True,
)

# One row a turn that the write gate looked at: how many candidates, and what became of them. No content. It outlives its
# session, since the quotas count it: under a name of its own then, so that nothing leads back.
memory_turns = Table(
    "memory_turns",
    metadata,
    Column("id", _RISING, primary_key=True, autoincrement=True),
    Column("run_id", Text, nullable=False),
    Column("tenant", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("session_id", Text, nullable=False),  # empty; an older release, beside this one, names the session
    Column("mode", Text, nullable=False),  # write | shadow
    Column("attempted", Integer, nullable=False),
    Column("accepted", Integer, nullable=False),
    Column("deduped", Integer, nullable=False),
    Column("superseded", Integer, nullable=False),
    Column("remote", Integer, nullable=False),
    Column("rejected", JSON, nullable=False),  # reason -> how many
    Column("at_ms", BigInteger, nullable=False),
    UniqueConstraint("run_id", name="uq_memory_turns_run_id"),
    Index("ix_memory_turns_tenant_user_id_id", "tenant", "user_id", "id"),
    Index("ix_memory_turns_tenant_user_id_at_ms", "tenant", "user_id", "at_ms"),
    sqlite_autoincrement=True,
)

# What was forgotten on command: not what it said, but a keyed hash by which it is known again.
memory_tombstones = Table(
    "memory_tombstones",
    metadata,
    Column("id", _RISING, primary_key=True, autoincrement=True),
    Column("tenant", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("item_id", Text, nullable=False),
    Column("hmac", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    UniqueConstraint("tenant", "user_id", "hmac", name="uq_memory_tombstones_tenant_user_id_hmac"),
    sqlite_autoincrement=True,
)

memory_keys = Table(
    "memory_keys", metadata, Column("name", Text, primary_key=True), Column("value", Text, nullable=False)
)

# Sessions whose memory somebody switched off, or on again. No foreign key: one may be switched before its first turn.
memory_switches = Table(
    "memory_switches",
    metadata,
    Column("session_id", Text, primary_key=True),
    Column("off", Boolean, nullable=False),
    Column("changes", Integer, nullable=False),
    Column("actor", Text, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
)

WORDY_TABLES = ("sessions", "events", "run_events", "outbox_timeline", "distilled_outbox")
"""Tables whose rows hold what was said, or told about it, and go with a session."""

for _dialect, _statements in (("sqlite", SQLITE_OBJECTS), ("postgresql", POSTGRES_OBJECTS)):
    for _statement in _statements:
        _ddl = DDL(_statement)  # type: ignore[no-untyped-call]
        event.listen(events, "after_create", _ddl.execute_if(dialect=_dialect))
