"""Capture by rules and by what was learned, pure: what a user said that is worth an observation. Precision before recall:
chatter gives nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from beaver.memory.capture.chinese.language import CHINESE
from beaver.memory.capture.english.language import ENGLISH
from beaver.memory.capture.language import Language
from beaver.memory.capture.learned.judging import is_unlikely, kind_of
from beaver.memory.capture.learned.weights import weights_of
from beaver.memory.capture.matching import END_MARKS, Finding, findings_in, may_be_read
from beaver.memory.capture.patterns import TYPES
from beaver.memory.capture.records import Candidate, clipped
from beaver.memory.capture.sentences import Sentence, sentences_of
from beaver.memory.observations.entries import (
    CAPTURE_SOURCE,
    FACT_LENGTH_MAX,
    NARRATIVE_LENGTH_MAX,
    PERSON_LENGTH_MAX,
    TITLE_LENGTH_MAX,
)
from beaver.memory.observations.records import Evidence, NewObservation
from beaver.memory.transcripts.said import SaidMessage
from beaver.text import has_unspaced

CONFIDENCE_MIN: Final = 0.6
"""A candidate below it is not written."""
CONFIDENCE_LEARNED: Final = 0.62
"""Of what was learned: less sure than any rule."""
CANDIDATES_PER_MESSAGE_MAX: Final = 20
SENTENCES_READ: Final = 100
"""Sentences of a message that rules read: who says more at once has pasted a text."""
SENTENCES_LEARNED: Final = 8
"""Of a message of more, only rules take any: it tells a story, where a sentence means little by itself."""


@dataclass(frozen=True)
class Left:
    """A sentence of a message that no rule took and nothing forbids to read: it may be worth keeping by its meaning."""

    message: SaidMessage
    sentence: Sentence
    language: Language


@dataclass(frozen=True)
class Reading:
    """What was found in messages, in order, and which sentences only an encoder can tell more about."""

    candidates: list[Candidate]
    left: list[Left]


def candidates(messages: Sequence[SaidMessage], user_id: str) -> list[Candidate]:
    """What the users among the speakers said that may be remembered, in order; each with its message as evidence.

    Only messages of the role `user` are read: an assistant's word is no evidence about anybody. Of these, questions,
    suppositions, quotations, pasted texts, recalled memory, secrets, and what is asked not to be kept give nothing. Another
    speaker than the user is named in the title.
    """
    return read(messages, user_id).candidates


def read(messages: Sequence[SaidMessage], user_id: str) -> Reading:
    """The same, with what is left for an encoder."""
    reading = Reading([], [])
    for message in messages:
        if message.role == "user":
            found, left = _of_message(message)
            reading.candidates.extend(_candidate(message, one, user_id) for one in found[:CANDIDATES_PER_MESSAGE_MAX])
            reading.left.extend(left)
    return reading


def of_left(left: Left, user_id: str, vector: Sequence[float]) -> Candidate | None:
    """What a sentence that was left is worth by its vector, of the model that the weights of its language name."""
    finding = _learned(left.sentence, left.language, vector)
    return None if finding is None else _candidate(left.message, finding, user_id)


def sentences_read(content: str) -> list[tuple[Sentence, Language]]:
    """The sentences of a message, each as its language reads it."""
    return [_read(sentence) for sentence in sentences_of(content)]


def certain_enough(found: Sequence[Candidate]) -> list[NewObservation]:
    """Those at or above the threshold."""
    return [candidate.observation for candidate in found if candidate.confidence >= CONFIDENCE_MIN]


def _read(sentence: Sentence) -> tuple[Sentence, Language]:
    language = CHINESE if has_unspaced(sentence.text) else ENGLISH
    return Sentence(sentence.text, sentence.plain.translate(language.folding)), language


def _of_message(message: SaidMessage) -> tuple[list[Finding], list[Left]]:
    said = sentences_read(message.content)
    if any(language.unread.private.search(sentence.plain) for sentence, language in said):
        return [], []
    findings: dict[str, Finding] = {}
    left: list[Left] = []
    for number, (sentence, language) in enumerate(said[:SENTENCES_READ]):
        if language.unread.payload.search(sentence.plain):
            break
        found = [one for one in findings_in(sentence, language) if not (one.broad and _is_unlikely(sentence, language))]
        if not found and len(said) <= SENTENCES_LEARNED and _stands_alone(sentence, language, is_first=number == 0):
            if weights_of(language.name).model is not None:
                left.append(Left(message, sentence, language))
            elif learned := _learned(sentence, language):
                found = [learned]
        for finding in found:
            findings.setdefault(finding.title, finding)
    return list(findings.values()), left


def _stands_alone(sentence: Sentence, language: Language, *, is_first: bool) -> bool:
    """Whether a sentence that no rule took may be judged by itself."""
    return (is_first or not language.unread.leaning.match(sentence.plain)) and may_be_read(sentence, language)


def _is_unlikely(sentence: Sentence, language: Language) -> bool:
    weights = weights_of(language.name)
    return weights.model is None and is_unlikely(sentence.plain, weights)


def _learned(sentence: Sentence, language: Language, vector: Sequence[float] = ()) -> Finding | None:
    kind = kind_of(sentence.plain, weights_of(language.name), vector)
    if kind is None:
        return None
    return Finding(kind, TYPES[kind], sentence.text.strip(END_MARKS), sentence.text, None, CONFIDENCE_LEARNED)


def _candidate(message: SaidMessage, finding: Finding, user_id: str) -> Candidate:
    speaker = "" if message.speaker == user_id else message.speaker
    title = clipped(_said_by(speaker, finding.title), TITLE_LENGTH_MAX)
    whole = clipped(_said_by(speaker, finding.sentence.strip(END_MARKS)), NARRATIVE_LENGTH_MAX)
    fact = _said_by(speaker, finding.fact) if finding.fact else None
    observation = NewObservation(
        type=finding.type,
        title=title,
        narrative=whole if whole != title else "",
        facts=(clipped(fact, FACT_LENGTH_MAX),) if fact else (),
        tags=(finding.kind,),
        related_people=_people(speaker, finding.title),
        source=CAPTURE_SOURCE,
        evidence=(Evidence(message.turn_id, message.message_id),),
        observed_ms=message.observed_ms,
    )
    return Candidate(observation, finding.confidence)


def _people(speaker: str, title: str) -> tuple[str, ...]:
    """Another speaker than the user, and whoever is named by what they are to the one who speaks."""
    language = CHINESE if has_unspaced(title) else ENGLISH
    named = [found["name"] for found in language.people.finditer(title)]
    return tuple(dict.fromkeys(clipped(name, PERSON_LENGTH_MAX) for name in (speaker, *named) if name))


def _said_by(speaker: str, text: str) -> str:
    return f"{speaker}: {text}" if speaker else text
