"""Finding observations inside a transaction: those that answer a question, and those that are like a new one."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from beaver.db.engine import Transaction
from beaver.memory.observations.attributes import attributes_of, cue_words
from beaver.memory.observations.entries import Entry, folded, text_of
from beaver.memory.observations.listing_store import (
    Wanted,
    count_active,
    heaviest,
    holding,
    read_wanted,
    recent_and_mentioned,
    vectors_of,
)
from beaver.memory.observations.meaning import SCANNED_MAX, Meaning, cosines
from beaver.memory.observations.people import names_of
from beaver.memory.observations.records import (
    Candidate,
    FoundObservation,
    NewObservation,
    Observation,
    ObservationFilter,
    ObservationQuestion,
)
from beaver.memory.observations.scoring import (
    COSINE_MIN,
    KEYWORD_MIN,
    best,
    keyword,
    scored,
    scored_without_text,
    weights_of,
)
from beaver.memory.observations.words import asked_words, label_words, likeness, spoken_words

CANDIDATES_MAX: Final = 6
LIKENESS_MIN: Final = 0.4
MEANING_MIN: Final = 0.6
TERMS_MAX: Final = 64
_READ_MAX: Final = 200
_NEAREST_MAX: Final = 50


async def wanted_by(tx: Transaction, namespace_id: int, where: ObservationFilter, now_ms: int) -> Wanted:
    """What the filter lets through, people by all their names."""
    people = await names_of(tx, namespace_id, where.people)
    return Wanted(namespace_id, replace(where, people=people), now_ms)


async def answering(
    tx: Transaction, namespace_id: int, question: ObservationQuestion, meaning: Meaning | None, now_ms: int
) -> list[FoundObservation]:
    """The best answers; none where nothing is relevant. Only what the filter wants is ever looked at."""
    wanted = await wanted_by(tx, namespace_id, question.where, now_ms)
    if not question.text.strip():
        recent = await recent_and_mentioned(tx, wanted, limit=max(_READ_MAX, question.limit))
        return best([scored_without_text(one, now_ms) for one in recent], question.limit, question.tokens_max)
    terms = asked_words(question.text)[:TERMS_MAX]
    weights = await _weights(tx, namespace_id, terms)
    near = await _near(tx, wanted, meaning)
    rows = await _rows(tx, wanted, weights, near, limit=max(_READ_MAX, question.limit))
    found = [
        scored(row, keyword(terms, weights, set(label_words(text_of(row)))), near.get(row.id, 0.0), now_ms)
        for row in rows
    ]
    relevant = [one for one in found if one.why["keyword"] >= KEYWORD_MIN or one.why["vector"] >= COSINE_MIN]
    return best(relevant, question.limit, question.tokens_max)


async def candidates_for(tx: Transaction, namespace_id: int, entry: Entry, meaning: Meaning | None) -> list[Candidate]:
    """At most six active rows of the same store and type that are like it, in title and facts, or state the same attribute."""
    where = ObservationFilter(stores=(entry.store,), types=(entry.new.type,))
    wanted = Wanted(namespace_id, where, entry.now_ms)
    attributes = attributes_of(entry.new)
    terms = [*asked_words(_title_and_facts(entry.new)), *((cue,) for cue in cue_words(attributes))][:TERMS_MAX]
    weights = await _weights(tx, namespace_id, terms)
    near = await _near(tx, wanted, meaning)
    rows = await _rows(tx, wanted, weights, near, limit=_READ_MAX)
    words = spoken_words(_title_and_facts(entry.new))
    names = {(attribute.subject, attribute.name) for attribute in attributes}
    alike = [Candidate(row, _alike(entry, row, words, names, near.get(row.id, 0.0))) for row in rows]
    kept = [one for one in alike if one.score > 0]
    kept.sort(key=lambda one: (-one.score, -one.observation.updated_ms, one.observation.id))
    return kept[:CANDIDATES_MAX]


def _alike(entry: Entry, row: Observation, words: list[str], names: set[tuple[str, str]], cosine: float) -> float:
    """0 for what is not alike enough."""
    lexical = likeness(words, spoken_words(_title_and_facts(row)))
    same_attribute = names & {(attribute.subject, attribute.name) for attribute in attributes_of(row)}
    if same_attribute or folded(row.title) == folded(entry.new.title):
        return max(lexical, LIKENESS_MIN)
    if lexical < LIKENESS_MIN and cosine < MEANING_MIN:
        return 0.0
    return max(lexical, cosine)


def _title_and_facts(said: NewObservation | Observation) -> str:
    return "\n".join((said.title, *said.facts))


async def _weights(tx: Transaction, namespace_id: int, terms: list[tuple[str, ...]]) -> dict[str, float]:
    held_by = await holding(tx, namespace_id, [spelling for spellings in terms for spelling in spellings])
    return weights_of(terms, held_by, await count_active(tx, namespace_id))


async def _near(tx: Transaction, wanted: Wanted, meaning: Meaning | None) -> dict[str, float]:
    if meaning is None:
        return {}
    return dict(cosines(meaning, await vectors_of(tx, meaning.model, wanted, limit=SCANNED_MAX)))


async def _rows(
    tx: Transaction,
    wanted: Wanted,
    weights: dict[str, float],
    near: dict[str, float],
    *,
    limit: int,
) -> list[Observation]:
    """The best by words, and the nearest in meaning."""
    by_words = await heaviest(tx, wanted, weights, limit=limit) if weights else []
    nearest = sorted(near, key=lambda one: -near[one])[:_NEAREST_MAX]
    missing = [one for one in nearest if one not in {row.id for row in by_words}]
    return [*by_words, *(await read_wanted(tx, wanted, missing) if missing else [])]
