"""SQL of what stays when its session goes: it was learned elsewhere too, and belongs there from then on."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.memory.observations.archive_store import archived_in, replace_archived
from beaver.memory.observations.store import as_observation, move_observation, selected
from beaver.memory.tables import conversations, is_in, messages, observations, turns


async def move_out(tx: Transaction, namespace_id: int, conversation_id: int, session_id: str) -> set[int]:
    """Have observations of a session, archived ones too, belong to that of the first message left of their evidence, or to
    none. Returns the conversations that rows were moved to. Their evidence names none of the session's messages any more."""
    columns, homes = observations.c, set[int]()
    mine = selected().where(columns.namespace_id == namespace_id, columns.conversation_id == conversation_id)
    for row in (await tx.execute(mine)).mappings().all():
        observation = as_observation(row)
        home = await _home(tx, namespace_id, [one.message_id for one in observation.evidence])
        await move_observation(tx, namespace_id, observation, None if home is None else home[0])
        homes |= set() if home is None else {home[0]}
    await _move_archived(tx, namespace_id, session_id)
    return homes


async def _move_archived(tx: Transaction, namespace_id: int, session_id: str) -> None:
    for observation_id, content in await archived_in(tx, namespace_id, session_id):
        home = await _home(tx, namespace_id, [one["message_id"] for one in content["evidence"]])
        session = None if home is None else home[1]
        await replace_archived(tx, namespace_id, observation_id, content, session_id=session)


async def _home(tx: Transaction, namespace_id: int, message_ids: Sequence[str]) -> tuple[int, str] | None:
    """The conversation, with its session, of the first of these messages that is there."""
    dialect = dialect_of(tx)
    ids = {"ids": dialect.many(message_ids)}
    there = (
        select(messages.c.id, conversations.c.id, conversations.c.session_id)
        .join(turns, turns.c.id == messages.c.turn_id)
        .join(conversations, conversations.c.id == turns.c.conversation_id)
        .where(is_in(messages, namespace_id), dialect.is_one_of(messages.c.id, "ids"))
    )
    homes = {message_id: (home, name) for message_id, home, name in await tx.execute(there, ids)}
    return next((homes[message_id] for message_id in message_ids if message_id in homes), None)
