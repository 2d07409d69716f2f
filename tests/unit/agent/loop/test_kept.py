"""What a server keeps of histories changes no prompt: whatever happened meanwhile, it is as if all were read."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pytest

from beaver.agent import past
from beaver.agent.context import PromptParts, build_messages, history_budget
from beaver.agent.kept import KeptHistories, KeptHistory, SaidTurn
from beaver.agent.messages import PromptMessage
from beaver.agent.providers.scripted import Step
from beaver.agent.transcript import to_history
from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.sessions.forks import ForkStore
from beaver.sessions.history import from_first_question, repair
from beaver.sessions.past import FEW_MESSAGES, page_back
from beaver.sessions.records import Said
from beaver.sessions.run_again import unanswered_before
from beaver.sessions.store import SessionStore
from tests.support.engine import IDENTITY, SESSION, Engine, Tells, asks, engine, says
from tests.unit.agent.loop.test_past import told_before

MESSAGES_MAX: Final = 24
# Of the first hundred seeds, one of those with which the most faults that were put in on purpose were found soon.
SEED: Final = 2
TURNS: Final = 45
CONTEXT: Final[dict[str, Any]] = {"context_tokens_max": 600, "output_tokens_max": 100}
AWAY: Final = Unavailable("away")
LOOKS: Final = asks(("look", {}))
LOOK: Final = Tells("look", "what was found " * 12)
OUTCOMES: Final[dict[str, Sequence[Step]]] = {
    "answered": [says("an answer of some words")],
    "at length": [says("a long answer " * 20)],
    "blank": [says("")],
    "failed": [AWAY],
    "with tools": [LOOKS, LOOKS, says("found")],
    "with many tools": [*[LOOKS] * 7, says("found at last")],
    "failed with tools": [LOOKS, AWAY],
    "failed with many tools": [*[LOOKS] * 3, AWAY],
}


@dataclass(frozen=True)
class Asked:
    """A turn at one of the servers."""

    server: int
    session_id: str
    prompt: str
    outcome: str


@dataclass(frozen=True)
class Forked:
    """A session is begun anew as a fork of the other, up to one of its messages."""

    session_id: str
    parent_id: str
    at: float


@dataclass(frozen=True)
class Deleted:
    """A session is deleted."""

    session_id: str


Happening = Asked | Forked | Deleted


def happenings(chance: random.Random, count: int) -> list[Happening]:
    """What may happen to two sessions at two servers, mostly turns."""
    return [_happening(chance) for _ in range(count)]


def _happening(chance: random.Random) -> Happening:
    one, other = chance.sample(("s-1", "s-2"), 2)
    match chance.random():
        case dice if dice < 0.06:
            return Deleted(one)
        case dice if dice < 0.12:
            return Forked(one, other, chance.random())
    # Few different prompts: a question is often asked again.
    return Asked(chance.randrange(2), one, chance.choice(("where?", "why?")), chance.choice(list(OUTCOMES)))


def servers(database: Database, plan: Sequence[Happening]) -> list[Engine]:
    """Two servers over one database, each told what it will answer."""
    steps = [
        [step for each in plan if isinstance(each, Asked) and each.server == server for step in OUTCOMES[each.outcome]]
        for server in range(2)
    ]
    return [engine(database, each, tools=[LOOK], **CONTEXT) for each in steps]


async def prompt_without_keeping(built: Engine, asked: Asked) -> tuple[PromptMessage, ...]:
    """The history in the prompt of a turn, made of all that stands in the session."""
    async with built.database.read() as tx:
        everything = [event for event in await built.sessions.events(tx, asked.session_id) if event.role is not None]
    said = [event for event in everything if event.context_visible]
    said = said[: len(said) - len(unanswered_before(said, asked.prompt))]
    newest = said[-MESSAGES_MAX:]
    history = to_history(repair(newest if newest == said else from_first_question(newest)))
    parts = PromptParts(IDENTITY, asked.prompt, history=history)
    tokens_max = history_budget(CONTEXT["context_tokens_max"], CONTEXT["output_tokens_max"], [LOOK.spec])
    return tuple(message for message in build_messages(parts, tokens_max=tokens_max) if message.label == "history")


async def happens(database: Database, happening: Forked | Deleted) -> None:
    sessions, forks = SessionStore(database.dialect), ForkStore(database.dialect)
    async with database.write() as tx:
        await sessions.delete_session(tx, happening.session_id)
        if isinstance(happening, Forked) and await sessions.find_session(tx, happening.parent_id):
            said = await sessions.history(tx, happening.parent_id)
            after = said[int(len(said) * happening.at)].id if said else 0
            await forks.fork(tx, happening.parent_id, happening.session_id, after_event=after)


async def test_a_prompt_is_the_same_as_without_keeping(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "HISTORY_MESSAGES_MAX", MESSAGES_MAX)
    plan = happenings(random.Random(SEED), TURNS)
    both = servers(database, plan)
    for happening in plan:
        if not isinstance(happening, Asked):
            await happens(database, happening)
            continue
        asking = both[happening.server]
        expected = await prompt_without_keeping(asking, happening)
        asked_before = len(asking.provider.requests)
        await asking.ask(happening.prompt, happening.session_id)
        prompt = asking.provider.requests[asked_before].messages
        assert tuple(message for message in prompt if message.label == "history") == expected


async def test_the_next_turn_reads_what_is_new_and_no_more(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await told_before(sqlite_database, *(f"{number}" for number in range(300)))
    built = engine(sqlite_database, [says("hello")])
    await built.ask("go on")
    read = _watched_pages(monkeypatch)
    await built.ask("and on")
    assert read == [FEW_MESSAGES]
    assert len(built.provider.requests[-1].messages) == len(built.provider.requests[0].messages) + 2


def _watched_pages(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the pages that are read from now on."""
    read: list[int] = []

    async def watched(*arguments: object, **named: object) -> object:
        read.append(arguments[2])  # type: ignore[arg-type]
        return await page_back(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(past, "page_back", watched)
    return read


def turn(event_id: int, text: str = "hello") -> SaidTurn:
    return SaidTurn.of([Said(event_id, "user", text, {}), Said(event_id + 1, "assistant", text, {})])


def test_a_turn_is_known_by_its_last_message_as_it_stands() -> None:
    kept = KeptHistory((turn(5), turn(3), turn(1)), has_more=True)
    assert kept.until(Said(4, "assistant", "hello", {})) == kept.turns[1:]
    assert kept.until(Said(4, "assistant", "another database's", {})) == ()
    assert kept.until(Said(3, "user", "hello", {})) == ()
    assert kept.until(Said(7, "assistant", "hello", {})) == ()


def test_no_more_is_kept_than_the_most_and_the_one_used_last_stays() -> None:
    histories = KeptHistories(characters_max=5_000)
    for session in ("a", "b", "a", "c"):
        histories.keep(session, KeptHistory((turn(1, "x" * 1000),), has_more=False))
    assert histories.find("b") is None
    assert [each is not None for each in map(histories.find, ("a", "c"))] == [False, True]


def test_what_is_not_used_any_more_is_forgotten_with_the_next_turn() -> None:
    now = [0.0]
    histories = KeptHistories(kept_s=10, clock=lambda: now[0])
    histories.keep("a", KeptHistory((turn(1),), has_more=False))
    now[0] = 11
    histories.keep("b", KeptHistory((turn(1),), has_more=False))
    assert histories.find("a") is None
    assert histories.find("b") is not None


async def test_a_session_longer_than_is_kept_is_told_as_before(sqlite_database: Database) -> None:
    await told_before(sqlite_database, *(["word " * 40] * 60))
    built = engine(sqlite_database, [says("hello")], **CONTEXT)
    lengths = []
    for _ in range(3):
        await built.ask("go on", SESSION)
        lengths.append(len(built.provider.requests[-1].messages))
    assert lengths[0] < lengths[-1] < 20
