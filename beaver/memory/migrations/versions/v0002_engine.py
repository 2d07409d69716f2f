"""The engine's second storey: revisions, episodes, vectors, observations and what belongs to them, upkeep. Frozen."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0002"
down_revision = "0001"

_RISING = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_SOURCES = ("message_id", "document_id", "observation_id", "summary_id")
_ONE_SOURCE = " + ".join(f"CASE WHEN {source} IS NULL THEN 0 ELSE 1 END" for source in _SOURCES) + " = 1"
_KEPT = (
    "id", "namespace_id", "conversation_id", "message_id", "document_id", "position", "start", "length", "observed_ms",
)  # fmt: skip


def upgrade() -> None:
    """Add columns and tables; passages are made anew around the rows they hold, since their check changes."""
    _number_namespaces()
    _count_episodes()
    _name_turns()
    _create_observations()
    _create_observation_labels()
    _create_observation_records()
    _create_session_summaries()
    _create_people()
    _widen_passages()
    _create_embeddings()
    _create_upkeep()


def _number_namespaces() -> None:
    op.add_column("namespaces", sa.Column("revision", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("namespaces", sa.Column("rewrites", sa.BigInteger, nullable=False, server_default="0"))


def _count_episodes() -> None:
    op.add_column("conversations", sa.Column("episode", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("conversations", sa.Column("episode_messages", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("conversations", sa.Column("last_observed_ms", sa.BigInteger))


def _name_turns() -> None:
    op.add_column("turns", sa.Column("turn_key", sa.Text))
    op.add_column("turns", sa.Column("actor", sa.JSON))
    op.create_index("uq_turns_conversation_id_turn_key", "turns", ["conversation_id", "turn_key"], unique=True)
    op.create_index("ix_turns_namespace_id", "turns", ["namespace_id"])
    op.create_index("ix_messages_namespace_id_observed_ms", "messages", ["namespace_id", "observed_ms"])


def _create_observations() -> None:
    op.create_table(
        "observations",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("conversation_id", sa.BigInteger),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("store", "type", "title", "narrative")),
        *(
            sa.Column(name, sa.JSON, nullable=False)
            for name in ("facts", "tags", "related_files", "related_people", "evidence")
        ),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("source", "min_trust", "hash")),
        sa.Column("mention_count", sa.Integer, nullable=False),
        sa.Column("token_count", sa.Integer, nullable=False),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("updated_ms", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.BigInteger) for name in ("used_ms", "expires_ms", "ended_ms")),
        sa.Column("end_reason", sa.Text),
        sa.Column("successor_id", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_observations"),
        _belonging("observations", "namespace_id", "namespaces"),
        _belonging("observations", "conversation_id", "conversations", ondelete="SET NULL"),
    )
    active = sa.text("ended_ms IS NULL")
    op.create_index(
        "uq_observations_active_hash",
        "observations",
        ["namespace_id", "store", "type", "hash"],
        unique=True,
        sqlite_where=active,
        postgresql_where=active,
    )
    op.create_index("ix_observations_namespace_id_updated_ms", "observations", ["namespace_id", "updated_ms"])
    op.create_index("ix_observations_conversation_id", "observations", ["conversation_id"])


def _create_observation_labels() -> None:
    op.create_table(
        "observation_labels",
        *(sa.Column(name, sa.Text, nullable=False) for name in ("observation_id", "kind", "label")),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("observation_id", "kind", "label", name="pk_observation_labels"),
        _belonging("observation_labels", "observation_id", "observations"),
        _belonging("observation_labels", "namespace_id", "namespaces"),
    )
    op.create_index(
        "ix_observation_labels_namespace_id_kind_label", "observation_labels", ["namespace_id", "kind", "label"]
    )


def _create_observation_records() -> None:
    op.create_table(
        "observation_history",
        sa.Column("id", _RISING, nullable=False, autoincrement=True),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("observation_id", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("before", sa.JSON),
        sa.Column("after", sa.JSON),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_observation_history"),
        _belonging("observation_history", "namespace_id", "namespaces"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_observation_history_observation_id_id", "observation_history", ["observation_id", "id"])
    op.create_index("ix_observation_history_namespace_id_at_ms", "observation_history", ["namespace_id", "at_ms"])
    op.create_table(
        "observation_archive",
        sa.Column("observation_id", sa.Text, nullable=False),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("store", "type", "title", "words")),
        sa.Column("observation", sa.JSON, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("archived_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("observation_id", name="pk_observation_archive"),
        _belonging("observation_archive", "namespace_id", "namespaces"),
    )
    op.create_index(
        "ix_observation_archive_namespace_id_archived_ms", "observation_archive", ["namespace_id", "archived_ms"]
    )
    op.create_table(
        "tombstones",
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("namespace_id", "hash", name="pk_tombstones"),
        _belonging("tombstones", "namespace_id", "namespaces"),
    )


def _create_session_summaries() -> None:
    op.create_table(
        "session_summaries",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("conversation_id", sa.BigInteger, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("decisions", sa.JSON, nullable=False),
        sa.Column("open_items", sa.JSON, nullable=False),
        sa.Column("observation_count", sa.Integer, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("updated_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_session_summaries"),
        _belonging("session_summaries", "namespace_id", "namespaces"),
        _belonging("session_summaries", "conversation_id", "conversations"),
    )
    op.create_index("uq_session_summaries_conversation_id", "session_summaries", ["conversation_id"], unique=True)
    op.create_index("ix_session_summaries_namespace_id_updated_ms", "session_summaries", ["namespace_id", "updated_ms"])


def _create_people() -> None:
    op.create_table(
        "people",
        sa.Column("id", _RISING, nullable=False, autoincrement=True),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("name", "name_key", "store")),
        sa.Column("aliases", sa.JSON, nullable=False),
        sa.Column("facts", sa.JSON, nullable=False),
        sa.Column("mention_count", sa.Integer, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("updated_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_people"),
        _belonging("people", "namespace_id", "namespaces"),
        sqlite_autoincrement=True,
    )
    op.create_index("uq_people_namespace_id_name_key", "people", ["namespace_id", "name_key"], unique=True)


def _widen_passages() -> None:
    holds_rows = op.get_bind().dialect.name == "sqlite"  # no release served PostgreSQL before this schema
    if holds_rows:
        op.rename_table("passages", "passages_before")
    else:
        op.drop_table("passages")
    op.create_table(
        "passages",
        sa.Column("id", _RISING, nullable=False, autoincrement=True),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("conversation_id", sa.BigInteger),
        *(sa.Column(source, sa.Text) for source in _SOURCES),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("length", sa.Integer, nullable=False),
        sa.Column("observed_ms", sa.BigInteger, nullable=False),
        sa.Column("episode", sa.BigInteger),
        sa.Column("ordinal", sa.BigInteger),
        sa.Column("signature", sa.LargeBinary),
        sa.PrimaryKeyConstraint("id", name="pk_passages"),
        sa.CheckConstraint(_ONE_SOURCE, name=op.f("ck_passages_one_source")),
        _belonging("passages", "namespace_id", "namespaces"),
        _belonging("passages", "conversation_id", "conversations"),
        _belonging("passages", "message_id", "messages"),
        _belonging("passages", "document_id", "documents"),
        _belonging("passages", "observation_id", "observations"),
        _belonging("passages", "summary_id", "session_summaries"),
        sqlite_autoincrement=True,
    )
    if holds_rows:
        _move_passages()
    op.create_index("ix_passages_namespace_id_observed_ms", "passages", ["namespace_id", "observed_ms"])
    op.create_index("ix_passages_namespace_id_id", "passages", ["namespace_id", "id"])
    op.create_index("ix_passages_conversation_id_observed_ms", "passages", ["conversation_id", "observed_ms"])
    for source in _SOURCES:
        op.create_index(f"ix_passages_{source}", "passages", [source])


def _move_passages() -> None:
    """What was found before is found after, in its order within its conversation: one episode each."""
    kept = ", ".join(f"p.{column}" for column in _KEPT)
    op.execute(
        f"INSERT INTO passages ({', '.join(_KEPT)}, episode, ordinal) "  # noqa: S608 - constants of this file
        f"SELECT {kept}, CASE WHEN p.message_id IS NULL THEN NULL ELSE 0 END, t.sequence * 1000 + m.position "
        "FROM passages_before p LEFT JOIN messages m ON m.id = p.message_id LEFT JOIN turns t ON t.id = m.turn_id"
    )
    op.drop_table("passages_before")


def _create_embeddings() -> None:
    op.create_table(
        "embeddings",
        sa.Column("id", _RISING, nullable=False, autoincrement=True),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("passage_id", sa.BigInteger, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("dimensions", sa.Integer, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.Column("piece_ids", sa.LargeBinary),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_embeddings"),
        _belonging("embeddings", "namespace_id", "namespaces"),
        _belonging("embeddings", "passage_id", "passages"),
        sqlite_autoincrement=True,
    )
    op.create_index("uq_embeddings_passage_id_model", "embeddings", ["passage_id", "model"], unique=True)
    op.create_index("ix_embeddings_namespace_id_model_id", "embeddings", ["namespace_id", "model", "id"])
    op.create_table(
        "embedding_pieces",
        sa.Column("embedding_id", _RISING, nullable=False, autoincrement=False),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.Column("pieces", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("embedding_id", name="pk_embedding_pieces"),
        _belonging("embedding_pieces", "embedding_id", "embeddings"),
    )


def _create_upkeep() -> None:
    op.create_table(
        "upkeep",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("holder", sa.Text),
        sa.Column("held_until_ms", sa.BigInteger),
        sa.Column("progress", sa.JSON, nullable=False),
        sa.Column("ran_ms", sa.BigInteger),
        sa.PrimaryKeyConstraint("name", name="pk_upkeep"),
    )


def _belonging(table: str, column: str, referred: str, ondelete: str = "CASCADE") -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}_{referred}"
    return sa.ForeignKeyConstraint([column], [f"{referred}.id"], name=name, ondelete=ondelete)
