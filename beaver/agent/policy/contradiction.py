"""What takes a kept statement's place, pure: what denies it, says that it changed, or fills its place with something else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from beaver.agent.policy.candidates import NO_ATTRIBUTES, Attributes, Candidate
from beaver.agent.policy.frames import gives_another_value
from beaver.agent.policy.stores import MemoryItem
from beaver.agent.providers.relevance import terms

DENIED_SHARE: Final = 0.7
"""Two statements of which one denies contradict each other when they share so much of the shorter one's terms."""
REPLACED_SHARE: Final = 0.5
"""The same where the new one says itself that something changed."""

_DENYING: Final = re.compile(
    r"\b(?:not|never|no longer|no more|don't|doesn't|isn't|aren't|can't|won't|shouldn't|stop|avoid|without|hate|"
    r"dislike|refuse|against)\b|不|别|沒|没|勿|讨厌|討厭|避免",
    re.IGNORECASE,
)
_CHANGED: Final = re.compile(
    r"\b(?:no longer|any ?more|switched|changed|moved|replaced|migrated)\b|改为|改用|改成|不再|换成",
    re.IGNORECASE,
)
_OVER: Final = re.compile(
    r"\b(?P<chosen>[^,.;]{1,60}?) (?:over|instead of|rather than|and not|, not) (?P<left>[^,.;]{1,40}?)"
    r"(?= (?:in|for|when|at|on|with|during|as|before|after)\b|[,.;]|$)",
    re.IGNORECASE,
)
_CHOICE_TYPES: Final = frozenset({"preference", "rule", "decision"})
_MANY_AT_ONCE: Final = frozenset({"todo", "fix"})
_STATES: Final = re.compile(r"\b(?:is|are)\b|是", re.IGNORECASE)
"""What is to be done may be done for several; what is, is one thing, though somebody said `remember`."""
# Places that one choice has at a time: a language to answer in, what is used for a purpose.
_CHOICES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:answer|reply|respond|write|speak|talk)(?: to)?(?: me)?(?: back)? in (?P<value>[\w -]{2,30}?)"
        r"(?: (?:for|when|with|on) (?P<slot>.{1,120}))?$",
        r"\b(?:indent|format)(?P<slot>.{0,40}?) with (?P<value>.{1,40})$",
        r"\b(?:use|prefer|choose|chose|run|deploy) (?P<value>.{1,60}?) for (?P<slot>.{1,80})$",
        r"\b(?:use|prefer|choose|chose|have) (?P<value>.{1,60}?) as (?P<slot>(?:my|our|the|your) .{1,60})$",
        r"用(?P<value>\w{1,8}?)(?P<slot>回答|回复|回覆|说|写)",
        r"用(?P<value>[\w ]{1,20}?)(?:来做|来|做|作为|当)(?P<slot>\w{2,20})$",
    )
)
# The same of facts: how somebody is called, which database it is.
_VALUES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bcall (?P<slot>me|him|her|it|them) (?P<value>.{1,40})$",
        r"\b(?P<slot>(?:my|our|the) .{2,40}?) (?:is|are) (?:called|named) (?P<value>.{1,40})$",
        # A name or a number: to be slow is no other value than PostgreSQL.
        r"\b(?P<slot>(?:my|our|the) (?:[\w'-]+ ){0,3}(?:database|editor|shell|language|framework|package manager|formatter|"
        r"linter|licen[cs]e|branch|region|host|domain|day|time|format|style|theme|model))"
        r" (?:is|are) (?=(?-i:[A-Z\d]))(?P<value>.{1,40})$",
        r"(?P<slot>(?:我们?的?|项目的?|默认)?\w{0,6}(?:数据库|编辑器|语言|框架|端口|域名|分支|包管理器))(?:是|为|叫)(?P<value>.{2,20})(?<!的)$",
        r"(?P<slot>我们?的?\w{0,6})叫(?P<value>\w{2,12})$",
        r"(?P<slot>)叫我(?P<value>\w{2,12})$",
    )
)


def contradicts(candidate: Candidate, item: MemoryItem, attributes: Attributes = NO_ATTRIBUTES) -> bool:
    """Whether a candidate takes the place of what an item of its type says.

    It denies it, says that it changed, chooses otherwise, or gives another value where there is one at a time. What holds
    in one session takes the place of nothing that holds beyond it.
    """
    if candidate.type != item.type or (candidate.scope == "session") != (item.scope == "session"):
        return False
    one, other = candidate.text, item.text
    share = _shared(one, other)
    if denies(one) != denies(other):
        return share >= DENIED_SHARE
    if _CHANGED.search(one) and share >= REPLACED_SHARE:
        return True
    if candidate.type in _MANY_AT_ONCE and not _STATES.search(one):
        return False
    if candidate.type in _CHOICE_TYPES and (_leaves(one, other) or _fills_apart(_CHOICES, one, other)):
        return True
    # What is done with neither of two is no contradiction.
    another = not denies(one) and gives_another_value(one, other)
    return another or _fills_apart(_VALUES, one, other) or attributes.differ(one, other)


def denies(text: str) -> bool:
    """Whether a statement says no."""
    return _DENYING.search(text.replace("’", "'")) is not None


def _shared(one: str, other: str) -> float:
    """The share of the shorter statement's terms that the other has too, words that deny or tell of a change left out."""
    bare = [terms(_CHANGED.sub(" ", _DENYING.sub(" ", text))) for text in (one, other)]
    shorter = min(map(len, bare))
    return len(bare[0] & bare[1]) / shorter if shorter else 0.0


def _leaves(one: str, other: str) -> bool:
    """Whether the first leaves what the second chose."""
    over = _OVER.search(one)
    return over is not None and bool(left := terms(over["left"])) and left <= _chosen(other)


def _chosen(text: str) -> frozenset[str]:
    """What a statement chooses: what stands before `over`, or all of it."""
    over = _OVER.search(text)
    return terms(over["chosen"] if over else text)


def _fills_apart(slots: Sequence[re.Pattern[str]], one: str, other: str) -> bool:
    """Whether both fill the same place, each with something else."""
    plain = one.rstrip(".!。 "), other.rstrip(".!。 ")
    return any(_fill_apart(slot.search(plain[0]), slot.search(plain[1])) for slot in slots)


def _fill_apart(one: re.Match[str] | None, other: re.Match[str] | None) -> bool:
    if one is None or other is None or terms(one["slot"] or "") != terms(other["slot"] or ""):
        return False
    values = terms(one["value"]), terms(other["value"])
    return all(values) and not values[0] & values[1]
