"""The first schema: users, namespaces, transcripts, documents, passages with their full-text index, receipts."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0001"
down_revision = None

_RISING = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")

# Marks (M*) belong to words, or Hindi and Thai fall to pieces. The filter tokens must not weigh in the relevance.
_SQLITE_INDEX = (
    "CREATE VIRTUAL TABLE memory_fts USING fts5(text, scope, "
    "tokenize=\"porter unicode61 remove_diacritics 2 categories 'L* N* M* Co So'\")",
    "INSERT INTO memory_fts(memory_fts, rank) VALUES ('rank', 'bm25(1.0, 0.0)')",
)
# The same stemmer as FTS5's. `lexemes`: stems, and the filter tokens behind a # that no word holds.
_POSTGRES_INDEX = (
    "CREATE TEXT SEARCH DICTIONARY memory_stem (TEMPLATE = snowball, Language = porter)",
    "CREATE TABLE memory_fts (rowid bigint CONSTRAINT pk_memory_fts PRIMARY KEY, "
    "text text NOT NULL, lexemes tsvector NOT NULL)",
    "CREATE INDEX ix_memory_fts_lexemes ON memory_fts USING gin (lexemes)",
)


def upgrade() -> None:
    """Create every table."""
    _create_users()
    _create_transcripts()
    _create_documents()
    _create_passages()
    _create_receipts()


def _create_users() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
    )
    op.create_table(
        "user_keys",
        sa.Column("key_hash", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("revoked_ms", sa.BigInteger),
        sa.PrimaryKeyConstraint("key_hash", name="pk_user_keys"),
        _cascading("user_keys", "user_id", "users"),
    )
    op.create_index("ix_user_keys_user_id", "user_keys", ["user_id"])
    op.create_table(
        "namespaces",
        sa.Column("id", _RISING, nullable=False, autoincrement=True),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("app_id", sa.Text, nullable=False),
        sa.Column("project_id", sa.Text, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_namespaces"),
        _cascading("namespaces", "user_id", "users"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_namespaces_user_id_app_id_project_id", "namespaces", ["user_id", "app_id", "project_id"], unique=True
    )


def _create_transcripts() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", _RISING, nullable=False, autoincrement=True),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("next_sequence", sa.BigInteger, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("updated_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_conversations"),
        _cascading("conversations", "namespace_id", "namespaces"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_conversations_namespace_id_session_id", "conversations", ["namespace_id", "session_id"], unique=True
    )
    op.create_table(
        "turns",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("conversation_id", sa.BigInteger, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("delivery_status", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("flushed_ms", sa.BigInteger),
        sa.PrimaryKeyConstraint("id", name="pk_turns"),
        _cascading("turns", "namespace_id", "namespaces"),
        _cascading("turns", "conversation_id", "conversations"),
    )
    op.create_index("uq_turns_conversation_id_sequence", "turns", ["conversation_id", "sequence"], unique=True)
    op.create_table(
        "messages",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("turn_id", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("speaker", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("observed_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_messages"),
        _cascading("messages", "namespace_id", "namespaces"),
        _cascading("messages", "turn_id", "turns"),
    )
    op.create_index("uq_messages_turn_id_position", "messages", ["turn_id", "position"], unique=True)


def _create_documents() -> None:
    op.create_table(
        "documents",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("uri", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("updated_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_documents"),
        _cascading("documents", "namespace_id", "namespaces"),
    )
    op.create_index("uq_documents_namespace_id_uri", "documents", ["namespace_id", "uri"], unique=True)


def _create_passages() -> None:
    op.create_table(
        "passages",
        sa.Column("id", _RISING, nullable=False, autoincrement=True),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("conversation_id", sa.BigInteger),
        sa.Column("message_id", sa.Text),
        sa.Column("document_id", sa.Text),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("length", sa.Integer, nullable=False),
        sa.Column("observed_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_passages"),
        _cascading("passages", "namespace_id", "namespaces"),
        _cascading("passages", "conversation_id", "conversations"),
        _cascading("passages", "message_id", "messages"),
        _cascading("passages", "document_id", "documents"),
        sa.CheckConstraint("(message_id IS NULL) <> (document_id IS NULL)", name=op.f("ck_passages_one_source")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_passages_namespace_id_observed_ms", "passages", ["namespace_id", "observed_ms"])
    op.create_index("ix_passages_conversation_id_observed_ms", "passages", ["conversation_id", "observed_ms"])
    op.create_index("ix_passages_message_id", "passages", ["message_id"])
    op.create_index("ix_passages_document_id", "passages", ["document_id"])
    for statement in _SQLITE_INDEX if op.get_bind().dialect.name == "sqlite" else _POSTGRES_INDEX:
        op.execute(statement)


def _create_receipts() -> None:
    op.create_table(
        "receipts",
        sa.Column("principal", sa.Text, nullable=False),
        sa.Column("idempotency_key", sa.Text, nullable=False),
        sa.Column("request_hash", sa.Text, nullable=False),
        sa.Column("receipt", sa.JSON, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("principal", "idempotency_key", name="pk_receipts"),
    )
    op.create_index("ix_receipts_created_ms", "receipts", ["created_ms"])


def _cascading(table: str, column: str, referred: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}_{referred}"
    return sa.ForeignKeyConstraint([column], [f"{referred}.id"], name=name, ondelete="CASCADE")
