"""LoCoMo's conversations and questions, read in place from a file of its authors (CC BY-NC: never part of this project)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from beaver.errors import InvalidInput

CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}
"""Those with evidence; the fifth asks for what was never said."""
_EVIDENCE: Final = re.compile(r"D\s*:?\s*(\d+)\s*:\s*(\d+)")
_SESSIONS_MAX: Final = 100


@dataclass(frozen=True)
class Said:
    """One message, with its image's caption as a client would send it. `key` names it in the evidence."""

    key: str
    session: int
    speaker: str
    text: str
    at_ms: int


@dataclass(frozen=True)
class Probe:
    """A question, its category, and the keys of the messages that answer it."""

    text: str
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    """Two people over many sessions, and what is asked about them."""

    name: str
    said: tuple[Said, ...]
    probes: tuple[Probe, ...]


def read_conversations(path: Path) -> list[Conversation]:
    """All of a file. Evidence that names no message is left out, and so is a question without any.

    Raises InvalidInput, naming the option that gave the file, where it cannot be read or holds something else.
    """
    try:
        decoded = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput("--data", f"must be a file that can be read ({error.strerror})") from None
    except ValueError:
        raise InvalidInput("--data", "must be a file of JSON in UTF-8") from None
    try:
        found = [_conversation(each) for each in decoded]
    except (KeyError, TypeError, AttributeError, ValueError):
        found = []
    if not found:
        raise InvalidInput(
            "--data", "must be a list of LoCoMo's conversations, as its authors publish it (locomo10.json)"
        )
    return found


def _conversation(raw: dict[str, Any]) -> Conversation:
    said = tuple(_said(raw["conversation"]))
    keys = {one.key for one in said}
    probes = [
        Probe(each["question"], CATEGORIES[each["category"]], _evidence(each, keys))
        for each in raw["qa"]
        if each["category"] in CATEGORIES
    ]
    return Conversation(raw["sample_id"], said, tuple(probe for probe in probes if probe.evidence))


def _said(raw: dict[str, Any]) -> Iterator[Said]:
    for session in range(1, _SESSIONS_MAX):
        at_ms = _time(raw.get(f"session_{session}_date_time", ""))
        for number, turn in enumerate(raw.get(f"session_{session}", ())):
            caption = turn.get("blip_caption")
            text = turn["text"] + (f" [shares a photo of {caption}]" if caption else "")
            yield Said(turn["dia_id"], session, turn["speaker"], text, at_ms + 1000 * number)


def _evidence(raw: dict[str, Any], keys: set[str]) -> frozenset[str]:
    """`D8:6; D9:17` and `D:11:26` are found too."""
    named = (
        f"D{int(session)}:{int(turn)}"
        for each in raw.get("evidence") or ()
        for session, turn in _EVIDENCE.findall(each)
    )
    return frozenset(key for key in named if key in keys)


def _time(words: str) -> int:
    if not words:
        return 0
    said = datetime.strptime(words.upper(), "%I:%M %p ON %d %B, %Y").replace(tzinfo=UTC)
    return int(said.timestamp() * 1000)
