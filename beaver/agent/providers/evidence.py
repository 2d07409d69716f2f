"""What a prompt's messages know, each piece with where it came from; answers that were only extracts are left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from beaver.agent.messages import PromptMessage, ProviderRequest
from beaver.agent.providers.relevance import is_question, sentences

# What an offline answer is made of. They are also how such an answer is known again when memory brings it back; earlier
# releases ended it with a note.
KNOWN: Final = "From what is stored here:"
RELATED: Final = "Noted. What is stored here about it:"
NEAREST: Final = "Nothing stored here answers that for sure. The nearest is:"
NOTED: Final = "Noted; it is kept in this session."
UNKNOWN: Final = "Nothing stored here answers that. What you wrote is kept in this session."
EARLIER: Final = "earlier in this chat"
FORMER_NOTE: Final = (
    "(No model is configured, so this is only an extract. Set `provider` in .beaver/config.json to have one answer.)"
)

_OPENINGS: Final = "|".join(map(re.escape, (KNOWN, RELATED, NEAREST, NOTED, UNKNOWN)))
_SPEAKER_AT: Final = r"^(?i:user|assistant|beaver|[\w.-]{1,40} \(user\))\s*:\s*"
_SPEAKER: Final = re.compile(_SPEAKER_AT, re.M)
# Up to the next speaker, since a quote may have been cut anywhere.
_OWN_ANSWER: Final = re.compile(rf"(?:{_OPENINGS}).*?(?:{re.escape(FORMER_NOTE)}|(?={_SPEAKER_AT})|\Z)", re.M | re.S)
# A quote by itself; without its beginning, where its source is one that nobody writes by hand.
_OWN_QUOTE: Final = re.compile(
    r"^(?:- .*\(from memory|.*\((?:from memory of session [^()\n]+|from resource [^()\n]+|from (?:MEMORY|USER)\.md"
    r"|earlier in this chat|an earlier answer in this chat))\)$",
    re.M,
)
_SINCE: Final = re.compile(r"since (\d{4}-\d\d-\d\d)T[\d:]+Z:")
_NO_BRACKETS: Final = dict.fromkeys(map(ord, "()"))
_WHOLE_CHARACTERS_MAX: Final = 240
_QUOTE_CHARACTERS_MAX: Final = 300
_SOURCE_CHARACTERS_MAX: Final = 80
_MODEL_ANSWER_WEIGHT: Final = 0.6
_OUTDATED_WEIGHT: Final = 0.5


@dataclass(frozen=True)
class Evidence:
    """A statement to quote, where it came from, and how far to trust it (1: somebody said it; less: a model did)."""

    text: str
    source: str
    weight: float = 1.0


def gather(request: ProviderRequest) -> list[Evidence]:
    """Everything the messages state, what was said latest first; no questions, no repetition, nothing of the prompt itself.

    What memory holds of this chat's own words is a repetition too.
    """
    prompt = prompt_text(request)
    seen = {_key(prompt)}
    kept: list[Evidence] = []
    said: list[str] = []
    for evidence in _all(request):
        key = _key(evidence.text)
        if key in seen or (evidence.source.startswith("from ") and _is_among(said, evidence.text)):
            continue
        seen.add(key)
        kept.append(evidence)
        if evidence.source == EARLIER:
            said.append(_words(evidence.text))
    return kept


def prompt_text(request: ProviderRequest) -> str:
    """What the user asks now."""
    return next((message.text for message in reversed(request.messages) if message.label == "prompt"), "")


def _all(request: ProviderRequest) -> Iterator[Evidence]:
    history = [message for message in reversed(request.messages) if message.label == "history"]
    yield from _stated(history, "user", EARLIER, 1.0)
    for label, name in (("curated_user", "USER.md"), ("curated_memory", "MEMORY.md")):
        for message in request.messages:
            if message.label == label:
                yield from (Evidence(entry, f"from {name}") for entry in _entries(message.text))
    for message in request.messages:
        if message.label == "reference":
            yield from _recalled(message.text)
    yield from _stated(history, "assistant", "an earlier answer in this chat", _MODEL_ANSWER_WEIGHT)


def _stated(history: list[PromptMessage], role: str, source: str, weight: float) -> Iterator[Evidence]:
    for message in history:
        if message.role == role:
            yield from (Evidence(text, source, weight) for text in _statements(message.text))


def _recalled(block: str) -> Iterator[Evidence]:
    for item in _items(block):
        text = item.get("text")
        if isinstance(text, str):
            weight = _OUTDATED_WEIGHT if item.get("outdated") else 1.0
            yield from (Evidence(statement, _source(item), weight) for statement in _statements(text))


def _source(item: Mapping[str, Any]) -> str:
    uri, session = item.get("uri"), item.get("session")
    if uri:
        return f"from resource {_printable(str(uri))}{_place(item)}"
    of_session = f" of session {_printable(str(session).removeprefix('chat:'))}" if session else ""
    return f"from memory{of_session}{_newer(str(item.get('outdated') or ''))}"


def _place(item: Mapping[str, Any]) -> str:
    """Where in a document a quote begins."""
    page, section = item.get("page"), str(item.get("section") or "").translate(_NO_BRACKETS)
    told = (f"page {page}" if page else "", f"under {_printable(section)}" if section else "")
    return "".join(f", {one}" for one in told if one)


def _newer(outdated: str) -> str:
    """What took the place of something in a quote, by its day."""
    told = _SINCE.sub(r"since \1:", outdated).translate(_NO_BRACKETS)
    return f"; {_printable(told)}" if told else ""


def _items(block: str) -> list[Mapping[str, Any]]:
    """The recalled items of a reference message: the JSON list that starts on a line of its own."""
    start = re.search(r"^\[", block, re.M)
    if start is None:
        return []
    try:
        items, _ = json.JSONDecoder().raw_decode(block, start.start())
    except ValueError:
        return []
    return [item for item in items if isinstance(item, dict)]


def _entries(block: str) -> list[str]:
    """The entries of a curated block, without its heading and the lines in brackets that stand for what is not shown."""
    body = block.partition("\n\n")[2] if block.startswith("#") else block
    shown = "\n".join(line for line in body.splitlines() if not re.fullmatch(r"\s*\[.*\]\s*", line))
    return [_one_line(entry) for entry in re.split(r"^\s*§\s*$", shown, flags=re.M) if entry.strip()]


_WORD: Final = re.compile(r"\w+")
_FACT: Final = re.compile(r"[^:.]{1,40}: [^:]+")


def _statements(text: str) -> list[str]:
    """What the text states: whole when it is short, else sentence by sentence."""
    stated = [_one_line(sentence) for sentence in sentences(_without_own_answers(text)) if not is_question(sentence)]
    stated = _without_repeats(stated)
    whole = " ".join(stated)
    return ([whole] if whole else []) if len(whole) <= _WHOLE_CHARACTERS_MAX else stated


def _without_repeats(stated: list[str]) -> list[str]:
    """Without what another statement says too: a memory has a title, the sentence that it is from, and facts such as
    `lives in: Lyon`.
    """
    keys = [_key(each) for each in stated]
    kept = [
        not any(
            _says(other, key) and (other != key or before < at) for before, other in enumerate(keys) if before != at
        )
        for at, key in enumerate(keys)
    ]
    return [each for each, stays in zip(stated, kept, strict=True) if stays]


def _says(other: str, key: str) -> bool:
    """Whether a statement says what another one does, a fact by its value; two facts are two."""
    if other == key:
        return True
    said = key.partition(": ")[2] if _FACT.fullmatch(key) and not _FACT.fullmatch(other) else key
    return f" {said} " in f" {other} "


def _is_among(said: Iterable[str], text: str) -> bool:
    """Whether somebody said just this, alone or in the middle of more."""
    words = f" {_words(text)} "
    return any(words in f" {each} " for each in said)


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _without_own_answers(text: str) -> str:
    text = _OWN_ANSWER.sub("\n", text)
    text = text.rpartition(FORMER_NOTE)[2]  # an own answer whose beginning was cut off
    return _SPEAKER.sub("", _OWN_QUOTE.sub("", text))


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTE_CHARACTERS_MAX else f"{line[:_QUOTE_CHARACTERS_MAX].rstrip()}…"


def _printable(text: str) -> str:
    return "".join(character for character in text if character.isprintable())[:_SOURCE_CHARACTERS_MAX]


def _key(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!。！ ")
