"""The memory database's tables. All times are UTC epoch milliseconds; every row of a user's memory carries its namespace."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Integer, MetaData, Table, Text
from sqlalchemy.dialects import sqlite
from sqlalchemy.types import JSON

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite gives ids that are never used twice only to INTEGER PRIMARY KEY AUTOINCREMENT.
_RISING = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")

FULLTEXT_TABLE: Final = "memory_fts"
"""FTS5 table beside these, made by the migrations: `text` (searchable words), `scope` (filter tokens); rowid = passages.id."""


def _namespace() -> Column[int]:
    return Column("namespace_id", BigInteger, ForeignKey("namespaces.id", ondelete="CASCADE"), nullable=False)


users = Table(
    "users",
    metadata,
    Column("id", Text, primary_key=True),
    Column("created_ms", BigInteger, nullable=False),
)

# Only a key's SHA-256 is kept. A user may have several keys that work.
user_keys = Table(
    "user_keys",
    metadata,
    Column("key_hash", Text, primary_key=True),
    Column("user_id", Text, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("revoked_ms", BigInteger),
    Index("ix_user_keys_user_id", "user_id"),
)

# The number of a namespace is its token in the full-text index.
namespaces = Table(
    "namespaces",
    metadata,
    Column("id", _RISING, primary_key=True, autoincrement=True),
    Column("user_id", Text, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("app_id", Text, nullable=False),
    Column("project_id", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Index("uq_namespaces_user_id_app_id_project_id", "user_id", "app_id", "project_id", unique=True),
    sqlite_autoincrement=True,
)

# One row a session of a namespace; `next_sequence` is allotted inside the transaction that adds a turn.
conversations = Table(
    "conversations",
    metadata,
    Column("id", _RISING, primary_key=True, autoincrement=True),
    _namespace(),
    Column("session_id", Text, nullable=False),  # as the caller gave it: `chat:…`
    Column("next_sequence", BigInteger, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    Index("uq_conversations_namespace_id_session_id", "namespace_id", "session_id", unique=True),
    sqlite_autoincrement=True,
)

# One row an add. Order within a conversation is by `sequence`, never by a clock.
turns = Table(
    "turns",
    metadata,
    Column("id", Text, primary_key=True),
    _namespace(),
    Column("conversation_id", BigInteger, ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("delivery_status", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("flushed_ms", BigInteger),  # NULL: staged, waiting for a flush
    Index("uq_turns_conversation_id_sequence", "conversation_id", "sequence", unique=True),
)

# A message's id holds its turn's id. Order within a turn is by `position`.
messages = Table(
    "messages",
    metadata,
    Column("id", Text, primary_key=True),
    _namespace(),
    Column("turn_id", Text, ForeignKey("turns.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("role", Text, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("observed_ms", BigInteger, nullable=False),  # when it was said, by the caller's clock
    Index("uq_messages_turn_id_position", "turn_id", "position", unique=True),
)

documents = Table(
    "documents",
    metadata,
    Column("id", Text, primary_key=True),
    _namespace(),
    Column("uri", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    Index("uq_documents_namespace_id_uri", "namespace_id", "uri", unique=True),
)

# What a search can find: a span (in characters) of one message or of one document. The words stay in their own row.
passages = Table(
    "passages",
    metadata,
    Column("id", _RISING, primary_key=True, autoincrement=True),
    _namespace(),
    Column("conversation_id", BigInteger, ForeignKey("conversations.id", ondelete="CASCADE")),
    Column("message_id", Text, ForeignKey("messages.id", ondelete="CASCADE")),
    Column("document_id", Text, ForeignKey("documents.id", ondelete="CASCADE")),
    Column("position", Integer, nullable=False),
    Column("start", Integer, nullable=False),
    Column("length", Integer, nullable=False),
    Column("observed_ms", BigInteger, nullable=False),
    CheckConstraint("(message_id IS NULL) <> (document_id IS NULL)", name="one_source"),
    Index("ix_passages_namespace_id_observed_ms", "namespace_id", "observed_ms"),
    Index("ix_passages_conversation_id_observed_ms", "conversation_id", "observed_ms"),
    Index("ix_passages_message_id", "message_id"),
    Index("ix_passages_document_id", "document_id"),
    sqlite_autoincrement=True,
)

# Receipts of writes that named an idempotency key: the same request again is answered from here.
receipts = Table(
    "receipts",
    metadata,
    Column("principal", Text, primary_key=True),
    Column("idempotency_key", Text, primary_key=True),
    Column("request_hash", Text, nullable=False),
    Column("receipt", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Index("ix_receipts_created_ms", "created_ms"),
)
