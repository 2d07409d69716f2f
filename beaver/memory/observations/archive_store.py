"""SQL of the archive: observations put away whole, found again by what they say, where and from what they were learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import bindparam, delete, exists, insert, select, update

from beaver.db.engine import Transaction
from beaver.memory.observations.entries import content_hash, text_of
from beaver.memory.observations.records import Observation
from beaver.memory.retrieval.words import index_text
from beaver.memory.tables import observation_archive

_ARCHIVE = observation_archive.c


def archived_hash(content: Mapping[str, Any]) -> str:
    """The hash of an archived observation, as its row had it."""
    return content_hash(content["title"], tuple(content["facts"]))


async def add_archived(tx: Transaction, namespace_id: int, observation: Observation, reason: str, now_ms: int) -> None:
    """Keep a whole observation in the archive, findable there."""
    await tx.execute(
        insert(observation_archive).values(
            observation_id=observation.id,
            namespace_id=namespace_id,
            store=observation.store,
            type=observation.type,
            title=observation.title,
            words=index_text(text_of(observation)),
            observation=asdict(observation),
            reason=reason,
            archived_ms=now_ms,
            hash=content_hash(observation.title, observation.facts),
        )
    )


async def find_archived(tx: Transaction, namespace_id: int, observation_id: str) -> Mapping[str, Any] | None:
    """The archived observation's content as JSON."""
    found: Mapping[str, Any] | None = await tx.scalar(
        select(_ARCHIVE.observation).where(*_is(namespace_id, observation_id))
    )
    return found


async def replace_archived(
    tx: Transaction, namespace_id: int, observation_id: str, content: Mapping[str, Any], **changed: Any
) -> None:
    """Give an archived observation's content other evidence, or another session; what it says stays."""
    mine = update(observation_archive).where(*_is(namespace_id, observation_id))
    await tx.execute(mine.values(observation={**content, **changed}))


async def remove_archived(tx: Transaction, namespace_id: int, observation_id: str) -> None:
    """Remove it from the archive; nothing happens where it is not."""
    await tx.execute(delete(observation_archive).where(*_is(namespace_id, observation_id)))


async def archived_copies(tx: Transaction, namespace_id: int, hash_: str) -> list[str]:
    """The ids of archived observations that say what has this hash."""
    await _hash_the_rest(tx, namespace_id)
    copies = select(_ARCHIVE.observation_id).where(_ARCHIVE.namespace_id == namespace_id, _ARCHIVE.hash == hash_)
    return list(await tx.scalars(copies.order_by(_ARCHIVE.observation_id)))


async def archived_in(tx: Transaction, namespace_id: int, session_id: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Archived observations that were learned in a session, by id, each with its content."""
    mine = select(_ARCHIVE.observation_id, _ARCHIVE.observation).where(*_in_session(namespace_id, session_id))
    return [(observation_id, content) for observation_id, content in await tx.execute(mine)]


async def is_archived_in(tx: Transaction, namespace_id: int, session_id: str) -> bool:
    """Whether any archived observation was learned in the session."""
    return bool(await tx.scalar(select(exists().where(*_in_session(namespace_id, session_id)))))


async def _hash_the_rest(tx: Transaction, namespace_id: int) -> None:
    """What a process of an older release has put into the archive since it was migrated has no hash."""
    bare = select(_ARCHIVE.observation_id, _ARCHIVE.observation).where(
        _ARCHIVE.namespace_id == namespace_id, _ARCHIVE.hash.is_(None)
    )
    hashed = [{"one": one, "hash": archived_hash(content)} for one, content in await tx.execute(bare)]
    if hashed:
        named = update(observation_archive).where(_ARCHIVE.observation_id == bindparam("one"))
        await tx.execute(named.values(hash=bindparam("hash")), hashed)


def _is(namespace_id: int, observation_id: str) -> Sequence[Any]:
    return _ARCHIVE.namespace_id == namespace_id, _ARCHIVE.observation_id == observation_id


def _in_session(namespace_id: int, session_id: str) -> Sequence[Any]:
    return _ARCHIVE.namespace_id == namespace_id, _ARCHIVE.session_id == session_id
