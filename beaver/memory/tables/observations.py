"""What was learned: observations with their history and archive, session summaries, people; and what must not come back."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table, Text, text
from sqlalchemy.types import JSON

from beaver.memory.tables.base import RISING, metadata, namespace_column

# `facts`, `tags`, `related_files`, `related_people`: lists of strings. `evidence`: a list of {turn_id, message_id}.
# Active while `ended_ms` is NULL; an ended row stays, with why (superseded, deleted, compressed, expired) and by which row.
observations = Table(
    "observations",
    metadata,
    Column("id", Text, primary_key=True),
    namespace_column(),
    Column("conversation_id", BigInteger, ForeignKey("conversations.id", ondelete="SET NULL")),
    Column("store", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("narrative", Text, nullable=False),
    Column("facts", JSON, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("related_files", JSON, nullable=False),
    Column("related_people", JSON, nullable=False),
    Column("evidence", JSON, nullable=False),
    Column("source", Text, nullable=False),
    Column("min_trust", Text, nullable=False),
    Column("hash", Text, nullable=False),
    Column("mention_count", Integer, nullable=False),
    Column("token_count", Integer, nullable=False),
    Column("pinned", Boolean, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    Column("used_ms", BigInteger),
    Column("expires_ms", BigInteger),
    Column("ended_ms", BigInteger),
    Column("end_reason", Text),
    Column("successor_id", Text),
    Index(
        "uq_observations_active_hash",
        "namespace_id",
        "store",
        "type",
        "hash",
        unique=True,
        sqlite_where=text("ended_ms IS NULL"),
        postgresql_where=text("ended_ms IS NULL"),
    ),
    Index("ix_observations_namespace_id_hash", "namespace_id", "hash"),
    Index("ix_observations_namespace_id_created_ms_id", "namespace_id", "created_ms", "id"),
    Index("ix_observations_namespace_id_updated_ms", "namespace_id", "updated_ms"),
    Index("ix_observations_conversation_id", "conversation_id"),
    Index("ix_observations_namespace_id_successor_id", "namespace_id", "successor_id"),
    # What was taken back is little, however much is remembered.
    Index(
        "ix_observations_taken_back",
        "namespace_id",
        "ended_ms",
        sqlite_where=text("end_reason = 'deleted'"),
        postgresql_where=text("end_reason = 'deleted'"),
    ),
)

# By what an active observation is found and filtered: its words (stems), people, files and tags, one row each; an ended one has
# none. The same statement asks them on every database, with every filter inside it.
observation_labels = Table(
    "observation_labels",
    metadata,
    Column("observation_id", Text, ForeignKey("observations.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("label", Text, primary_key=True),
    namespace_column(),
    Index("ix_observation_labels_namespace_id_kind_label_id", "namespace_id", "kind", "label", "observation_id"),
)

# Outlives its row: no foreign key. `before` and `after`: the observation as JSON; NULL where there is none, or once forgotten.
observation_history = Table(
    "observation_history",
    metadata,
    Column("id", RISING, primary_key=True, autoincrement=True),
    namespace_column(),
    Column("observation_id", Text, nullable=False),
    Column("event", Text, nullable=False),
    Column("before", JSON),
    Column("after", JSON),
    Column("reason", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("ix_observation_history_observation_id_id", "observation_id", "id"),
    Index("ix_observation_history_namespace_id_at_ms", "namespace_id", "at_ms"),
    sqlite_autoincrement=True,
)

# Which messages an observation names in its `evidence`, so that what was learned from one is found by it. A trigger keeps it,
# whoever writes (`evidence.py`).
observation_evidence = Table(
    "observation_evidence",
    metadata,
    Column("observation_id", Text, ForeignKey("observations.id", ondelete="CASCADE"), primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("namespace_id", BigInteger, nullable=False),
    Index("ix_observation_evidence_namespace_id_message_id", "namespace_id", "message_id"),
)

# `words` are searchable words as the full-text index would store them. `hash`: that of the observation's row; NULL where an
# older release wrote it since. `session_id`: that of `observation`, by a trigger.
observation_archive = Table(
    "observation_archive",
    metadata,
    Column("observation_id", Text, primary_key=True),
    namespace_column(),
    Column("store", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("words", Text, nullable=False),
    Column("observation", JSON, nullable=False),
    Column("reason", Text, nullable=False),
    Column("archived_ms", BigInteger, nullable=False),
    Column("hash", Text),
    Column("session_id", Text),
    Index("ix_observation_archive_namespace_id_archived_ms", "namespace_id", "archived_ms"),
    Index("ix_observation_archive_namespace_id_hash", "namespace_id", "hash"),
    Index("ix_observation_archive_namespace_id_session_id", "namespace_id", "session_id"),
)

# As observation_evidence, of what is in the archive.
archive_evidence = Table(
    "archive_evidence",
    metadata,
    Column(
        "observation_id", Text, ForeignKey("observation_archive.observation_id", ondelete="CASCADE"), primary_key=True
    ),
    Column("message_id", Text, primary_key=True),
    Column("namespace_id", BigInteger, nullable=False),
    Index("ix_archive_evidence_namespace_id_message_id", "namespace_id", "message_id"),
)

session_summaries = Table(
    "session_summaries",
    metadata,
    Column("id", Text, primary_key=True),
    namespace_column(),
    Column("conversation_id", BigInteger, ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    Column("request", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("decisions", JSON, nullable=False),
    Column("open_items", JSON, nullable=False),
    Column("observation_count", Integer, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    Index("uq_session_summaries_conversation_id", "conversation_id", unique=True),
    Index("ix_session_summaries_namespace_id_updated_ms", "namespace_id", "updated_ms"),
)

# `name_key` is the folded name. A later mention never overwrites the store.
people = Table(
    "people",
    metadata,
    Column("id", RISING, primary_key=True, autoincrement=True),
    namespace_column(),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("store", Text, nullable=False),
    Column("aliases", JSON, nullable=False),
    Column("facts", JSON, nullable=False),
    Column("mention_count", Integer, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("updated_ms", BigInteger, nullable=False),
    Index("uq_people_namespace_id_name_key", "namespace_id", "name_key", unique=True),
    # Few have more than one name, however many are known.
    Index(
        "ix_people_of_several_names",
        "namespace_id",
        sqlite_where=text("aliases <> '[]'"),
        postgresql_where=text("json_array_length(aliases) > 0"),
    ),
    sqlite_autoincrement=True,
)

# The SHA-256 of what a user had forgotten: capture and import leave it out from then on.
tombstones = Table(
    "tombstones",
    metadata,
    Column("namespace_id", BigInteger, ForeignKey("namespaces.id", ondelete="CASCADE"), primary_key=True),
    Column("hash", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
)
