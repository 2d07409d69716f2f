"""Capture by rules, pure: what a user said that is worth an observation. Precision before recall: chatter gives nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from beaver.memory.capture.chinese.language import CHINESE
from beaver.memory.capture.english.language import ENGLISH
from beaver.memory.capture.language import Language
from beaver.memory.capture.matching import END_MARKS, Finding, findings_in
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
CANDIDATES_PER_MESSAGE_MAX: Final = 20
SENTENCES_READ: Final = 100
"""Sentences of a message that rules read: who says more at once has pasted a text."""


def candidates(messages: Sequence[SaidMessage], user_id: str) -> list[Candidate]:
    """What the users among the speakers said that may be remembered, in order; each with its message as evidence.

    Only messages of the role `user` are read: an assistant's word is no evidence about anybody. Of these, questions,
    suppositions, quotations, pasted texts, recalled memory, secrets, and what is asked not to be kept give nothing. Another
    speaker than the user is named in the title.
    """
    return [
        candidate
        for message in messages
        if message.role == "user"
        for candidate in _of_message(message, user_id)[:CANDIDATES_PER_MESSAGE_MAX]
    ]


def certain_enough(found: Sequence[Candidate]) -> list[NewObservation]:
    """Those at or above the threshold."""
    return [candidate.observation for candidate in found if candidate.confidence >= CONFIDENCE_MIN]


def _of_message(message: SaidMessage, user_id: str) -> list[Candidate]:
    said = [_read(sentence) for sentence in sentences_of(message.content)]
    if any(language.unread.private.search(sentence.plain) for sentence, language in said):
        return []
    findings: dict[str, Finding] = {}
    for sentence, language in said[:SENTENCES_READ]:
        if language.unread.payload.search(sentence.plain):
            break
        for finding in findings_in(sentence, language):
            findings.setdefault(finding.title, finding)
    return [_candidate(message, finding, user_id) for finding in findings.values()]


def _read(sentence: Sentence) -> tuple[Sentence, Language]:
    """The sentence as its language reads it, and the language."""
    language = CHINESE if has_unspaced(sentence.text) else ENGLISH
    return Sentence(sentence.text, sentence.plain.translate(language.folding)), language


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
        related_people=(clipped(speaker, PERSON_LENGTH_MAX),) if speaker else (),
        source=CAPTURE_SOURCE,
        evidence=(Evidence(message.turn_id, message.message_id),),
        observed_ms=message.observed_ms,
    )
    return Candidate(observation, finding.confidence)


def _said_by(speaker: str, text: str) -> str:
    return f"{speaker}: {text}" if speaker else text
