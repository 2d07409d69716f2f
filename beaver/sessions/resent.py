"""Compares the history a client sends again with the stored one, pure: does it go on, and if not, where did they part?

A turn is a user's message and the answer to it. What is compared is what clients can see: texts, but for white space.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from beaver.sessions.records import Said


@dataclass(frozen=True)
class ResentTurn:
    """A turn as the client tells it. `answer` is None where it tells of none."""

    user: str
    answer: str | None


@dataclass(frozen=True)
class StoredTurn:
    """A stored turn. `answers` are the forms in which clients saw its answer; `last_event_id` is its last message.

    There is no answer where the run failed, was stopped, or is still under way (`running`).
    """

    user: str
    answers: tuple[str, ...]
    last_event_id: int
    running: bool = False


@dataclass(frozen=True)
class GoesOn:
    """The client's history is the stored one, or the newest part of it: the session goes on."""


@dataclass(frozen=True)
class Parts:
    """They part after `turns` common ones; `after_event` is the last event in common, 0 for none."""

    turns: int
    after_event: int


def resent_turns(messages: Iterable[tuple[str, str]]) -> tuple[ResentTurn, ...]:
    """The turns in a client's (role, text) messages; roles other than user and assistant, and blank texts, say nothing."""
    turns: list[ResentTurn] = []
    for role, text in messages:
        if not text.strip():
            continue
        if role == "user":
            turns.append(ResentTurn(text, None))
        elif role == "assistant" and turns:
            turns[-1] = ResentTurn(turns[-1].user, "\n".join(filter(None, (turns[-1].answer, text))))
    return tuple(turns)


def stored_turns(events: Sequence[Said], *, busy: bool = False) -> tuple[StoredTurn, ...]:
    """The turns in a session's messages; with `busy` the last one, if it has no answer, is under way."""
    starts = [index for index, event in enumerate(events) if event.role == "user"]
    ends = [*starts[1:], len(events)]
    turns = [_stored_turn(events[start:end]) for start, end in zip(starts, ends, strict=True)]
    if turns and busy and not turns[-1].answers:
        turns[-1] = StoredTurn(turns[-1].user, (), turns[-1].last_event_id, running=True)
    return tuple(turns)


def _stored_turn(events: Sequence[Said]) -> StoredTurn:
    said = [event for event in events if event.role == "assistant"]
    answered = bool(said) and events[-1] is said[-1] and not said[-1].payload.get("tool_calls")
    # A stream shows all that is said, before tools too; an answer in one piece is the last message alone.
    forms = (said[-1].content, "".join(event.content for event in said)) if answered else ()
    return StoredTurn(events[0].content, forms, events[-1].id)


def has_begun(stored: Iterable[StoredTurn]) -> bool:
    """Whether there is anything that a client can part from: an answer, or a run that works on one."""
    return any(turn.answers or turn.running for turn in stored)


def compare(stored: Sequence[StoredTurn], resent: Sequence[ResentTurn]) -> GoesOn | Parts:
    """Whether the resent turns are the newest stored ones (clients may leave old ones out); else where they part.

    To tell nothing of a stored turn is to part at the beginning.
    """
    if _tails_agree(stored, resent):
        return GoesOn()
    ways = (_common_from(stored, resent, start) for start in range(len(stored)))
    return max(ways, key=lambda parts: parts.turns, default=Parts(0, 0))


def _tails_agree(stored: Sequence[StoredTurn], resent: Sequence[ResentTurn]) -> bool:
    matched, left, told = _walk(stored[::-1], resent[::-1])
    return bool(matched) and (left == len(stored) or told == len(resent))


def _common_from(stored: Sequence[StoredTurn], resent: Sequence[ResentTurn], start: int) -> Parts:
    matched, _, _ = _walk(stored[start:], resent)
    return Parts(len(matched), matched[-1].last_event_id if matched else 0)


def _walk(stored: Sequence[StoredTurn], resent: Sequence[ResentTurn]) -> tuple[list[StoredTurn], int, int]:
    """Side by side as long as they agree: the stored turns that matched, and how many of each side were passed.

    A turn without an answer may be missing on the other side.
    """
    matched: list[StoredTurn] = []
    left = told = 0
    while left < len(stored) and told < len(resent):
        if _agree(stored[left], resent[told]):
            matched.append(stored[left])
            left, told = left + 1, told + 1
        elif not stored[left].answers and not stored[left].running:
            left += 1
        elif resent[told].answer is None:
            told += 1
        else:
            break
    return matched, left, told


def _agree(stored: StoredTurn, resent: ResentTurn) -> bool:
    asked, told = _plain(stored.user), _plain(resent.user)
    if resent.answer is None or not stored.answers:
        return asked == told
    answer = _plain(resent.answer)
    # A stream that was cut off leaves its beginning with the client. And front ends wrap what they found around a question,
    # but tell it without later: then the answer is what shows that it is the same.
    if any(_plain(form) == answer for form in stored.answers):
        return told in asked
    return asked == told and any(_plain(form).startswith(answer) for form in stored.answers)


def _plain(text: str) -> str:
    return " ".join(text.split())
