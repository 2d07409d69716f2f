"""Triggers that keep what is looked up of observations in step with their JSON, whoever writes: an older release's process too.

A Gateway of the release before may run on after a migration, and a forgetting that missed what it wrote would leave words behind.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import DDL, event

from beaver.memory.tables.observations import archive_evidence

_SQLITE: Final = (
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
_POSTGRESQL: Final = (
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

# The last table that they speak of is made with them.
for _dialect, _statements in (("sqlite", _SQLITE), ("postgresql", _POSTGRESQL)):
    for _statement in _statements:
        event.listen(archive_evidence, "after_create", DDL(_statement).execute_if(dialect=_dialect))  # type: ignore[no-untyped-call]
