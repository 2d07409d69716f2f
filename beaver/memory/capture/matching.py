"""Where the rules of a language fit a sentence, pure: the clauses that are worth remembering, in the speaker's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from beaver.memory.capture.language import Language
from beaver.memory.capture.patterns import CONFIDENCE, Kind, Rule, Table
from beaver.memory.capture.sentences import Sentence
from beaver.memory.observations.entries import TITLE_LENGTH_MAX
from beaver.memory.observations.records import ObservationType
from beaver.redaction import find_secret

HEDGE_COST: Final = 0.3
"""What a doubtful word takes from the confidence."""
CLAUSES_MAX: Final = 16
"""Clauses of a sentence that are looked at: one of more is a list, and bounds the work on it."""
END_MARKS: Final = " \t.。!！;；,，"
_REDACTED: Final = "[REDACTED"
_TAG_QUESTION: Final = re.compile(
    r",?\s*(?:ok|okay|please|will you|would you|could you|can you|好吗|好嗎|可以吗|可以嗎|行吗)\s*[?？]\s*$", re.I
)
_JOINT: Final = re.compile(r"[\s,，;；:：(（–—-]*\b(?:and|but|so|because|since|though)?\s*$", re.I)


@dataclass(frozen=True)
class Finding:
    """A rule that a clause fits: `title` is the clause in the speaker's words, `sentence` the whole around it; a `broad` rule
    may be overruled."""

    kind: Kind
    type: ObservationType
    title: str
    sentence: str
    fact: str | None
    confidence: float
    broad: bool = False


@dataclass(frozen=True)
class _Hit:
    rule: Rule
    match: re.Match[str]


def findings_in(whole: Sentence, language: Language) -> Iterator[Finding]:
    """What a sentence, folded as its language is, says that is worth remembering; in order."""
    sentence = _without_lead(whole, language)
    hits = _hits(sentence, language)
    if not hits or language.unread.tone.search(whole.plain) or _holds_secret(sentence, language):
        return
    cost = HEDGE_COST if language.unread.hedge.search(sentence.plain) else 0.0
    yield from _found(sentence, hits, language, cost)


def may_be_read(whole: Sentence, language: Language) -> bool:
    """Whether nothing in a sentence keeps it from being read, as what or by whom ever: no question, doubt, irony, secret."""
    sentence = _without_lead(whole, language)
    unread = language.unread
    return not (
        unread.tone.search(whole.plain)
        or unread.hedge.search(sentence.plain)
        or any(veto.pattern.search(sentence.plain) for veto in unread.vetoes)
        or _holds_secret(sentence, language)
    )


def _without_lead(sentence: Sentence, language: Language) -> Sentence:
    """Without politeness at both ends, which makes a question of no request."""
    plain = _TAG_QUESTION.sub("", sentence.plain)
    lead = language.shape.lead.match(plain)
    start = lead.end() if lead else 0
    asked = sentence.text[start : len(plain)]
    # A request in the form of a question ends with its mark all the same.
    polite = lead is not None and language.shape.request.search(lead[0]) is not None
    end = len(asked.rstrip(" ?？")) if polite else len(asked)
    return Sentence(asked[:end], plain[start : start + end])


def _holds_secret(sentence: Sentence, language: Language) -> bool:
    """Even within a quotation, which `plain` does not show."""
    text = sentence.text.translate(language.folding)
    return bool(language.unread.secret.search(text) or _REDACTED in text or find_secret(text))


def _found(sentence: Sentence, hits: list[_Hit], language: Language, cost: float) -> Iterator[Finding]:
    """An explicit wish to be remembered takes the whole sentence; else each clause that fits a rule stands for itself."""
    explicit = next((hit for hit in hits if "content" in hit.match.groupdict()), None)
    if explicit is not None:
        yield _explicit(sentence, explicit, language, cost)
        return
    ends = [*(hit.match.start() for hit in hits), len(sentence.text)][1:]
    for hit, end in zip(hits, ends, strict=True):
        start = 0 if hit is hits[0] and _keeps_beginning(sentence, end, language) else hit.match.start()
        title = _JOINT.sub("", sentence.text[start:end]).strip(END_MARKS)
        found = _finding(hit.rule.kind, hit.rule.type, title, sentence, _fact(sentence, hit), cost)
        yield replace(found, broad=hit.rule.broad)


def _finding(
    kind: Kind, observed: ObservationType, title: str, sentence: Sentence, fact: str | None, cost: float
) -> Finding:
    return Finding(kind, observed, title, sentence.text, fact, round(CONFIDENCE[kind] - cost, 2))


def _keeps_beginning(sentence: Sentence, end: int, language: Language) -> bool:
    """Whether what stands before the first clause belongs in its title: it fits, or says when and where."""
    return end <= TITLE_LENGTH_MAX or language.shape.setting.search(sentence.plain) is not None


def _hits(sentence: Sentence, language: Language) -> list[_Hit]:
    """One a place, in order: of two rules that fit the same words the earlier in the table counts."""
    found: list[_Hit] = []
    for table, starts in _unvetoed(sentence, language):
        for rule in table.rules:
            for start in starts:
                match = rule.pattern.match(sentence.plain, start)
                if match and all(match.start() >= one.match.end() or match.end() <= one.match.start() for one in found):
                    found.append(_Hit(rule, match))
    return sorted(found, key=lambda hit: hit.match.start())


def _unvetoed(sentence: Sentence, language: Language) -> list[tuple[Table, list[int]]]:
    """The tables that may be read, each with the clauses where one of its rules fits. Vetoes come last: most fit nowhere."""
    plain = sentence.plain
    clauses = [0, *(mark.end() for mark in islice(language.shape.clause.finditer(plain), CLAUSES_MAX - 1))]
    openings = clauses if language.shape.conditional.search(plain) else clauses[:1]
    fitting = [
        (table, starts)
        for table in language.tables
        if (starts := [start for start in (openings if table.opens else clauses) if table.guard.match(plain, start)])
    ]
    vetoes = [veto for veto in language.unread.vetoes if veto.pattern.search(plain)] if fitting else []
    return [(table, starts) for table, starts in fitting if all(table.kind in veto.spares for veto in vetoes)]


def _explicit(sentence: Sentence, hit: _Hit, language: Language, cost: float) -> Finding:
    """What is to be remembered is read again for its own sort and fact."""
    start, end = hit.match.span("content")
    content = Sentence(sentence.text[start:end], sentence.plain[start:end])
    within = [inner for inner in _hits(content, language) if inner.rule.kind != "remember"]
    observed = within[0].rule.type if within and hit.rule.type == "discovery" else hit.rule.type
    fact = _fact(content, within[0]) if within else None
    return _finding("remember", observed, content.text.strip(END_MARKS), sentence, fact, cost)


def _fact(sentence: Sentence, hit: _Hit) -> str | None:
    """`attribute: value` of a rule about a single-valued attribute."""
    if hit.rule.attribute is None:
        return None
    start, end = hit.match.span("value")
    value = sentence.text[start:end].strip(END_MARKS)
    of = hit.match.groupdict().get("of") or ""
    return f"{' '.join(f'{hit.rule.attribute} {of}'.lower().split())}: {value}" if value else None
