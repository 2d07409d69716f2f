"""What a search can find: passages, and the vectors of passages."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Integer, LargeBinary, Table, Text

from beaver.memory.tables.base import RISING, metadata, namespace_column

FULLTEXT_TABLE: Final = "memory_fts"
"""The full-text index beside these, made by the migrations: `text` (searchable words), `scope` (filter tokens)."""

# A span (in characters) of one message or document, or a whole observation or session summary. The words stay in their own
# row. `ordinal` is the order of messages within a conversation; `signature` is what ranking reads of the words; `section` and
# `page` tell where in a document it begins.
passages = Table(
    "passages",
    metadata,
    Column("id", RISING, primary_key=True, autoincrement=True),
    namespace_column(),
    Column("conversation_id", BigInteger, ForeignKey("conversations.id", ondelete="CASCADE")),
    Column("message_id", Text, ForeignKey("messages.id", ondelete="CASCADE")),
    Column("document_id", Text, ForeignKey("documents.id", ondelete="CASCADE")),
    Column("observation_id", Text, ForeignKey("observations.id", ondelete="CASCADE")),
    Column("summary_id", Text, ForeignKey("session_summaries.id", ondelete="CASCADE")),
    Column("position", Integer, nullable=False),
    Column("start", Integer, nullable=False),
    Column("length", Integer, nullable=False),
    Column("observed_ms", BigInteger, nullable=False),
    Column("episode", BigInteger),
    Column("ordinal", BigInteger),
    Column("signature", LargeBinary),
    Column("section", Text),
    Column("page", Integer),
    CheckConstraint(
        "CASE WHEN message_id IS NULL THEN 0 ELSE 1 END + CASE WHEN document_id IS NULL THEN 0 ELSE 1 END"
        " + CASE WHEN observation_id IS NULL THEN 0 ELSE 1 END + CASE WHEN summary_id IS NULL THEN 0 ELSE 1 END = 1",
        name="one_source",
    ),
    Index("ix_passages_namespace_id_observed_ms", "namespace_id", "observed_ms"),
    Index("ix_passages_namespace_id_id", "namespace_id", "id"),
    Index("ix_passages_conversation_id_observed_ms", "conversation_id", "observed_ms"),
    Index("ix_passages_message_id", "message_id"),
    Index("ix_passages_document_id", "document_id"),
    Index("ix_passages_observation_id", "observation_id"),
    Index("ix_passages_summary_id", "summary_id"),
    sqlite_autoincrement=True,
)

# What a write of the namespace, by its revision, took out of the index since something else takes its place. Not an id of what
# is there any more: whoever holds the index in memory learns from here what to pass over.
retired_passages = Table(
    "retired_passages",
    metadata,
    Column("namespace_id", BigInteger, ForeignKey("namespaces.id", ondelete="CASCADE"), primary_key=True),
    Column("revision", BigInteger, primary_key=True),
    Column("passage_id", BigInteger, primary_key=True),
)

# One row a passage and a model. `vector`: the whole passage's; `piece_ids`: the numbers of its word pieces, where the model has
# them. A passage without a row here waits to be embedded; `id` rises, so that what is new can be asked for.
embeddings = Table(
    "embeddings",
    metadata,
    Column("id", RISING, primary_key=True, autoincrement=True),
    namespace_column(),
    Column("passage_id", BigInteger, ForeignKey("passages.id", ondelete="CASCADE"), nullable=False),
    Column("model", Text, nullable=False),
    Column("dimensions", Integer, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    Column("piece_ids", LargeBinary),
    Column("created_ms", BigInteger, nullable=False),
    Index("uq_embeddings_passage_id_model", "passage_id", "model", unique=True),
    Index("ix_embeddings_namespace_id_model_id", "namespace_id", "model", "id"),
    sqlite_autoincrement=True,
)

# The vectors of a passage's word pieces, apart since they are large and few are ever read: all vectors of a namespace are.
# They go with their embedding; a foreign key of the namespace would be one more index to look through.
embedding_pieces = Table(
    "embedding_pieces",
    metadata,
    Column(
        "embedding_id", RISING, ForeignKey("embeddings.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("namespace_id", BigInteger, nullable=False),
    Column("pieces", LargeBinary, nullable=False),
)
