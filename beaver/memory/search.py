"""A search: plan (pure) → words in the index, while the question is encoded → the best by word pieces → read what is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

import numpy as np

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.errors import BeaverError
from beaver.memory.embedding.store import pieces_of
from beaver.memory.inference.port import Encoded, Encoder
from beaver.memory.namespace import Namespace
from beaver.memory.records import Found, Question
from beaver.memory.retrieval import ranking, scoring, store
from beaver.memory.retrieval.asked import Asked, read_question
from beaver.memory.retrieval.blend import as_score
from beaver.memory.retrieval.folding import Folded, fold, source_id
from beaver.memory.retrieval.fulltext import match_rows
from beaver.memory.retrieval.index import MemoryIndex
from beaver.memory.retrieval.index_store import DOCUMENT
from beaver.memory.retrieval.maxsim import rows_to_read
from beaver.memory.retrieval.query import (
    ForTerms,
    MostRecent,
    NothingAsked,
    match_expression,
    plan_query,
    scope_expression,
)
from beaver.memory.retrieval.scoring import PIECES_READ_MAX, Matched, Ranked
from beaver.memory.retrieval.snapshot import Bools, Snapshot
from beaver.memory.retrieval.store import Passage
from beaver.memory.transcripts.store import find_conversation
from beaver.memory.users.store import find_namespace
from beaver.schemas.gateway import Scope

OLDER_MAX: Final = 200
"""Passages too old for the index in memory that one search looks at."""


@dataclass(frozen=True)
class _Place:
    """Where a search looks: the namespace and its number, the current chat's number if it has one, the scopes."""

    namespace: Namespace
    namespace_id: int
    conversation_id: int | None
    scopes: tuple[Scope, ...]


@dataclass(frozen=True)
class _Answer:
    """A passage to be read, its score and the score's parts."""

    passage_id: int
    score: float
    why: dict[str, Any]


@dataclass(frozen=True)
class _Looked:
    """What words tell of one state of a memory."""

    place: _Place
    asked: Asked
    snapshot: Snapshot
    matched: Matched | None
    older_upto: int


class SearchService:
    """Finds memories; never writes. Without an encoder, or when it fails, by words alone: `raw.by` says so."""

    def __init__(self, database: Database, clock: Clock, encoder: Encoder | None = None) -> None:
        self._database = database
        self._clock = clock
        self._encoder = encoder
        self._index = MemoryIndex(None if encoder is None else encoder.model)

    async def search(self, namespace: Namespace, question: Question) -> list[Found]:
        """The memories that answer, best first, at most `question.limit`; none when nothing is relevant."""
        match plan_query(question.text):
            case ForTerms() as asked:
                return await self._relevant(namespace, question, asked)
            case MostRecent():
                return await self._most_recent(namespace, question)
            case NothingAsked():
                return []
            case other:
                assert_never(other)

    async def _relevant(self, namespace: Namespace, question: Question, terms: ForTerms) -> list[Found]:
        now_ms = self._clock()
        encoding = asyncio.create_task(self._encode(question.text))
        try:
            looked = await self._look(namespace, question, terms, now_ms)
            if looked is None:
                return []
            encoded = await encoding
        finally:
            encoding.cancel()
        async with self._database.read() as tx:
            found = [] if looked.matched is None else await self._found(tx, looked, looked.matched, encoded, now_ms)
            older = await self._older(tx, looked.place, terms, looked.older_upto, now_ms)
            answers = sorted([*found, *older], key=lambda answer: -answer.score)
            return await _read(tx, looked.place, answers, question.limit)

    async def _look(self, namespace: Namespace, question: Question, terms: ForTerms, now_ms: int) -> _Looked | None:
        """By words, while the question is encoded; no transaction stays open for that. None where nothing was stored."""
        async with self._database.read() as tx:
            place = await _place(tx, namespace, question)
            if place is None:
                return None
            indexed = await self._index.snapshot(tx, place.namespace_id, place.namespace)
        snapshot, scope = indexed.snapshot, _scope(indexed.snapshot, place, now_ms)
        asked = read_question(question.text, terms.terms, snapshot.speakers, now_ms)
        there = scope.any() and bool(asked.terms)
        matched = await asyncio.to_thread(scoring.match, snapshot, asked, scope) if there else None
        return _Looked(place, asked, snapshot, matched, indexed.older_upto)

    async def _found(
        self, tx: Transaction, looked: _Looked, matched: Matched, encoded: Encoded | None, now_ms: int
    ) -> list[_Answer]:
        # The vocabulary of word pieces is English: of other scripts it knows single characters at best.
        unknown = encoded is not None and encoded.pieces is not None and looked.asked.unspaced
        encoded = None if unknown else encoded
        ranked = await asyncio.to_thread(scoring.rank, looked.snapshot, matched, encoded, now_ms)
        ranked, by = await self._by_pieces(tx, looked.place, looked.snapshot, ranked, encoded, now_ms)
        return [
            _Answer(int(looked.snapshot.ids[row]), as_score(float(total)), {"by": by, **ranked.why(at)})
            for at, (row, total) in enumerate(zip(ranked.rows, ranked.totals, strict=True))
        ]

    async def _by_pieces(
        self,
        tx: Transaction,
        place: _Place,
        snapshot: Snapshot,
        ranked: Ranked,
        encoded: Encoded | None,
        now_ms: int,
    ) -> tuple[Ranked, str]:
        """Ranked by word pieces where there are any; with what it was ranked by."""
        if self._encoder is None or encoded is None or ranked.cosines is None:
            return ranked, "words"
        if encoded.pieces is None or not len(encoded.pieces):
            return ranked, "vectors"
        rows = rows_to_read(snapshot, ranked.rows[:PIECES_READ_MAX])
        stored = await pieces_of(tx, place.namespace_id, self._encoder.model, snapshot.ids[rows].tolist())
        return await asyncio.to_thread(scoring.rank_by_pieces, snapshot, ranked, encoded, stored, now_ms), "pieces"

    async def _older(self, tx: Transaction, place: _Place, asked: ForTerms, upto_id: int, now_ms: int) -> list[_Answer]:
        """By the full-text index, passages that are too old for the index in memory."""
        scope = scope_expression(place.namespace_id, place.conversation_id, place.scopes)
        if not upto_id or scope is None:
            return []
        expression = match_expression(scope, asked.terms)
        matches = await match_rows(tx, place.namespace_id, expression, limit=OLDER_MAX)
        older = [candidate for candidate in matches if candidate.passage_id <= upto_id]
        ranked = ranking.rank(older, asked.terms, passages=store.COUNTED_MAX, now_ms=now_ms, limit=OLDER_MAX)
        return [
            _Answer(one.candidate.passage_id, one.score, {"by": "full text", "keyword": round(one.keyword, 4)})
            for one in ranked
        ]

    async def _most_recent(self, namespace: Namespace, question: Question) -> list[Found]:
        now_ms = self._clock()
        async with self._database.read() as tx:
            place = await _place(tx, namespace, question)
            if place is None:
                return []
            newest = await store.newest_passages(
                tx, place.namespace_id, place.conversation_id, place.scopes, limit=question.limit
            )
            scores = [(each, float(ranking.recency_at(observed_ms, now_ms))) for each, observed_ms in newest]
            answers = [_Answer(each, score, {"by": "time", "recency": round(score, 4)}) for each, score in scores]
            return await _read(tx, place, answers, question.limit)

    async def _encode(self, text: str) -> Encoded | None:
        """None without an encoder, and when it fails: words are enough to find by."""
        if self._encoder is None:
            return None
        try:
            return await self._encoder.encode_question(text)
        except BeaverError:
            return None


def _scope(snapshot: Snapshot, place: _Place, now_ms: int) -> Bools:
    """The rows in which the search looks; an observation that has expired is in no scope."""
    documents = snapshot.source == DOCUMENT
    rows: dict[Scope, Any] = {
        "current_chat": snapshot.conversation == (place.conversation_id or 0),
        "resources": documents,
        "all_user_memory": ~documents,
    }
    wanted = [rows[scope] for scope in place.scopes]
    return np.asarray(np.logical_or.reduce(wanted, axis=0) & (snapshot.expires_ms > now_ms))


async def _place(tx: Transaction, namespace: Namespace, question: Question) -> _Place | None:
    """None when nothing was ever stored there."""
    namespace_id = await find_namespace(tx, namespace)
    if namespace_id is None:
        return None
    conversation_id = await find_conversation(tx, namespace_id, question.session_id)
    return _Place(namespace, namespace_id, conversation_id, question.scopes)


async def _read(tx: Transaction, place: _Place, answers: Sequence[_Answer], limit: int) -> list[Found]:
    """The best answers, what says the same folded into one; reads on until there are enough."""
    ranked: list[tuple[Passage, _Answer]] = []
    page, folded = 2 * limit, fold(ranked)
    while len(folded) <= limit and len(ranked) < len(answers):
        part = answers[len(ranked) : len(ranked) + page]
        rows = await store.read_passages(tx, place.namespace_id, [answer.passage_id for answer in part])
        read = [(rows[answer.passage_id], answer) for answer in part if answer.passage_id in rows]
        answers = [*answers[: len(ranked)], *(answer for _, answer in read), *answers[len(ranked) + page :]]
        ranked += read
        folded = fold(ranked)
    return [_result(one, place) for one in folded[:limit]]


def _result(one: Folded[_Answer], place: _Place) -> Found:
    passage, answer = one.passage, one.of
    also = {"also": one.also} if one.also else {}
    return Found(
        id=source_id(passage),
        text=passage.text,
        score=answer.score,
        scope=_narrowest(passage, place),
        session_id=passage.session_id,
        uri=passage.uri,
        why={**answer.why, "copies": one.copies, **also, **_source(passage)},
    )


def _narrowest(passage: Passage, place: _Place) -> Scope:
    """The narrowest of the scopes asked for that holds the passage."""
    if passage.document_id is not None:
        return "resources"
    in_chat = passage.conversation_id is not None and passage.conversation_id == place.conversation_id
    return "current_chat" if in_chat and "current_chat" in place.scopes else "all_user_memory"


def _source(passage: Passage) -> dict[str, Any]:
    if passage.document_id is not None:
        return {"title": passage.title, "stored_ms": passage.observed_ms, "passage": passage.position}
    if passage.message_id is None:
        source = "observation" if passage.observation_id is not None else "summary"
        return {"source": source, "title": passage.title, "observed_ms": passage.observed_ms}
    return {
        "role": passage.role,
        "speaker": passage.speaker,
        "observed_ms": passage.observed_ms,
        "passage": passage.position,
    }
