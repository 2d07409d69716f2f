"""What was said and what was stored: conversations, turns, messages, documents."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, Text, text
from sqlalchemy.types import JSON

from beaver.memory.tables.base import RISING, metadata, namespace_column

# One row a session of a namespace; `next_sequence` is allotted inside the transaction that adds a turn. An episode is a
# stretch of a conversation without a long pause: ranking looks at a passage's neighbours within it.
conversations = Table(
    "conversations",
    metadata,
    Column("id", RISING, primary_key=True, autoincrement=True),
    namespace_column(),
    Column("session_id", Text, nullable=False),  # as the caller gave it: `chat:…`
    Column("next_sequence", BigInteger, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    Column("episode", BigInteger, nullable=False, server_default="0"),
    Column("episode_messages", BigInteger, nullable=False, server_default="0"),
    Column("last_observed_ms", BigInteger),
    Index("uq_conversations_namespace_id_session_id", "namespace_id", "session_id", unique=True),
    sqlite_autoincrement=True,
)

# One row an add. Order within a conversation is by `sequence`, never by a clock. `turn_key`: the caller's own name for it.
# `actor`: who took part beside the messages' speakers: subject, agent, trigger, each under its own name.
turns = Table(
    "turns",
    metadata,
    Column("id", Text, primary_key=True),
    namespace_column(),
    Column("conversation_id", BigInteger, ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("delivery_status", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("flushed_ms", BigInteger),  # NULL: staged, waiting for a flush
    Column("turn_key", Text),
    Column("actor", JSON),
    Index("ix_turns_namespace_id", "namespace_id"),
    Index("uq_turns_conversation_id_turn_key", "conversation_id", "turn_key", unique=True),
    Index("uq_turns_conversation_id_sequence", "conversation_id", "sequence", unique=True),
    # What waits of a conversation is little, however long it grows.
    Index(
        "ix_turns_staged",
        "conversation_id",
        "sequence",
        sqlite_where=text("flushed_ms IS NULL"),
        postgresql_where=text("flushed_ms IS NULL"),
    ),
)

# A message's id holds its turn's id. Order within a turn is by `position`.
messages = Table(
    "messages",
    metadata,
    Column("id", Text, primary_key=True),
    namespace_column(),
    Column("turn_id", Text, ForeignKey("turns.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("role", Text, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("observed_ms", BigInteger, nullable=False),  # when it was said, by the caller's clock
    Index("ix_messages_namespace_id_observed_ms", "namespace_id", "observed_ms"),
    Index("uq_messages_turn_id_position", "turn_id", "position", unique=True),
)

documents = Table(
    "documents",
    metadata,
    Column("id", Text, primary_key=True),
    namespace_column(),
    Column("uri", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    Index("uq_documents_namespace_id_uri", "namespace_id", "uri", unique=True),
)
