"""Whether two statements say the same, or the opposite, pure: a normalised hash, a simhash, cosine, and words that deny."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from beaver.agent.policy.candidates import Candidate
from beaver.agent.policy.stores import Hit, MemoryItem
from beaver.agent.providers.relevance import terms
from beaver.text import is_unspaced

SIMHASH_BITS: Final = 64
SIMHASH_DISTANCE_MAX: Final = 3
COSINE_MIN: Final = 0.92
DENIED_SHARE: Final = 0.7
"""Two statements of which one denies contradict each other when they share so much of the shorter one's terms."""
REPLACED_SHARE: Final = 0.5
"""The same where the new one says itself that something changed."""

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
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
    r"\b(?P<chosen>[^,.;]{1,60}?) (?:over|instead of|rather than|and not|, not) (?P<left>[^,.;]{1,40})", re.IGNORECASE
)
_CHOICE_TYPES: Final = frozenset({"preference", "rule", "decision"})
# Places that one value has at a time: a language to answer in, what is used for a purpose, how to call somebody.
_SLOTS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:answer|reply|respond|write|speak|talk)(?: to)?(?: me)?(?: back)? in (?P<value>[\w -]{2,30}?)"
        r"(?: (?:for|when|with|on) (?P<slot>.{1,120}))?$",
        r"\b(?:indent|format)(?P<slot>.{0,40}?) with (?P<value>.{1,40})$",
        r"\b(?:use|prefer|choose|chose|run|deploy) (?P<value>.{1,60}?) for (?P<slot>.{1,80})$",
        r"\bcall (?P<slot>me|him|her|it|them) (?P<value>.{1,40})$",
        r"用(?P<value>\w{1,8}?)(?P<slot>回答|回复|回覆|说|写)",
    )
)


@dataclass(frozen=True)
class Likeness:
    """What a candidate is to an item that is kept: the same once more, or what takes its place."""

    relation: Literal["same", "contradicts"]
    item: MemoryItem


def relate(candidate: Candidate, hits: Sequence[Hit]) -> Likeness | None:
    """How the first item that matters stands to a candidate; None where it is news. What contradicts is never the same."""
    for hit in hits:
        if contradicts(candidate, hit.item):
            return Likeness("contradicts", hit.item)
        if says_the_same(candidate.text, hit.item.text) or (hit.semantic or 0.0) >= COSINE_MIN:
            return Likeness("same", hit.item)
    return None


def says_the_same(one: str, other: str) -> bool:
    """By the normalised hash, or by simhashes that differ in three bits at most and nothing that denies."""
    if normalised_hash(one) == normalised_hash(other):
        return True
    return denies(one) == denies(other) and distance(simhash(one), simhash(other)) <= SIMHASH_DISTANCE_MAX


def contradicts(candidate: Candidate, item: MemoryItem) -> bool:
    """Whether a candidate takes the place of what an item says: it denies it, says that it changed, or chooses otherwise."""
    if candidate.type != item.type or normalised_hash(candidate.text) == normalised_hash(item.text):
        return False
    share = _shared(candidate.text, item.text)
    if denies(candidate.text) != denies(item.text):
        return share >= DENIED_SHARE
    if _CHANGED.search(candidate.text):
        return share >= REPLACED_SHARE
    return candidate.type in _CHOICE_TYPES and _chooses_otherwise(candidate.text, item.text)


def denies(text: str) -> bool:
    """Whether a statement says no."""
    return _DENYING.search(text.replace("’", "'")) is not None


def _shared(one: str, other: str) -> float:
    """The share of the shorter statement's terms that the other has too, words that deny or tell of a change left out."""
    bare = [terms(_CHANGED.sub(" ", _DENYING.sub(" ", text))) for text in (one, other)]
    shorter = min(map(len, bare))
    return len(bare[0] & bare[1]) / shorter if shorter else 0.0


def _chooses_otherwise(one: str, other: str) -> bool:
    """Whether both fill the same place, each with something else, or the first leaves what the second chose."""
    over = _OVER.search(one)
    if over and (left := terms(over["left"])) and left <= _chosen(other):
        return True
    plain = one.rstrip(".!。 "), other.rstrip(".!。 ")
    return any(_fill_apart(slot.search(plain[0]), slot.search(plain[1])) for slot in _SLOTS)


def _chosen(text: str) -> frozenset[str]:
    """What a statement chooses: what stands before `over`, or all of it."""
    over = _OVER.search(text)
    return terms(over["chosen"] if over else text)


def _fill_apart(one: re.Match[str] | None, other: re.Match[str] | None) -> bool:
    if one is None or other is None or terms(one["slot"] or "") != terms(other["slot"] or ""):
        return False
    values = terms(one["value"]), terms(other["value"])
    return all(values) and not values[0] & values[1]


def normalise(text: str) -> str:
    """Lower case, one space between words, no punctuation, compatibility forms folded."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("’", "'")))


def normalised_hash(text: str) -> str:
    """SHA-256 of the normalised text, in hexadecimal: the same for texts that differ in case, spaces and punctuation."""
    return hashlib.sha256(normalise(text).encode()).hexdigest()


def simhash(text: str) -> int:
    """64 bits over words and pairs of neighbours; texts that share most of them differ in few bits."""
    sums = [0] * SIMHASH_BITS
    for feature in _features(normalise(text)):
        value = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest())
        for bit in range(SIMHASH_BITS):
            sums[bit] += 1 if value >> bit & 1 else -1
    return sum(1 << bit for bit, total in enumerate(sums) if total > 0)


def distance(one: int, other: int) -> int:
    """In how many bits two simhashes differ."""
    return (one ^ other).bit_count()


def _features(plain: str) -> Iterator[str]:
    words = [piece for word in plain.split() for piece in (word if is_unspaced(word[0]) else (word,))]
    yield from words
    yield from (" ".join(pair) for pair in pairwise(words))
