"""What each tool does, over the services. Raises their errors, and Forbidden where trust does not reach at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from beaver.db.engine import Database
from beaver.errors import Forbidden, NotFound
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import Namespace
from beaver.memory.observations.editing import ObservationEditing
from beaver.memory.observations.people import PeopleService
from beaver.memory.observations.reading import ObservationReading
from beaver.memory.observations.records import NewObservation, ObservationFilter, ObservationQuestion, Trust
from beaver.memory.observations.service import ObservationService
from beaver.memory.observations.trust import readable_stores, write_store
from beaver.memory.summaries.store import recent_summaries
from beaver.memory.tools.arguments import (
    AliasArguments,
    FilesArguments,
    GetArguments,
    HistoryArguments,
    PeopleArguments,
    SearchArguments,
    SessionsArguments,
    TimelineArguments,
    WriteArguments,
    epoch_ms,
)
from beaver.memory.tools.shown import (
    shown_file,
    shown_history,
    shown_observation,
    shown_person,
    shown_session,
)
from beaver.memory.users.store import find_namespace


@dataclass(frozen=True)
class ToolServices:
    """What the tools work on."""

    database: Database
    writing: ObservationService
    reading: ObservationReading
    editing: ObservationEditing
    people: PeopleService


@dataclass(frozen=True)
class ToolCaller:
    """For whom a tool is called: whose memory, how far the situation is trusted, in which session; and which call it is, if a
    repetition is to do nothing."""

    namespace: Namespace
    trust: Trust = "owner"
    session_id: str | None = None
    identity: RequestIdentity | None = None


async def search(on: ToolServices, by: ToolCaller, asked: SearchArguments) -> dict[str, Any]:
    """Find observations, which counts as using them."""
    _must_read(by)
    where = ObservationFilter(
        types=tuple(asked.types),
        people=tuple(asked.people),
        files=tuple(asked.files),
        tags=tuple(asked.tags),
        since_ms=epoch_ms(asked.since),
        until_ms=epoch_ms(asked.until),
    )
    question = ObservationQuestion(asked.query, where, asked.limit, asked.max_tokens)
    found = await on.reading.search(by.namespace, question, by.trust)
    await on.editing.mark_used(by.namespace, [one.observation.id for one in found])
    return {
        "results": [
            {"score": round(one.score, 4), "why": dict(one.why), **shown_observation(one.observation)} for one in found
        ]
    }


async def timeline(on: ToolServices, by: ToolCaller, asked: TimelineArguments) -> dict[str, Any]:
    """Look around an observation."""
    _must_read(by)
    around = await on.reading.timeline(by.namespace, asked.id, before=asked.before, after=asked.after, trust=by.trust)
    return {
        "before": [shown_observation(one) for one in around.before],
        "anchor": shown_observation(around.anchor),
        "after": [shown_observation(one) for one in around.after],
    }


async def get(on: ToolServices, by: ToolCaller, asked: GetArguments) -> dict[str, Any]:
    """Read observations, which counts as using them. Raises NotFound naming the ids that cannot be read."""
    _must_read(by)
    read, missing = [], []
    for observation_id in dict.fromkeys(asked.ids):
        try:
            read.append(await on.reading.get(by.namespace, observation_id, by.trust))
        except NotFound:
            missing.append(observation_id)
    if not read:
        raise NotFound("there is no such observation that this trust can read")
    await on.editing.mark_used(by.namespace, [one.id for one in read])
    return {"observations": [shown_observation(one) for one in read], "not_readable": missing}


async def write(on: ToolServices, by: ToolCaller, asked: WriteArguments) -> dict[str, Any]:
    """Remember something."""
    if write_store(by.trust) is None:
        raise Forbidden(f"the trust {by.trust} writes no memory")
    new = NewObservation(
        type=asked.type,
        title=asked.title,
        narrative=asked.narrative,
        facts=tuple(asked.facts),
        tags=tuple(asked.tags),
        related_files=tuple(asked.related_files),
        related_people=tuple(asked.related_people),
        source="tool",
        session_id=by.session_id,
    )
    written = await on.writing.write(by.namespace, new, by.trust, by.identity)
    return {"outcome": written.outcome, "id": written.observation_id}


async def history(on: ToolServices, by: ToolCaller, asked: HistoryArguments) -> dict[str, Any]:
    """What happened to an observation."""
    _must_read(by)
    entries = await on.reading.history(by.namespace, asked.id, by.trust)
    return {"id": asked.id, "history": [shown_history(entry) for entry in entries]}


async def people(on: ToolServices, by: ToolCaller, asked: PeopleArguments) -> dict[str, Any]:
    """Who is known."""
    _must_read(by)
    if asked.name is None:
        known = await on.people.list(by.namespace, by.trust, limit=asked.limit)
        return {"people": [shown_person(person) for person in known]}
    person = await on.people.find(by.namespace, asked.name, by.trust)
    if person is None:
        raise NotFound("there is no person of that name that this trust can see")
    return {"people": [shown_person(person)]}


async def sessions(on: ToolServices, by: ToolCaller, asked: SessionsArguments) -> dict[str, Any]:
    """The last sessions; they may hold anything, so that only full trust sees them."""
    if "private" not in readable_stores(by.trust):
        raise Forbidden(f"the trust {by.trust} does not read sessions")
    async with on.database.read() as tx:
        namespace_id = await find_namespace(tx, by.namespace)
        known = [] if namespace_id is None else await recent_summaries(tx, namespace_id, limit=asked.limit)
    return {"sessions": [shown_session(session) for session in known]}


async def files(on: ToolServices, by: ToolCaller, asked: FilesArguments) -> dict[str, Any]:
    """Which files are known, or what is known about one."""
    _must_read(by)
    if asked.path is None:
        known = await on.reading.files(by.namespace, limit=asked.limit, trust=by.trust)
        return {"files": [shown_file(file) for file in known]}
    about = ObservationFilter(files=(asked.path,))
    page = await on.reading.list(by.namespace, about, limit=asked.limit, trust=by.trust)
    return {"path": asked.path, "observations": [shown_observation(one) for one in page.observations]}


async def alias(on: ToolServices, by: ToolCaller, asked: AliasArguments) -> dict[str, Any]:
    """Give somebody one more name."""
    if write_store(by.trust) is None:
        raise Forbidden(f"the trust {by.trust} writes no memory")
    return shown_person(await on.people.add_alias(by.namespace, asked.name, asked.alias, by.trust))


def _must_read(by: ToolCaller) -> None:
    if not readable_stores(by.trust):
        raise Forbidden(f"the trust {by.trust} reads no memory")
