"""SQL of what was learned from messages that are about to go."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import select, update

from beaver.db.engine import Transaction
from beaver.memory.tables import observations


async def learned_only_from(
    tx: Transaction, namespace_id: int, message_ids: Collection[str], conversation_id: int | None
) -> tuple[list[str], dict[str, list[dict[str, str]]]]:
    """Observations without another source than these messages (or, without any, than the conversation as a whole); and those
    with one, each with the evidence that is left."""
    statement = select(observations.c.id, observations.c.evidence, observations.c.conversation_id).where(
        observations.c.namespace_id == namespace_id
    )
    gone, lessened = list[str](), dict[str, list[dict[str, str]]]()
    for observation_id, evidence, learned_in in await tx.execute(statement):
        left = [source for source in evidence if source["message_id"] not in message_ids]
        if not left and (evidence or (learned_in is not None and learned_in == conversation_id)):
            gone.append(observation_id)
        elif len(left) < len(evidence):
            lessened[observation_id] = left
    return gone, lessened


async def lessen_evidence(tx: Transaction, left: Mapping[str, Sequence[Mapping[str, str]]]) -> None:
    """Take messages that go out of the evidence of what stays."""
    for observation_id, evidence in left.items():
        kept = update(observations).where(observations.c.id == observation_id).values(evidence=list(evidence))
        await tx.execute(kept)


async def with_origins(tx: Transaction, namespace_id: int, ids: Sequence[str]) -> list[str]:
    """The ids, and those of the observations whose place these took: an older wording is the same memory."""
    known = dict.fromkeys(ids)
    asked = list(ids)
    while asked:
        older = select(observations.c.id).where(
            observations.c.namespace_id == namespace_id, observations.c.successor_id == asked.pop()
        )
        found = [one for one in await tx.scalars(older) if one not in known]
        known |= dict.fromkeys(found)
        asked += found
    return list(known)
