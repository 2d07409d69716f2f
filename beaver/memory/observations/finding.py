"""Finding observations inside a transaction: those that answer a question, and those that are like a new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from beaver.db.engine import Transaction
from beaver.memory.observations.attributes import Attribute, attributes_of, cue_words
from beaver.memory.observations.entries import Entry, folded, text_of
from beaver.memory.observations.listing_store import (
    HOLDERS_MAX,
    Wanted,
    count_active,
    heaviest,
    heaviest_of_newest,
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
    ObservationType,
)
from beaver.memory.observations.saying import ends, is_ending
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
from beaver.memory.retrieval.beside.names import by_all_names
from beaver.memory.retrieval.beside.names_store import several_names

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
    terms = await _asked(tx, namespace_id, question)
    _, weights = await _weighed(tx, namespace_id, terms)
    near = await _near(tx, wanted, meaning)
    by_words = await heaviest(tx, wanted, weights, limit=max(_READ_MAX, question.limit)) if weights else []
    rows = await _with_nearest(tx, wanted, by_words, near)
    found = [
        scored(row, keyword(terms, weights, set(label_words(text_of(row)))), near.get(row.id, 0.0), now_ms)
        for row in rows
    ]
    relevant = [one for one in found if one.why["keyword"] >= KEYWORD_MIN or one.why["vector"] >= COSINE_MIN]
    return best(relevant, question.limit, question.tokens_max)


async def _asked(tx: Transaction, namespace_id: int, question: ObservationQuestion) -> list[tuple[str, ...]]:
    """What the question asks for; whoever is named in it by every name that they have."""
    terms = asked_words(question.text)[:TERMS_MAX]
    named = [
        tuple(tuple(label_words(name)) for name in names)
        for names in await several_names(tx, namespace_id, question.where.stores)
    ]
    return by_all_names(terms, named)


async def candidates_for(tx: Transaction, namespace_id: int, entry: Entry, meaning: Meaning | None) -> list[Candidate]:
    """At most six active rows of the same store and type that are like it, in title and facts, or state the same attribute.

    What says that something is over is about a habit as well, whose type is another.
    """
    types: tuple[ObservationType, ...] = (
        (entry.new.type, "preference") if is_ending(entry.new.title) else (entry.new.type,)
    )
    where = ObservationFilter(stores=(entry.store,), types=types)
    wanted = Wanted(namespace_id, where, entry.now_ms)
    attributes = attributes_of(entry.new)
    terms = [*asked_words(_title_and_facts(entry.new)), *((cue,) for cue in cue_words(attributes))][:TERMS_MAX]
    near = await _near(tx, wanted, meaning)
    rows = await _with_nearest(tx, wanted, await _like(tx, wanted, terms), near)
    words = spoken_words(_title_and_facts(entry.new))
    names = {(attribute.subject, attribute.name) for attribute in attributes}
    alike = [Candidate(row, _alike(entry, row, words, names, near.get(row.id, 0.0))) for row in rows]
    kept = [one for one in alike if one.score > 0]
    kept.sort(key=lambda one: (-one.score, -one.observation.updated_ms, one.observation.id))
    return kept[:CANDIDATES_MAX]


async def near_statement(
    tx: Transaction, namespace_id: int, text: str, attributes: Sequence[Attribute], meaning: Meaning | None, now_ms: int
) -> list[tuple[Observation, float]]:
    """Active rows of every store and type that share words with a statement or state one of the attributes, or are near to it in
    meaning; each with its cosine, 0 where that is not known."""
    wanted = Wanted(namespace_id, ObservationFilter(), now_ms)
    terms = [*asked_words(text), *((cue,) for cue in cue_words(attributes))][:TERMS_MAX]
    near = await _near(tx, wanted, meaning)
    rows = await _with_nearest(tx, wanted, await _like(tx, wanted, terms), near)
    return [(row, near.get(row.id, 0.0)) for row in rows]


def _alike(entry: Entry, row: Observation, words: list[str], names: set[tuple[str, str]], cosine: float) -> float:
    """0 for what is not alike enough."""
    lexical = likeness(words, spoken_words(_title_and_facts(row)))
    same_attribute = names & {(attribute.subject, attribute.name) for attribute in attributes_of(row)}
    is_over = any(ends(entry.new.title, statement) for statement in (row.title, *row.facts))
    if same_attribute or is_over or folded(row.title) == folded(entry.new.title):
        return max(lexical, LIKENESS_MIN)
    if lexical < LIKENESS_MIN and cosine < MEANING_MIN:
        return 0.0
    return max(lexical, cosine)


def _title_and_facts(said: NewObservation | Observation) -> str:
    return "\n".join((said.title, *said.facts))


async def _weighed(
    tx: Transaction, namespace_id: int, terms: list[tuple[str, ...]]
) -> tuple[dict[str, int], dict[str, float]]:
    """How many hold each word, and what it weighs by that."""
    words = list(dict.fromkeys(spelling for spellings in terms for spelling in spellings))
    active = await count_active(tx, namespace_id)
    held_by = await holding(tx, namespace_id, words, active) if words else {}
    return held_by, weights_of(terms, held_by, active)


async def _like(tx: Transaction, wanted: Wanted, terms: list[tuple[str, ...]]) -> list[Observation]:
    """The best by words. A write waits for them, so not everything is looked at where all speak of the same."""
    held_by, weights = await _weighed(tx, wanted.namespace_id, terms)
    common = [word for word, held in held_by.items() if held > HOLDERS_MAX]
    if common:
        return await heaviest_of_newest(tx, wanted, weights, common, limit=_READ_MAX)
    return await heaviest(tx, wanted, weights, limit=_READ_MAX) if weights else []


async def _near(tx: Transaction, wanted: Wanted, meaning: Meaning | None) -> dict[str, float]:
    if meaning is None:
        return {}
    return dict(cosines(meaning, await vectors_of(tx, meaning.model, wanted, limit=SCANNED_MAX)))


async def _with_nearest(
    tx: Transaction, wanted: Wanted, by_words: list[Observation], near: dict[str, float]
) -> list[Observation]:
    """These, and the nearest in meaning."""
    nearest = sorted(near, key=lambda one: -near[one])[:_NEAREST_MAX]
    missing = [one for one in nearest if one not in {row.id for row in by_words}]
    return [*by_words, *(await read_wanted(tx, wanted, missing) if missing else [])]
