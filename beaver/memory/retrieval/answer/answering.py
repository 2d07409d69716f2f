"""From ranked passages to answers: as many are read as the answer needs, what says the same is folded into one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from beaver.db.engine import Transaction
from beaver.memory.records import Found
from beaver.memory.retrieval.answer.folding import Folded, fold, source_id
from beaver.memory.retrieval.answer.outdated import Replacement, newest_first, replacements_of
from beaver.memory.retrieval.answer.outdated_store import read_replacements
from beaver.memory.retrieval.beside.taken_back import TakenBack, without_taken_back
from beaver.memory.retrieval.index.place import Place
from beaver.memory.retrieval.store import Passage, read_passages
from beaver.schemas.gateway import Scope

PASSAGES_READ_MAX: Final = 500
"""For one search. A pasted file that says one thing again and again is thousands of passages, and one answer."""


@dataclass(frozen=True)
class Answer:
    """A passage to be read, its score, and how to tell the score's parts: of most nobody asks."""

    passage_id: int
    score: float
    why: Callable[[], dict[str, Any]]


async def read_answers(
    tx: Transaction, place: Place, answers: Iterator[Answer], limit: int, taken_back: Sequence[TakenBack]
) -> list[Found]:
    """The best `limit` of answers that come best first; reads on until there are enough, or `PASSAGES_READ_MAX` were read.

    Each page is twice the one before, so that few are folded again and again. What was superseded says so, and stands behind
    what took its place; what was taken back is not told.
    """
    read: list[tuple[Passage, Answer]] = []
    user_id = place.namespace.user_id
    folded, left, size = fold(read), PASSAGES_READ_MAX, 2 * limit
    while len(folded) <= limit and (page := list(islice(answers, min(size, left)))):
        passages = await read_passages(tx, place.namespace_id, [answer.passage_id for answer in page])
        there = ((passages[answer.passage_id], answer) for answer in page if answer.passage_id in passages)
        told = ((without_taken_back(passage, taken_back, user_id), answer) for passage, answer in there)
        read += [(passage, answer) for passage, answer in told if passage is not None]
        folded, left, size = fold(read), left - len(page), 2 * size
    said = {each for one in folded for each in (one.passage.message_id, *one.passage.evidence) if each is not None}
    replaced = await read_replacements(tx, place.namespace_id, sorted(said))
    best = newest_first(folded, replaced)[:limit]
    return [_found(one, place, replacements_of(one.passage, replaced)) for one in best]


def _found(one: Folded[Answer], place: Place, replaced: Sequence[Replacement]) -> Found:
    passage, answer = one.passage, one.of
    also = {"also": one.also} if one.also else {}
    superseded = {"superseded_by": [_told(each) for each in replaced]} if replaced else {}
    return Found(
        id=source_id(passage),
        text=passage.text,
        score=answer.score,
        scope=_narrowest(passage, place),
        session_id=passage.session_id,
        uri=passage.uri,
        why={**answer.why(), "copies": one.copies, **also, **superseded, **_source(passage)},
        learned=tuple(one.learned),
    )


def _told(replacement: Replacement) -> dict[str, Any]:
    return {"id": replacement.observation_id, "title": replacement.title, "since_ms": replacement.since_ms}


def _narrowest(passage: Passage, place: Place) -> Scope:
    """The narrowest of the scopes asked for that holds the passage."""
    if passage.document_id is not None:
        return "resources"
    in_chat = passage.conversation_id is not None and passage.conversation_id == place.conversation_id
    return "current_chat" if in_chat and "current_chat" in place.scopes else "all_user_memory"


def _source(passage: Passage) -> dict[str, Any]:
    if passage.document_id is not None:
        place = {"section": passage.section, "page": passage.page}
        known = {name: value for name, value in place.items() if value is not None}
        return {"title": passage.title, **known, "stored_ms": passage.observed_ms, "passage": passage.position}
    if passage.message_id is None:
        source = "observation" if passage.observation_id is not None else "summary"
        return {"source": source, "title": passage.title, "observed_ms": passage.updated_ms or passage.observed_ms}
    return {
        "role": passage.role,
        "speaker": passage.speaker,
        "observed_ms": passage.observed_ms,
        "passage": passage.position,
    }
