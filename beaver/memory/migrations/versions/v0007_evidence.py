"""What is forgotten is looked up: by the messages that observations name, in the archive by words and session. Frozen."""

import hashlib
import json

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_ROWS_A_STEP = 500
_SQLITE = (
    """CREATE TRIGGER observation_evidence_added AFTER INSERT ON observations BEGIN
    INSERT OR IGNORE INTO observation_evidence (observation_id, message_id, namespace_id)
    SELECT NEW.id, json_extract(value, '$.message_id'), NEW.namespace_id FROM json_each(NEW.evidence);
    END""",
    """CREATE TRIGGER observation_evidence_changed AFTER UPDATE OF evidence ON observations BEGIN
    DELETE FROM observation_evidence WHERE observation_id = NEW.id;
    INSERT OR IGNORE INTO observation_evidence (observation_id, message_id, namespace_id)
    SELECT NEW.id, json_extract(value, '$.message_id'), NEW.namespace_id FROM json_each(NEW.evidence);
    END""",
    """CREATE TRIGGER archive_evidence_added AFTER INSERT ON observation_archive BEGIN
    UPDATE observation_archive SET session_id = json_extract(NEW.observation, '$.session_id')
    WHERE observation_id = NEW.observation_id;
    INSERT OR IGNORE INTO archive_evidence (observation_id, message_id, namespace_id)
    SELECT NEW.observation_id, json_extract(value, '$.message_id'), NEW.namespace_id
    FROM json_each(NEW.observation, '$.evidence');
    END""",
    """CREATE TRIGGER archive_evidence_changed AFTER UPDATE OF observation ON observation_archive BEGIN
    UPDATE observation_archive SET session_id = json_extract(NEW.observation, '$.session_id')
    WHERE observation_id = NEW.observation_id;
    DELETE FROM archive_evidence WHERE observation_id = NEW.observation_id;
    INSERT OR IGNORE INTO archive_evidence (observation_id, message_id, namespace_id)
    SELECT NEW.observation_id, json_extract(value, '$.message_id'), NEW.namespace_id
    FROM json_each(NEW.observation, '$.evidence');
    END""",
)
_POSTGRESQL = (
    """CREATE FUNCTION note_observation_evidence() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM observation_evidence WHERE observation_id = NEW.id;
    INSERT INTO observation_evidence (observation_id, message_id, namespace_id)
    SELECT DISTINCT NEW.id, one ->> 'message_id', NEW.namespace_id FROM json_array_elements(NEW.evidence) AS one;
    RETURN NULL; END $$""",
    """CREATE TRIGGER observation_evidence_noted AFTER INSERT OR UPDATE OF evidence ON observations
    FOR EACH ROW EXECUTE FUNCTION note_observation_evidence()""",
    """CREATE FUNCTION note_archive_evidence() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE observation_archive SET session_id = NEW.observation ->> 'session_id'
    WHERE observation_id = NEW.observation_id;
    DELETE FROM archive_evidence WHERE observation_id = NEW.observation_id;
    INSERT INTO archive_evidence (observation_id, message_id, namespace_id)
    SELECT DISTINCT NEW.observation_id, one ->> 'message_id', NEW.namespace_id
    FROM json_array_elements(NEW.observation -> 'evidence') AS one;
    RETURN NULL; END $$""",
    """CREATE TRIGGER archive_evidence_noted AFTER INSERT OR UPDATE OF observation ON observation_archive
    FOR EACH ROW EXECUTE FUNCTION note_archive_evidence()""",
)
_NAMED_SQLITE = (
    """INSERT OR IGNORE INTO observation_evidence (observation_id, message_id, namespace_id)
    SELECT observations.id, json_extract(value, '$.message_id'), namespace_id FROM observations, json_each(evidence)""",
    """INSERT OR IGNORE INTO archive_evidence (observation_id, message_id, namespace_id)
    SELECT observation_id, json_extract(value, '$.message_id'), namespace_id
    FROM observation_archive, json_each(observation, '$.evidence')""",
)
_NAMED_POSTGRESQL = (
    """INSERT INTO observation_evidence (observation_id, message_id, namespace_id)
    SELECT observations.id, one ->> 'message_id', namespace_id FROM observations, json_array_elements(evidence) AS one
    ON CONFLICT DO NOTHING""",
    """INSERT INTO archive_evidence (observation_id, message_id, namespace_id)
    SELECT observation_id, one ->> 'message_id', namespace_id
    FROM observation_archive, json_array_elements(observation -> 'evidence') AS one
    ON CONFLICT DO NOTHING""",
)

_archive = sa.table(
    "observation_archive",
    sa.column("observation_id", sa.Text),
    sa.column("observation", sa.JSON),
    sa.column("hash", sa.Text),
    sa.column("session_id", sa.Text),
)


def upgrade() -> None:
    """Add columns, tables and triggers; then fill them: the archive's hashes some rows at a time."""
    op.add_column("namespaces", sa.Column("replacements", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("observation_archive", sa.Column("hash", sa.Text))
    op.add_column("observation_archive", sa.Column("session_id", sa.Text))
    _create_links("observation_evidence", "observations", "id")
    _create_links("archive_evidence", "observation_archive", "observation_id")
    _fill_archive()
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in (*_NAMED_SQLITE, *_SQLITE) if on_sqlite else (*_NAMED_POSTGRESQL, *_POSTGRESQL):
        op.execute(statement)
    for table, column in (
        ("observation_archive", "hash"),
        ("observation_archive", "session_id"),
        ("observation_evidence", "message_id"),
        ("archive_evidence", "message_id"),
        ("observations", "successor_id"),
    ):
        op.create_index(f"ix_{table}_namespace_id_{column}", table, ["namespace_id", column])
    _find_the_newest_of_a_label()


def _find_the_newest_of_a_label() -> None:
    labels, columns = "observation_labels", ["namespace_id", "kind", "label"]
    op.drop_index("ix_observation_labels_namespace_id_kind_label", labels)
    op.create_index("ix_observation_labels_namespace_id_kind_label_id", labels, [*columns, "observation_id"])


def _create_links(name: str, table: str, key: str) -> None:
    op.create_table(
        name,
        sa.Column("observation_id", sa.Text, nullable=False),
        sa.Column("message_id", sa.Text, nullable=False),
        sa.Column("namespace_id", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("observation_id", "message_id", name=f"pk_{name}"),
        sa.ForeignKeyConstraint(
            ["observation_id"], [f"{table}.{key}"], name=f"fk_{name}_observation_id_{table}", ondelete="CASCADE"
        ),
    )


def _fill_archive() -> None:
    connection, columns = op.get_bind(), _archive.c
    found = sa.select(columns.observation_id, columns.observation).order_by(columns.observation_id).limit(_ROWS_A_STEP)
    filled = sa.update(_archive).where(columns.observation_id == sa.bindparam("one"))
    filled = filled.values(hash=sa.bindparam("hash"), session_id=sa.bindparam("session"))
    rows = connection.execute(found).all()
    while rows:
        connection.execute(filled, [_known_by(*row) for row in rows])
        rows = connection.execute(found.where(columns.observation_id > rows[-1].observation_id)).all()


def _known_by(observation_id: str, content: dict[str, object]) -> dict[str, object]:
    said = json.dumps([content["title"], *content["facts"]])  # type: ignore[misc]
    hash_ = hashlib.sha256(said.encode()).hexdigest()
    return {"one": observation_id, "hash": hash_, "session": content.get("session_id")}
