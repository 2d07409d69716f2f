"""A search: plan (pure) → one full-text statement → rank (pure) → read what is answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, assert_never

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.memory.namespace import Namespace
from beaver.memory.records import Found, Question
from beaver.memory.retrieval import store
from beaver.memory.retrieval.fulltext import match_rows
from beaver.memory.retrieval.query import (
    ForTerms,
    MostRecent,
    NothingAsked,
    match_expression,
    plan_query,
    scope_expression,
)
from beaver.memory.retrieval.ranking import rank, recency_at
from beaver.memory.retrieval.store import Passage
from beaver.memory.transcripts.store import find_conversation
from beaver.memory.users.store import find_namespace
from beaver.schemas.gateway import Scope

CANDIDATES_MIN: Final = 200
CANDIDATES_PER_RESULT: Final = 5


@dataclass(frozen=True)
class _Place:
    """Where a search looks: the namespace's number, the current chat's number if it has one, the scopes."""

    namespace_id: int
    conversation_id: int | None
    scopes: tuple[Scope, ...]


@dataclass(frozen=True)
class _Answer:
    """A passage to be read, its score and the score's parts."""

    passage_id: int
    score: float
    why: dict[str, Any]


class SearchService:
    """Finds memories. Reads one snapshot; a search never writes."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def search(self, namespace: Namespace, question: Question) -> list[Found]:
        """The memories that answer, best first, at most `question.limit`; none when nothing is relevant."""
        async with self._database.read() as tx:
            place = await _place(tx, namespace, question)
            if place is None:
                return []
            answers = await self._answers(tx, place, question)
            rows = await store.read_passages(tx, place.namespace_id, [answer.passage_id for answer in answers])
        return [_found(rows[answer.passage_id], answer, place) for answer in answers]

    async def _answers(self, tx: Transaction, place: _Place, question: Question) -> list[_Answer]:
        match plan_query(question.text):
            case ForTerms() as asked:
                return await self._relevant(tx, place, asked, question.limit)
            case MostRecent():
                return await self._most_recent(tx, place, question.limit)
            case NothingAsked():
                return []
            case other:
                assert_never(other)

    async def _relevant(self, tx: Transaction, place: _Place, asked: ForTerms, limit: int) -> list[_Answer]:
        scope = scope_expression(place.namespace_id, place.conversation_id, place.scopes)
        if scope is None:
            return []
        candidates_max = max(CANDIDATES_MIN, limit * CANDIDATES_PER_RESULT)
        expression = match_expression(scope, asked.terms)
        candidates = await match_rows(tx, place.namespace_id, expression, limit=candidates_max)
        ranked = rank(
            candidates,
            asked.terms,
            passages=await store.count_passages(tx, place.namespace_id),
            now_ms=self._clock(),
            limit=limit,
        )
        return [
            _Answer(
                one.candidate.passage_id,
                one.score,
                {"keyword": round(one.keyword, 4), "recency": round(one.recency, 4), "copies": one.copies},
            )
            for one in ranked
        ]

    async def _most_recent(self, tx: Transaction, place: _Place, limit: int) -> list[_Answer]:
        newest = await store.newest_passages(tx, place.namespace_id, place.conversation_id, place.scopes, limit=limit)
        now_ms = self._clock()
        scores = [(passage_id, recency_at(observed_ms, now_ms)) for passage_id, observed_ms in newest]
        return [_Answer(passage_id, score, {"recency": round(score, 4)}) for passage_id, score in scores]


async def _place(tx: Transaction, namespace: Namespace, question: Question) -> _Place | None:
    """None when nothing was ever stored there."""
    namespace_id = await find_namespace(tx, namespace)
    if namespace_id is None:
        return None
    conversation_id = await find_conversation(tx, namespace_id, question.session_id)
    return _Place(namespace_id, conversation_id, question.scopes)


def _found(passage: Passage, answer: _Answer, place: _Place) -> Found:
    return Found(
        id=passage.message_id or f"{passage.document_id}.{passage.position}",
        text=passage.text,
        score=answer.score,
        scope=_narrowest(passage, place),
        session_id=passage.session_id,
        uri=passage.uri,
        why={**answer.why, **_source(passage)},
    )


def _narrowest(passage: Passage, place: _Place) -> Scope:
    """The narrowest of the scopes asked for that holds the passage."""
    if passage.message_id is None:
        return "resources"
    in_chat = passage.conversation_id == place.conversation_id
    return "current_chat" if in_chat and "current_chat" in place.scopes else "all_user_memory"


def _source(passage: Passage) -> dict[str, Any]:
    if passage.message_id is None:
        return {"title": passage.title, "stored_ms": passage.observed_ms, "passage": passage.position}
    return {
        "role": passage.role,
        "speaker": passage.speaker,
        "observed_ms": passage.observed_ms,
        "passage": passage.position,
    }
