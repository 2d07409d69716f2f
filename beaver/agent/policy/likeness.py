"""How a statement stands to those that are kept, pure: the same by a normalised hash, a simhash or cosine, or against one."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from beaver.agent.policy.candidates import NO_ATTRIBUTES, Attributes, Candidate
from beaver.agent.policy.contradiction import contradicts, denies
from beaver.agent.policy.frames import values_of
from beaver.agent.policy.stores import Hit, MemoryItem
from beaver.text import is_unspaced

SIMHASH_BITS: Final = 64
SIMHASH_DISTANCE_MAX: Final = 3
COSINE_MIN: Final = 0.92

_LEAD_IN: Final = re.compile(
    r"^(?:(?:from now on|please|actually|remember(?: that)?|note that)(?: |$)|以后|今后|从现在起|请|记住)+"
)
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


@dataclass(frozen=True)
class Likeness:
    """What a candidate is to an item that is kept: the same once more, or what takes its place."""

    relation: Literal["same", "contradicts"]
    item: MemoryItem


def relate(candidate: Candidate, hits: Sequence[Hit], attributes: Attributes = NO_ATTRIBUTES) -> Likeness | None:
    """How the first item that matters stands to a candidate; None where it is news. What contradicts is never the same."""
    for hit in hits:
        if normalised_hash(candidate.text) == normalised_hash(hit.item.text):
            return Likeness("same", hit.item)
        if contradicts(candidate, hit.item, attributes):
            return Likeness("contradicts", hit.item)
        if says_the_same(candidate.text, hit.item.text) or _means_the_same(candidate, hit):
            return Likeness("same", hit.item)
    return None


def says_the_same(one: str, other: str) -> bool:
    """By the normalised hash, or by simhashes that differ in three bits at most and nothing that denies or measures otherwise."""
    if normalised_hash(one) == normalised_hash(other):
        return True
    alike = distance(simhash(one), simhash(other)) <= SIMHASH_DISTANCE_MAX
    return alike and denies(one) == denies(other) and values_of(one) == values_of(other)


def _means_the_same(candidate: Candidate, hit: Hit) -> bool:
    """To an encoder a port and the next one mean nearly the same."""
    near = (hit.semantic or 0.0) >= COSINE_MIN
    return near and values_of(candidate.text) == values_of(hit.item.text)


def normalise(text: str) -> str:
    """Lower case, one space between words, no punctuation, compatibility forms folded; what leads in to a statement left out."""
    plain = " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("’", "'")))
    return _LEAD_IN.sub("", plain) or plain


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
