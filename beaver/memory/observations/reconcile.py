"""Reconciliation: what a new observation does to those like it. The rules decide without a model; a model may decide instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from beaver.memory.observations.attributes import Attribute, attributes_of, stated_in
from beaver.memory.observations.corrections import puts_right
from beaver.memory.observations.entries import (
    FACT_LENGTH_MAX,
    FILE_LENGTH_MAX,
    LIST_LENGTH_MAX,
    NARRATIVE_LENGTH_MAX,
    PERSON_LENGTH_MAX,
    TAG_LENGTH_MAX,
    TITLE_LENGTH_MAX,
    clip,
    clipped_list,
    folded,
)
from beaver.memory.observations.records import Candidate, Content, NewObservation, Observation
from beaver.memory.observations.saying import ends
from beaver.memory.observations.words import likeness, says_within, spoken_words, turns

SAME_MIN: Final = 0.8
"""What repeats a candidate has at least this likeness."""
MORE_MIN: Final = 0.6
"""What says more than a candidate has at least this likeness."""
SAME_TOPIC_MIN: Final = 0.5
"""What says more under a candidate's title has at least this likeness: a title may be as general as `Preference`."""


@dataclass(frozen=True)
class Add:
    """It is new."""


@dataclass(frozen=True)
class Update:
    """The candidate becomes `merged`."""

    index: int
    merged: Content


@dataclass(frozen=True)
class Supersede:
    """The candidate is no longer true; `replacement` is, or else what came in."""

    index: int
    replacement: Content | None = None


@dataclass(frozen=True)
class Mention:
    """The candidate says it already, and is mentioned once more."""

    index: int


@dataclass(frozen=True)
class Ignore:
    """It is older news than what is known: nothing changes."""


Decision = Add | Update | Supersede | Mention | Ignore


class Reconciler(Protocol):
    """Decides. May take long: never called inside a transaction. Raises nothing of its own: it falls back."""

    async def decide(self, new: NewObservation, at_ms: int, candidates: Sequence[Candidate]) -> Decision:
        """What `new`, learned at `at_ms` (UTC epoch ms), does; `candidates` are not empty, the likest first."""


class RuleReconciler:
    """The default, without a model."""

    async def decide(self, new: NewObservation, at_ms: int, candidates: Sequence[Candidate]) -> Decision:
        """A contradiction first, then what says the same, then what says more; else it is new."""
        return decide_by_rules(new, at_ms, candidates)


def decide_by_rules(new: NewObservation, at_ms: int, candidates: Sequence[Candidate]) -> Decision:
    """The rules' decision, pure."""
    for rule in (partial(_contradicted, at_ms), _repeated, _extended):
        for index, candidate in enumerate(candidates):
            decision = rule(new, index, candidate)
            if decision is not None:
                return decision
    return Add()


def _contradicted(at_ms: int, new: NewObservation, index: int, candidate: Candidate) -> Decision | None:
    """Another value of an attribute that has one, put right by name, or over (again). Older news than the candidate's put
    nothing right."""
    held = candidate.observation
    said = attributes_of(new)
    wrong = [fact for fact in held.facts if _is_wrong(fact, said, new)]
    in_title = _is_wrong(held.title, said, new)
    if not (wrong or in_title):
        return None
    if at_ms < held.updated_ms:
        return Ignore()
    if in_title or len(wrong) == len(held.facts):
        return Supersede(index)
    right = tuple(fact for fact in held.facts if fact not in wrong)
    return Update(index, merged(content_of(held, facts=right), content_of(new), title=held.title))


def _is_wrong(statement: str, said: Sequence[Attribute], new: NewObservation) -> bool:
    other = any(a.is_other_than(b) for a in stated_in(statement) for b in said)
    return other or puts_right(new, statement) or ends(new.title, statement) or ends(statement, new.title)


def _repeated(new: NewObservation, index: int, candidate: Candidate) -> Decision | None:
    mine, theirs = _words(new), _words(candidate.observation)
    same = likeness(mine, theirs) >= SAME_MIN and says_within(mine, theirs)
    return Mention(index) if same and _turns(new) == _turns(candidate.observation) else None


def _extended(new: NewObservation, index: int, candidate: Candidate) -> Decision | None:
    """What says all of a candidate and more, or more under its title. Nothing is lost: where the facts do not fit, it is new."""
    held = candidate.observation
    mine, theirs = _words(new), _words(held)
    alike = likeness(mine, theirs)
    more = alike >= MORE_MIN and says_within(theirs, mine) and _negations(new) == _negations(held)
    same_title = folded(new.title) == folded(held.title)
    more_of_it = same_title and alike >= SAME_TOPIC_MIN and bool(new.facts) and bool(held.facts)
    facts = {folded(fact) for fact in (*held.facts, *new.facts)}
    if not (more or more_of_it) or len(facts) > LIST_LENGTH_MAX:
        return None
    return Update(index, merged(content_of(held), content_of(new)))


def content_of(said: NewObservation | Observation, *, facts: tuple[str, ...] | None = None) -> Content:
    """What an observation says, without whose it is."""
    return Content(
        said.title,
        said.narrative,
        said.facts if facts is None else facts,
        said.tags,
        said.related_files,
        said.related_people,
    )


def merged(held: Content, new: Content, *, title: str | None = None) -> Content:
    """Both in one, within the bounds: the new title and narrative, and the facts of both."""
    known = {folded(fact) for fact in held.facts}
    return Content(
        title=clip(title or new.title, TITLE_LENGTH_MAX),
        narrative=clip(new.narrative or held.narrative, NARRATIVE_LENGTH_MAX),
        facts=clipped_list((*held.facts, *(fact for fact in new.facts if folded(fact) not in known)), FACT_LENGTH_MAX),
        tags=clipped_list((*held.tags, *new.tags), TAG_LENGTH_MAX),
        related_files=clipped_list((*held.related_files, *new.related_files), FILE_LENGTH_MAX),
        related_people=clipped_list((*held.related_people, *new.related_people), PERSON_LENGTH_MAX),
    )


def _words(said: NewObservation | Observation) -> list[str]:
    """Of the facts, or of the title where there are none: the narrative says how it was said."""
    content = content_of(said)
    return spoken_words(" ".join((content.title, *content.facts)))


def _turns(said: NewObservation | Observation) -> frozenset[str]:
    content = content_of(said)
    return turns(" ".join((content.title, *content.facts)))


def _negations(said: NewObservation | Observation) -> frozenset[str]:
    return frozenset(turn for turn in _turns(said) if not any(character.isdigit() for character in turn))
