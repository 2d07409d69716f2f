"""The first schema: sessions, runs, events with their search objects, leases, outbox and its timeline. Frozen."""

# ruff: noqa: S608 - the statements are put together from constants of this file
import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0001"
down_revision = None

_RISING = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Create every table, then what the transcript search needs on this database."""
    _create_sessions()
    _create_runs()
    _create_events()
    _create_leases()
    _create_outbox()
    _create_outbox_timeline()
    objects = _SQLITE_SEARCH if op.get_bind().dialect.name == "sqlite" else _POSTGRES_SEARCH
    for statement in objects:
        op.execute(statement)


def _create_sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("title", sa.Text),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("updated_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
    )
    op.create_index("ix_sessions_updated_ms", "sessions", ["updated_ms"])


def _create_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("stop_reason", sa.Text),
        sa.Column("error_code", sa.Text),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("provider", sa.Text),
        sa.Column("model", sa.Text),
        sa.Column("usage", sa.JSON),
        sa.Column("tools_used", sa.JSON),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_ms", sa.BigInteger),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        _of_a_session("fk_runs_session_id_sessions"),
    )
    op.create_index("ix_runs_session_id_created_ms", "runs", ["session_id", "created_ms"])


def _create_events() -> None:
    op.create_table(
        "events",
        sa.Column("id", _RISING, nullable=False, autoincrement=True),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("role", sa.Text),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.Column("context_visible", sa.Boolean, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        _of_a_session("fk_events_session_id_sessions"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_session_id_id", "events", ["session_id", "id"])
    op.create_index("ix_events_run_id", "events", ["run_id"])


def _create_leases() -> None:
    op.create_table(
        "leases",
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text),
        sa.Column("holder", sa.Text),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("expires_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("session_id", name="pk_leases"),
        _of_a_session("fk_leases_session_id_sessions"),
    )


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("user_event_id", sa.BigInteger, nullable=False),
        sa.Column("answer_event_id", sa.BigInteger, nullable=False),
        sa.Column("user_at_ms", sa.BigInteger, nullable=False),
        sa.Column("answer_at_ms", sa.BigInteger, nullable=False),
        sa.Column("gateway_user_id", sa.Text, nullable=False),
        sa.Column("app_id", sa.Text, nullable=False),
        sa.Column("project_id", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("holder", sa.Text),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("claim_expires_ms", sa.BigInteger),
        sa.Column("due_ms", sa.BigInteger, nullable=False),
        sa.Column("error_category", sa.Text),
        sa.Column("error_status", sa.Integer),
        sa.Column("traceparent", sa.Text),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("updated_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_outbox"),
        _of_a_session("fk_outbox_session_id_sessions"),
    )
    op.create_index("ix_outbox_session_id_position", "outbox", ["session_id", "position"])
    _create_unfinished_index("ix_outbox_unfinished", ["due_ms"])
    _create_unfinished_index("ix_outbox_unfinished_order", ["session_id", "position"])
    op.create_index("ix_outbox_state_updated_ms", "outbox", ["state", "updated_ms"])


def _create_unfinished_index(name: str, columns: list[str]) -> None:
    unfinished = sa.text("state IN ('pending','claimed','adding','added','flushing')")
    op.create_index(name, "outbox", columns, sqlite_where=unfinished, postgresql_where=unfinished)


def _create_outbox_timeline() -> None:
    op.create_table(
        "outbox_timeline",
        sa.Column("id", _RISING, nullable=False, autoincrement=True),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("from_state", sa.Text),
        sa.Column("to_state", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("detail", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_outbox_timeline"),
        sa.ForeignKeyConstraint(
            ["run_id"], ["outbox.run_id"], name="fk_outbox_timeline_run_id_outbox", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_timeline_run_id_id", "outbox_timeline", ["run_id", "id"])


def _of_a_session(name: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=name, ondelete="CASCADE")


_VISIBLE = "{row}context_visible AND {row}kind = 'message' AND {row}role IN ('user', 'assistant', 'tool')"
_UNSPACED = (
    "[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3130-\u318f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_JOINERS = "/.-_@:+~#&=?*<>“”‘’…—–«»，。！？：；（）「」、"

_ROW, _OLD, _NEW = (_VISIBLE.format(row=row) for row in ("", "old.", "new."))
_FORGET = (
    "INSERT INTO events_words (events_words, rowid, content) SELECT 'delete', old.id, old.content "
    f"WHERE {_OLD}; "
    "INSERT INTO events_trigrams (events_trigrams, rowid, content) SELECT 'delete', old.id, old.content "
    f"WHERE {_OLD} AND old.content GLOB '*{_UNSPACED}*';"
)
_LEARN = (
    f"INSERT INTO events_words (rowid, content) SELECT new.id, new.content WHERE {_NEW}; "
    "INSERT INTO events_trigrams (rowid, content) SELECT new.id, new.content "
    f"WHERE {_NEW} AND new.content GLOB '*{_UNSPACED}*';"
)

_SQLITE_SEARCH = (
    f"CREATE VIEW searchable_events AS SELECT id, content FROM events WHERE {_ROW}",
    "CREATE VIEW searchable_unspaced_events AS SELECT id, content FROM searchable_events "
    f"WHERE content GLOB '*{_UNSPACED}*'",
    "CREATE VIRTUAL TABLE events_words USING fts5("
    "content, content='searchable_events', content_rowid='id', tokenize='unicode61 remove_diacritics 2')",
    "CREATE VIRTUAL TABLE events_trigrams USING fts5("
    "content, content='searchable_unspaced_events', content_rowid='id', tokenize='trigram')",
    f"CREATE TRIGGER events_inserted AFTER INSERT ON events BEGIN {_LEARN} END",
    f"CREATE TRIGGER events_deleted AFTER DELETE ON events BEGIN {_FORGET} END",
    f"CREATE TRIGGER events_updated AFTER UPDATE ON events BEGIN {_FORGET} {_LEARN} END",
)

_POSTGRES_SEARCH = (
    f"ALTER TABLE events ADD COLUMN search_words tsvector GENERATED ALWAYS AS (CASE WHEN {_ROW} THEN "
    f"to_tsvector('simple'::regconfig, translate(left(content, 100000), '{_JOINERS}', '{' ' * len(_JOINERS)}')) "
    "END) STORED",
    "CREATE INDEX ix_events_search_words ON events USING gin (search_words)",
    f"""DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX ix_events_trigrams ON events USING gin (content gin_trgm_ops)
    WHERE {_ROW} AND content ~ '{_UNSPACED}';
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
  RAISE NOTICE 'transcript search goes without a trigram index';
END $$""",
)
