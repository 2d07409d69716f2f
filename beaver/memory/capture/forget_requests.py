"""What users ask to be forgotten, pure: "Forget that I live in Paris" is an order, no statement. Precision before recall."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from beaver.memory.capture.language import Language, ToForget
from beaver.memory.capture.matching import END_MARKS
from beaver.memory.capture.rules import SENTENCES_LEARNED, sentences_read
from beaver.memory.capture.sentences import Sentence
from beaver.memory.retrieval.beside.telling import tells
from beaver.memory.transcripts.said import SaidMessage

WISHES_MAX: Final = 5
"""Wishes of one message that are heard: who asks for more at once has pasted a list."""
_MAYBE: Final = re.compile(
    r"forget|remembering|remember|delete|erase|remove|drop|wipe|clear|忘|记|記|删|刪|清|抹|移", re.IGNORECASE
)


@dataclass(frozen=True)
class ForgetRequest:
    """What a message asks to be taken back: `statements` that are to hold no longer, in the speaker's words, and `attributes` of
    the speaker, whatever their values are (`my address`). `last`: what they had said in their message before. `too_much`: it asks
    for all there is of something, which nothing is done about."""

    message: SaidMessage
    statements: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    last: bool = False
    too_much: bool = False


@dataclass(frozen=True)
class Heard:
    """The requests among messages, in order, and the messages without the sentences that make them, or tell within the same
    message what is to be forgotten: these state nothing."""

    requests: Sequence[ForgetRequest]
    others: Sequence[SaidMessage]


def hear(messages: Sequence[SaidMessage], user_id: str) -> Heard:
    """Requests by the user's own messages alone: no assistant, other speaker, quotation or recalled text asks for any."""
    requests, others = list[ForgetRequest](), list[SaidMessage]()
    for message in messages:
        asked = list(_asked(message)) if _may_ask(message, user_id) else []
        if not asked:
            others.append(message)
            continue
        request = _request(message, [wish for _, wish in asked])
        requests.append(request)
        rest = _without(message.content, [*(sentence.text for sentence, _ in asked), *_told(request)])
        if rest.strip():
            others.append(replace(message, content=rest))
    return Heard(requests, others)


def _may_ask(message: SaidMessage, user_id: str) -> bool:
    return message.role == "user" and message.speaker == user_id and _MAYBE.search(message.content) is not None


def _asked(message: SaidMessage) -> Iterator[tuple[Sentence, ForgetRequest]]:
    """The sentences that ask for something, before a text that is handed over to be worked on; of a longer message, which tells a
    story or was pasted, none."""
    said = sentences_read(message.content)
    for number, (sentence, language) in enumerate(said if len(said) <= SENTENCES_LEARNED else ()):
        if language.unread.payload.search(sentence.plain):
            return
        wish = _wish(message, sentence, language)
        # Behind another sentence "what I just said" is that one: then the whole message is not for memory.
        if wish is not None and not (wish.last and number > 0):
            yield sentence, wish


def _wish(message: SaidMessage, sentence: Sentence, language: Language) -> ForgetRequest | None:
    forget = language.forget
    plain = forget.ending.sub("", sentence.plain.rstrip(END_MARKS)).rstrip(END_MARKS)
    is_question = plain.endswith(("?", "？"))
    plain = plain.rstrip("?？ ")
    if any(pattern.match(plain) for pattern in forget.everything):
        return None if is_question else ForgetRequest(message, too_much=True)
    if forget.last.match(plain) and not is_question:
        return ForgetRequest(message, last=True)
    for pattern in forget.attribute:
        if (found := pattern.match(plain)) and _is_order(found, is_question=is_question):
            return ForgetRequest(message, attributes=(found["what"].strip(),))
    if forget.unsure.search(plain):
        return None
    for pattern in forget.statement:
        if (found := pattern.match(plain)) and _is_order(found, is_question=is_question):
            start, end = found.span("what")
            return ForgetRequest(message, statements=_statements(sentence.text[start:end], forget))
    return None


def _is_order(found: re.Match[str], *, is_question: bool) -> bool:
    """With a question's mark only "can you …" is one."""
    return not is_question or bool(found.groupdict().get("asked"))


def _statements(what: str, forget: ToForget) -> tuple[str, ...]:
    """Each of those that `and` joins, without its reasons."""
    parts, start = list[str](), 0
    for mark in forget.parted.finditer(what):
        parts.append(what[start : mark.start()])
        start = mark.end()
    said = (forget.reason.sub("", part).strip(END_MARKS) for part in (*parts, what[start:]))
    return tuple(dict.fromkeys(one for one in said if one))


def _request(message: SaidMessage, wishes: Sequence[ForgetRequest]) -> ForgetRequest:
    some = wishes[:WISHES_MAX]
    return ForgetRequest(
        message,
        tuple(dict.fromkeys(one for wish in some for one in wish.statements)),
        tuple(dict.fromkeys(one for wish in some for one in wish.attributes)),
        any(wish.last for wish in some),
        any(wish.too_much for wish in some),
    )


def _told(request: ForgetRequest) -> list[str]:
    """What else the message says of it."""
    said = [sentence.text for sentence, _ in sentences_read(request.message.content)]
    return [one for one in said if any(tells(one, statement) for statement in request.statements)]


def _without(content: str, sentences: Sequence[str]) -> str:
    """The content without these; nothing of it where one cannot be found as it was read."""
    for sentence in dict.fromkeys(sentences):
        as_typed = re.compile(r"\s+".join(map(re.escape, sentence.split())))
        content, found = as_typed.subn(" ", content, count=1)
        if not found:
            return ""
    return content
