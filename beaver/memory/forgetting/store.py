"""SQL of forgetting messages, sessions and resources. Each call belongs in a transaction that has the namespace's turn; of a
message or a session, in one that has called rewrite_namespace."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, Text, cast, delete, exists, func, or_, select

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.memory.observations.archive_store import is_archived_in
from beaver.memory.retrieval.index.retiring import retire_document, retire_passages
from beaver.memory.retrieval.store import remove_passages
from beaver.memory.tables import (
    conversations,
    documents,
    is_in,
    messages,
    observations,
    passages,
    session_summaries,
    turns,
)

TITLES_SOUGHT_MAX: Final = 20
"""Of more titles every summary is decoded: to seek each in all of them would take longer."""


@dataclass(frozen=True)
class SaidOnce:
    """A message that is about to go."""

    id: str
    turn_id: str
    conversation_id: int
    session_id: str
    speaker: str
    observed_ms: int
    content: str


_SAID = (
    select(
        messages.c.id,
        messages.c.turn_id,
        turns.c.conversation_id,
        conversations.c.session_id,
        messages.c.speaker,
        messages.c.observed_ms,
        messages.c.content,
    )
    .join(turns, turns.c.id == messages.c.turn_id)
    .join(conversations, conversations.c.id == turns.c.conversation_id)
)


async def find_message(tx: Transaction, namespace_id: int, message_id: str) -> SaidOnce | None:
    """A message of the namespace."""
    found = await tx.execute(_SAID.where(messages.c.namespace_id == namespace_id, messages.c.id == message_id))
    row = found.mappings().one_or_none()
    return None if row is None else SaidOnce(**row)


async def messages_of(tx: Transaction, conversation_id: int) -> list[SaidOnce]:
    """All messages of a conversation."""
    found = await tx.execute(_SAID.where(turns.c.conversation_id == conversation_id))
    return [SaidOnce(**row) for row in found.mappings()]


async def forget_message(tx: Transaction, namespace_id: int, said: SaidOnce) -> None:
    """Remove a message, its passages and vectors; and its turn when that was its last."""
    await remove_passages(tx, (passages.c.namespace_id == namespace_id) & (passages.c.message_id == said.id))
    await tx.execute(delete(messages).where(messages.c.namespace_id == namespace_id, messages.c.id == said.id))
    empty = ~exists().where(messages.c.turn_id == turns.c.id)
    await tx.execute(delete(turns).where(turns.c.id == said.turn_id, empty))


async def forget_summary(tx: Transaction, namespace_id: int, conversation_id: int) -> int:
    """Remove the summary of a conversation, which may quote what goes; returns how many there were."""
    mine = (session_summaries.c.namespace_id == namespace_id) & (session_summaries.c.conversation_id == conversation_id)
    ids = list(await tx.scalars(select(session_summaries.c.id).where(mine)))
    for summary_id in ids:
        await retire_passages(tx, namespace_id, passages.c.summary_id == summary_id)
    await tx.execute(delete(session_summaries).where(mine))
    return len(ids)


async def summarised(tx: Transaction, namespace_id: int, conversation_ids: Collection[int]) -> set[int]:
    """Those of the conversations that have a summary."""
    dialect, columns = dialect_of(tx), session_summaries.c
    mine = select(columns.conversation_id).where(
        is_in(session_summaries, namespace_id), dialect.is_one_of(columns.conversation_id, "ids")
    )
    return set(await tx.scalars(mine, {"ids": dialect.many(conversation_ids)}))


async def conversations_naming(tx: Transaction, namespace_id: int, titles: Collection[str]) -> set[int]:
    """Conversations whose summary lists one of these titles of observations."""
    columns = session_summaries.c
    listed = select(columns.conversation_id, columns.decisions, columns.open_items).where(
        columns.namespace_id == namespace_id, *_listing(titles)
    )
    return {
        conversation_id
        for conversation_id, decisions, open_items in await tx.execute(listed)
        if not set(titles).isdisjoint((*decisions, *open_items))
    }


def _listing(titles: Collection[str]) -> tuple[ColumnElement[bool], ...]:
    """What the JSON of a summary that lists one of them holds, so that few are decoded. Of many titles: nothing is said."""
    if len(titles) > TITLES_SOUGHT_MAX:
        return ()
    lists = [cast(column, Text) for column in (session_summaries.c.decisions, session_summaries.c.open_items)]
    # A replacement finds a text on both databases, and several times faster than LIKE.
    return (or_(*(func.replace(each, json.dumps(title), "") != each for each in lists for title in titles)),)


async def forget_conversation(tx: Transaction, namespace_id: int, conversation_id: int) -> None:
    """Remove a conversation with all that was said in it."""
    mine = passages.c.namespace_id == namespace_id
    await remove_passages(
        tx, mine & (passages.c.conversation_id == conversation_id) & passages.c.message_id.is_not(None)
    )
    await tx.execute(
        delete(conversations).where(conversations.c.namespace_id == namespace_id, conversations.c.id == conversation_id)
    )


async def conversation_of(tx: Transaction, namespace_id: int, observation_id: str) -> int | None:
    """The conversation that an observation was learned in."""
    mine = (observations.c.namespace_id == namespace_id, observations.c.id == observation_id)
    found: int | None = await tx.scalar(select(observations.c.conversation_id).where(*mine))
    return found


async def forget_if_empty(tx: Transaction, namespace_id: int, conversation_id: int) -> None:
    """Remove a conversation in which nothing is said or learned any more: all that is left of it is a name."""
    for table in (turns, observations):
        if await tx.scalar(select(exists().where(table.c.conversation_id == conversation_id))):
            return
    name = await tx.scalar(select(conversations.c.session_id).where(conversations.c.id == conversation_id))
    if await is_archived_in(tx, namespace_id, str(name)):
        return
    await forget_summary(tx, namespace_id, conversation_id)
    await forget_conversation(tx, namespace_id, conversation_id)


async def find_resource(tx: Transaction, namespace_id: int, uri: str) -> tuple[str, str] | None:
    """Id and content of the document under a URI."""
    found = await tx.execute(
        select(documents.c.id, documents.c.content).where(
            documents.c.namespace_id == namespace_id, documents.c.uri == uri
        )
    )
    row = found.one_or_none()
    return None if row is None else (row.id, row.content)


async def forget_resource(tx: Transaction, namespace_id: int, document_id: str) -> None:
    """Remove a document with its passages and vectors."""
    await retire_document(tx, namespace_id, document_id)
    await tx.execute(delete(documents).where(documents.c.namespace_id == namespace_id, documents.c.id == document_id))


async def is_resource(tx: Transaction, namespace_id: int, memory_id: str) -> bool:
    """Whether an id of a search result is a passage of a document."""
    document_id = memory_id.rpartition(".")[0]
    mine = select(documents.c.id).where(documents.c.namespace_id == namespace_id, documents.c.id == document_id)
    return await tx.scalar(mine) is not None
