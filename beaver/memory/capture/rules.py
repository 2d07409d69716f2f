"""Capture by rules, pure: what a user said that is worth an observation. Precision before recall: chatter gives nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from beaver.memory.capture.chinese import CHINESE
from beaver.memory.capture.english.language import ENGLISH
from beaver.memory.capture.patterns import Kind, Language, Rule
from beaver.memory.capture.records import Candidate, clipped
from beaver.memory.capture.sentences import Sentence, sentences_of
from beaver.memory.observations.entries import (
    CAPTURE_SOURCE,
    FACT_LENGTH_MAX,
    NARRATIVE_LENGTH_MAX,
    PERSON_LENGTH_MAX,
    TITLE_LENGTH_MAX,
)
from beaver.memory.observations.records import Evidence, NewObservation, ObservationType
from beaver.memory.transcripts.said import SaidMessage
from beaver.redaction import find_secret
from beaver.text import has_unspaced

CONFIDENCE_MIN: Final = 0.6
"""A candidate below it is not written."""
HEDGE_COST: Final = 0.3
CANDIDATES_PER_MESSAGE_MAX: Final = 20
_REDACTED: Final = "[REDACTED"
_TAG_QUESTION: Final = re.compile(
    r",?\s*(?:ok|okay|please|will you|would you|could you|can you|好吗|好嗎|可以吗|可以嗎|行吗)\s*[?？]\s*$", re.I
)
_END_MARKS: Final = " \t.。!！;；,，"
_JOINT: Final = re.compile(r"[\s,，;；:：–—-]*\b(?:and|but|so|because|since|though)?\s*$", re.I)


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


@dataclass(frozen=True)
class _Finding:
    """A rule that a clause fits: `title` is the clause in the speaker's words, `sentence` the whole around it."""

    kind: Kind
    type: ObservationType
    title: str
    sentence: str
    fact: str | None
    confidence: float


def _of_message(message: SaidMessage, user_id: str) -> list[Candidate]:
    said = [(sentence, _language(sentence.text)) for sentence in sentences_of(message.content)]
    if any(language.private.search(sentence.plain) for sentence, language in said):
        return []
    findings: dict[str, _Finding] = {}
    for sentence, language in said:
        if language.payload.search(sentence.plain):
            break
        for finding in _findings(sentence, language):
            findings.setdefault(finding.title, finding)
    return [_candidate(message, finding, user_id) for finding in findings.values()]


def _language(text: str) -> Language:
    return CHINESE if has_unspaced(text) else ENGLISH


def _findings(whole: Sentence, language: Language) -> Iterator[_Finding]:
    sentence = _without_lead(whole, language)
    if _says_nothing(sentence, language):
        return
    cost = HEDGE_COST if language.hedge.search(sentence.plain) else 0.0
    for finding in _matched(sentence, language):
        if finding.kind != "rule" and language.conditional.search(sentence.plain):
            continue
        yield replace(finding, confidence=round(finding.confidence - cost, 2))


def _without_lead(sentence: Sentence, language: Language) -> Sentence:
    """Without politeness at both ends, which makes a question of no request."""
    plain = _TAG_QUESTION.sub("", sentence.plain)
    lead = language.lead.match(plain)
    start = lead.end() if lead else 0
    asked = sentence.text[start : len(plain)]
    # A request in the form of a question ends with its mark all the same.
    polite = lead is not None and re.search(r"(?:can|could|would|will) you", lead[0], re.I) is not None
    end = len(asked.rstrip(" ?？")) if polite else len(asked)
    return Sentence(asked[:end], plain[start : start + end])


def _says_nothing(sentence: Sentence, language: Language) -> bool:
    return bool(
        language.question.search(sentence.plain)
        or language.supposed.search(sentence.plain)
        or language.attributed.search(sentence.plain)
        or language.secret.search(sentence.text)
        or _REDACTED in sentence.text
        or find_secret(sentence.text)
    )


def _matched(sentence: Sentence, language: Language) -> Iterator[_Finding]:
    """An explicit wish to be remembered takes the whole sentence; else each clause that fits a rule stands for itself."""
    hits = _hits(sentence, language)
    explicit = next((hit for hit in hits if "content" in hit.match.groupdict()), None)
    if explicit is not None:
        yield _explicit(sentence, explicit, language)
        return
    ends = [*(hit.match.start() for hit in hits), len(sentence.text)][1:]
    for hit, end in zip(hits, ends, strict=True):
        start = 0 if hit is hits[0] and _keeps_beginning(sentence, end, language) else hit.match.start()
        title = _JOINT.sub("", sentence.text[start:end]).strip(_END_MARKS)
        yield _Finding(hit.rule.kind, hit.rule.type, title, sentence.text, _fact(sentence, hit), hit.rule.confidence)


def _keeps_beginning(sentence: Sentence, end: int, language: Language) -> bool:
    """Whether what stands before the first clause belongs in its title: it fits, or says when and where."""
    return end <= TITLE_LENGTH_MAX or language.setting.search(sentence.plain) is not None


@dataclass(frozen=True)
class _Hit:
    rule: Rule
    match: re.Match[str]


def _hits(sentence: Sentence, language: Language) -> list[_Hit]:
    """One a place, in order: of two rules that fit the same words the earlier in the table counts."""
    clauses = [0, *(mark.end() for mark in language.clause.finditer(sentence.plain))]
    openings = clauses if language.conditional.search(sentence.plain) else clauses[:1]
    found: list[_Hit] = []
    for rule in language.rules:
        for start in openings if rule.opens else clauses:
            match = rule.pattern.match(sentence.plain, start)
            if match and all(match.start() >= one.match.end() or match.end() <= one.match.start() for one in found):
                found.append(_Hit(rule, match))
    return sorted(found, key=lambda hit: hit.match.start())


def _explicit(sentence: Sentence, hit: _Hit, language: Language) -> _Finding:
    """What is to be remembered is read again for its own sort and fact."""
    start, end = hit.match.span("content")
    content = Sentence(sentence.text[start:end], sentence.plain[start:end])
    within = [inner for inner in _hits(content, language) if inner.rule.kind != "remember"]
    observed = within[0].rule.type if within and hit.rule.type == "discovery" else hit.rule.type
    fact = _fact(content, within[0]) if within else None
    title = content.text.strip(_END_MARKS)
    return _Finding("remember", observed, title, sentence.text, fact, hit.rule.confidence)


def _fact(sentence: Sentence, hit: _Hit) -> str | None:
    """`attribute: value` of a rule about a single-valued attribute."""
    if hit.rule.attribute is None:
        return None
    start, end = hit.match.span("value")
    value = sentence.text[start:end].strip(_END_MARKS)
    of = hit.match.groupdict().get("of") or ""
    return f"{' '.join(f'{hit.rule.attribute} {of}'.lower().split())}: {value}" if value else None


def _candidate(message: SaidMessage, finding: _Finding, user_id: str) -> Candidate:
    speaker = "" if message.speaker == user_id else message.speaker
    title = clipped(_said_by(speaker, finding.title), TITLE_LENGTH_MAX)
    whole = clipped(_said_by(speaker, finding.sentence.strip(_END_MARKS)), NARRATIVE_LENGTH_MAX)
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
