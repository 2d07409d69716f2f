"""A search: plan (pure) → words in the index, while the question is encoded → the best by word pieces → read what is answered."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar, assert_never

import numpy as np

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.errors import BeaverError
from beaver.logs import get_logger
from beaver.memory.allocator import use_one_arena
from beaver.memory.arithmetic import use_one_thread
from beaver.memory.embedding.packing import measured
from beaver.memory.embedding.store import pieces_of
from beaver.memory.inference.port import Encoded, Encoder, Serving, no_encoder
from beaver.memory.namespace import Namespace
from beaver.memory.records import Found, Question
from beaver.memory.retrieval import ranking, store
from beaver.memory.retrieval.answer.answering import Answer, read_answers
from beaver.memory.retrieval.asking.asked import Asked, read_question
from beaver.memory.retrieval.asking.asked_by_day import asked_days
from beaver.memory.retrieval.asking.misspelt import respelt
from beaver.memory.retrieval.asking.older import MATCHES_MAX, terms_for_older
from beaver.memory.retrieval.asking.query import ForTerms, MostRecent, NothingAsked, WhatIsKnown, plan_query
from beaver.memory.retrieval.beside.names import by_all_names
from beaver.memory.retrieval.beside.taken_back_store import read_taken_back
from beaver.memory.retrieval.dates import Days
from beaver.memory.retrieval.fulltext import Newest, match_rows
from beaver.memory.retrieval.index.index_store import DOCUMENT
from beaver.memory.retrieval.index.memory_index import BYTES_MAX, PASSAGES_MAX, Indexed, IndexFigures, MemoryIndex
from beaver.memory.retrieval.index.place import Place, find_place
from beaver.memory.retrieval.index.snapshot import Bools, Snapshot
from beaver.memory.retrieval.order import scoring
from beaver.memory.retrieval.order.blend import as_score
from beaver.memory.retrieval.order.ordering import Wanted, order, with_pieces
from beaver.memory.retrieval.order.scoring import Matched, Ranked
from beaver.memory.retrieval.terms import Term, match_expression, scope_expression
from beaver.schemas.gateway import Scope

ROWS_ON_THE_LOOP_MAX: Final = 12_000
"""Up to here words take one millisecond and the order three, nearly all of it in the interpreter's hold: a thread would free the
event loop from little and has to be woken. Without, eight searches at once take a quarter less time, and all else waits less.
"""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class _Looked:
    """What words tell of one state of a memory; `model`: whose vectors the snapshot holds."""

    place: Place
    terms: tuple[Term, ...]
    asked: Asked
    indexed: Indexed
    model: str | None
    matched: Matched | None

    @property
    def snapshot(self) -> Snapshot:
        """What the index in memory holds."""
        return self.indexed.snapshot


class SearchService:
    """Finds memories; never writes. Without an encoder, or when it fails, by words alone: `raw.by` says so."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        serving: Serving = no_encoder,
        *,
        index_bytes_max: int = BYTES_MAX,
        passages_max: int = PASSAGES_MAX,
    ) -> None:
        """`passages_max`: of a memory's passages the newest are held in memory, the others are found by full text."""
        self._database = database
        self._index_bytes_max = index_bytes_max
        self._passages_max = passages_max
        self._clock = clock
        self._serving = serving
        use_one_thread()
        use_one_arena()
        self._index = self._index_for(None)

    @property
    def index(self) -> IndexFigures:
        """What is held in memory."""
        return self._index.figures

    async def search(self, namespace: Namespace, question: Question) -> list[Found]:
        """The memories that answer, best first, at most `question.limit`; none when nothing is relevant."""
        match plan_query(question.text):
            case ForTerms() as asked:
                said = await self._said_then(namespace, question, asked.terms)
                return said or await self._relevant(namespace, question, asked)
            case MostRecent():
                return await self._newest(namespace, question)
            case WhatIsKnown():
                learned = await self._newest(namespace, question, learned=True)
                return learned or await self._newest(namespace, question)
            case NothingAsked():
                return await self._said_then(namespace, question, ())
            case other:
                assert_never(other)

    async def _relevant(self, namespace: Namespace, question: Question, terms: ForTerms) -> list[Found]:
        now_ms, encoder = self._clock(), self._serving()
        encoding = asyncio.create_task(_encode(encoder, question.text))
        try:
            await asyncio.sleep(0)  # the longest part begins before the others
            looked = await self._look(namespace, question, terms, None if encoder is None else encoder.model, now_ms)
            if looked is None:
                return []
            encoded = await encoding
        finally:
            encoding.cancel()
        found = (
            iter(()) if looked.matched is None else await self._found(looked, looked.matched, encoded, question, now_ms)
        )
        async with self._database.read_apart() as tx:
            older = await self._older(tx, looked, now_ms)
            answers = heapq.merge(found, older, key=lambda answer: -answer.score)
            taken_back = looked.indexed.beside.taken_back
            return await read_answers(tx, looked.place, answers, question.limit, taken_back)

    async def _look(
        self, namespace: Namespace, question: Question, terms: ForTerms, model: str | None, now_ms: int
    ) -> _Looked | None:
        """By words, while the question is encoded; no transaction stays open for that. None where nothing was stored."""
        async with self._database.read_apart() as tx:
            place = await find_place(tx, namespace, question)
        if place is None:
            return None
        indexed = await self._index_of(model).snapshot(self._database, place)
        snapshot, scope = indexed.snapshot, _scope(indexed.snapshot, place, now_ms)
        named = _by_all_names(terms, indexed)
        meant = respelt(named, snapshot)
        asked = read_question(question.text, meant, snapshot.speaker_stems, now_ms)
        there = scope.any() and bool(asked.terms)
        matched = await _scored(snapshot, scoring.match, snapshot, asked, scope) if there else None
        return _Looked(place, named, asked, indexed, model, matched)

    def _index_of(self, model: str | None) -> MemoryIndex:
        """The index with this model's vectors; those of the model that served before are let go."""
        if self._index.model != model:
            self._index = self._index_for(model)
        return self._index

    def _index_for(self, model: str | None) -> MemoryIndex:
        return MemoryIndex(model, bytes_max=self._index_bytes_max, passages_max=self._passages_max)

    async def _found(
        self, looked: _Looked, matched: Matched, encoded: Encoded | None, question: Question, now_ms: int
    ) -> Iterator[Answer]:
        wanted = Wanted(
            looked.indexed, matched, encoded if _is_read(encoded, looked.asked) else None, question.limit, now_ms
        )
        found = await _scored(looked.snapshot, order, wanted)
        if found.missing and looked.model is not None:
            read = await self._pieces(looked, looked.model, found.missing)
            found = await _scored(looked.snapshot, with_pieces, wanted, found, read)
        return _answers(looked.snapshot, found.ranked, found.by)

    async def _pieces(self, looked: _Looked, model: str, missing: Sequence[int]) -> Mapping[int, bytes]:
        """Read now, with some for searches to come."""
        reading = looked.indexed.pieces.to_read(missing)
        async with self._database.read_apart() as tx:
            packed = await pieces_of(tx, looked.place.namespace_id, model, reading.passage_ids)
        read = dict(zip(packed, measured(list(packed.values()), looked.snapshot.vectors.shape[1]), strict=True))
        looked.indexed.pieces.keep(reading, read)
        return read

    async def _older(self, tx: Transaction, looked: _Looked, now_ms: int) -> list[Answer]:
        """By the full-text index, passages that are too old for the index in memory."""
        place, indexed = looked.place, looked.indexed
        scope = scope_expression(place.namespace_id, place.conversation_id, place.scopes)
        if not indexed.older or scope is None:
            return []
        rare = terms_for_older(indexed.snapshot, looked.terms, indexed.older)
        newest = Newest(match_expression(scope, rare.terms), indexed.older_upto, MATCHES_MAX, rare.expected)
        older = await match_rows(tx, place.namespace_id, newest)
        ranked = ranking.rank(older, rare.terms, passages=store.COUNTED_MAX, now_ms=now_ms, limit=MATCHES_MAX)
        return [
            Answer(one.candidate.passage_id, one.score, partial(_by, "full text", keyword=one.keyword))
            for one in ranked
        ]

    async def _said_then(self, namespace: Namespace, question: Question, terms: Sequence[Term]) -> list[Found]:
        """What was said on the days that the question asks for alone; nothing where it asks for more."""
        days = asked_days(question.text, terms, self._clock())
        return await self._newest(namespace, question, days=days) if days else []

    async def _newest(
        self, namespace: Namespace, question: Question, *, learned: bool = False, days: Sequence[Days] = ()
    ) -> list[Found]:
        now_ms = self._clock()
        async with self._database.read() as tx:
            place = await find_place(tx, namespace, question)
            if place is None:
                return []
            where, limit = (place.namespace_id, place.conversation_id, place.scopes), question.limit
            if learned:
                newest = await store.newest_learned(tx, *where, now_ms=now_ms, limit=limit)
            else:
                newest = await store.newest_passages(tx, *where, limit=limit, days=days)
            scores = [(each, float(ranking.recency_at(observed_ms, now_ms))) for each, observed_ms in newest]
            answers = [Answer(each, score, partial(_by, "time", recency=score)) for each, score in scores]
            taken_back = await read_taken_back(tx, place.namespace_id)
            return await read_answers(tx, place, iter(answers), question.limit, taken_back)


def _by_all_names(asked: ForTerms, indexed: Indexed) -> tuple[Term, ...]:
    """What is asked for, people by every name that they have."""
    names = indexed.beside.names
    if not names:
        return asked.terms
    return tuple(map(Term, by_all_names([term.spellings for term in asked.terms], names)))


async def _encode(encoder: Encoder | None, text: str) -> Encoded | None:
    """None without an encoder, and when it fails: words are enough to find by."""
    if encoder is None:
        return None
    try:
        return await encoder.encode_question(text)
    except BeaverError as fault:
        get_logger().warning("search.words_alone", reason=fault.code)
        return None


def _is_read(encoded: Encoded | None, asked: Asked) -> bool:
    """Whether the model could read the question. A vocabulary of word pieces is English: of other scripts it knows single
    characters at best, and what it does not know at all, an emoji, is as good as any other such thing.
    """
    if encoded is None or encoded.pieces is None:
        return encoded is not None
    return not asked.unspaced and (encoded.content is None or bool(encoded.content.any()))


async def _scored(snapshot: Snapshot, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """What scoring the snapshot gives, off the event loop where it takes long."""
    if snapshot.rows <= ROWS_ON_THE_LOOP_MAX:
        return work(*arguments, **named)
    return await asyncio.to_thread(work, *arguments, **named)


def _answers(snapshot: Snapshot, ranked: Ranked, by: str) -> Iterator[Answer]:
    for at, row in enumerate(ranked.rows):
        yield Answer(int(snapshot.ids[row]), as_score(float(ranked.totals[at])), partial(_why, ranked, at, by))


def _why(ranked: Ranked, at: int, by: str) -> dict[str, Any]:
    return {"by": by, **ranked.why(at)}


def _by(by: str, **parts: float) -> dict[str, Any]:
    return {"by": by, **{name: round(part, 4) for name, part in parts.items()}}


def _scope(snapshot: Snapshot, place: Place, now_ms: int) -> Bools:
    """The rows in which the search looks; an observation that has expired is in no scope."""
    documents = snapshot.source == DOCUMENT
    rows: dict[Scope, Any] = {
        "current_chat": snapshot.conversation == (place.conversation_id or 0),
        "resources": documents,
        "all_user_memory": ~documents,
    }
    wanted = [rows[scope] for scope in place.scopes]
    return np.asarray(np.logical_or.reduce(wanted, axis=0) & (snapshot.expires_ms > now_ms))
