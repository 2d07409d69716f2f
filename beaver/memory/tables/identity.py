"""Users, their keys, their namespaces, and the receipts of writes that can be repeated."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Table, Text
from sqlalchemy.types import JSON

from beaver.memory.tables.base import RISING, metadata

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

# The number of a namespace is its token in the full-text index. Every write to a namespace raises `revision` first: so the
# writers of one namespace stand in line, and ids rise in the order of commits. `rewrites` is raised when what was stored is
# changed or removed: what a process holds of the namespace in memory is void then, unless `replacements` is raised as well: a
# process of this release learns from `retired_passages` what to pass over. `staged_ms`: NULL for a memory; else a
# restore writes here, which nobody sees yet: when it last did, by the database's clock, or 0 once all of it is to be removed.
namespaces = Table(
    "namespaces",
    metadata,
    Column("id", RISING, primary_key=True, autoincrement=True),
    Column("user_id", Text, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("app_id", Text, nullable=False),
    Column("project_id", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("revision", BigInteger, nullable=False, server_default="0"),
    Column("rewrites", BigInteger, nullable=False, server_default="0"),
    Column("staged_ms", BigInteger),
    Column("replacements", BigInteger, nullable=False, server_default="0"),
    Index("uq_namespaces_user_id_app_id_project_id", "user_id", "app_id", "project_id", unique=True),
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
