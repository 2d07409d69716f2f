"""Bringing a conversation's summary into step with what the conversation holds, inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence

from beaver.db.engine import Transaction
from beaver.ids import IdSource
from beaver.memory.retrieval.beside.taken_back import TakenBack, text_without
from beaver.memory.retrieval.beside.taken_back_store import read_taken_back
from beaver.memory.retrieval.chunking import indexed_whole
from beaver.memory.retrieval.index.retiring import retire_passages
from beaver.memory.retrieval.store import NewPassage, add_passages
from beaver.memory.summaries import store
from beaver.memory.summaries.records import SessionSummary, Summary
from beaver.memory.summaries.text import summary_of, summary_text
from beaver.memory.tables import passages


async def summarise(tx: Transaction, namespace_id: int, conversation_id: int, new_id: IdSource, now_ms: int) -> None:
    """Write, replace or remove the one summary of a conversation. The caller has the namespace's turn to write.

    For whoever changes messages or observations of a conversation: a flush, and what forgets. Nothing is written when
    nothing changed; its passage is replaced only when its text did.
    """
    learned = await store.read_learned(tx, namespace_id, conversation_id, now_ms)
    asked = await store.first_request(tx, namespace_id, conversation_id)
    answered = await store.last_answer(tx, namespace_id, conversation_id)
    taken_back = await read_taken_back(tx, namespace_id)
    summary = summary_of(
        _told(asked, taken_back),
        _told(answered, taken_back),
        learned.decisions,
        learned.open_items,
        learned.count,
    )
    # It tells of the day of its session, also where that is an old one that was taken over now.
    said_ms = min(now_ms, max((said.at_ms for said in (asked, answered) if said is not None), default=now_ms))
    known = await store.find_summary(tx, namespace_id, conversation_id)
    if known is not None:
        await _change(tx, namespace_id, conversation_id, known, summary, now_ms, said_ms)
    elif summary is not None:
        summary_id = new_id("sum")
        await store.add_summary(tx, namespace_id, conversation_id, summary_id, summary, now_ms)
        await _make_findable(tx, namespace_id, conversation_id, summary_id, summary, said_ms)


def _told(said: store.SaidThen | None, taken_back: Sequence[TakenBack]) -> str | None:
    """What was said, without what its user took back since."""
    if said is None:
        return None
    return text_without(said.text, taken_back, at_ms=said.at_ms, role=said.role, message_id=said.message_id)


async def _change(
    tx: Transaction,
    namespace_id: int,
    conversation_id: int,
    known: SessionSummary,
    summary: Summary | None,
    now_ms: int,
    said_ms: int,
) -> None:
    if summary == known.summary:
        return
    reworded = summary is None or summary_text(summary) != summary_text(known.summary)
    if reworded:
        await retire_passages(tx, namespace_id, passages.c.summary_id == known.id)
    if summary is None:
        await store.delete_summary(tx, namespace_id, known.id)
        return
    await store.replace_summary(tx, namespace_id, known.id, summary, now_ms)
    if reworded:
        await _make_findable(tx, namespace_id, conversation_id, known.id, summary, said_ms)


async def _make_findable(
    tx: Transaction, namespace_id: int, conversation_id: int, summary_id: str, summary: Summary, said_ms: int
) -> None:
    passage = NewPassage(
        indexed=indexed_whole(summary_text(summary), observed_ms=said_ms),
        position=0,
        observed_ms=said_ms,
        conversation_id=conversation_id,
        summary_id=summary_id,
    )
    await add_passages(tx, namespace_id, [passage])
