"""From a finished turn to kept items: gate, likeness, quotas, tombstones, shadow mode, and the way to the Gateway."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from beaver.agent.messages import PromptMessage
from beaver.agent.middleware import ToolOutput, TurnContext, TurnOutput
from beaver.agent.policy.candidates import DAY_MS, Candidate
from beaver.agent.policy.denylist import Denylist
from beaver.agent.policy.likeness import normalised_hash
from beaver.agent.policy.observer import WriteObserver
from beaver.agent.policy.stores import ItemType
from beaver.agent.policy.switch import StoredSwitch
from beaver.agent.policy.writer import FinishedTurn, ItemWriter
from beaver.agent.policy.writing import WritingMiddleware
from beaver.cli.local_memory.capture import rule_capture
from beaver.clock import system_clock
from beaver.db.tables import distilled_outbox
from beaver.redaction import Redactor
from beaver.server.telemetry.registry import Telemetry
from beaver.sessions.memory.switch_store import SwitchStore
from beaver.sessions.memory.tombstone_store import TombstoneStore
from beaver.sessions.memory.turn_store import GatedTurn, MemoryTurnStore
from tests.contract.local_memory.desk import LINTER, OWNER, Desk


async def test_what_was_said_for_good_is_kept_and_sent_and_chatter_is_not(wide_desk: Desk) -> None:
    desk = wide_desk
    kept = await desk.say(f"Hello there! {LINTER}. What is the weather like?")

    assert (kept.attempted, kept.accepted, kept.remote) == (1, 1, 1)
    assert await desk.texts() == await desk.sent() == [LINTER]


async def test_what_is_sent_ends_when_its_item_does(wide_desk: Desk) -> None:
    desk = wide_desk
    began_ms = system_clock()
    await desk.keep(Candidate("todo", "Water the orchids in the office", 0.9, "model"))
    await desk.say(LINTER)

    async with desk.database.read() as tx:
        shown = select(distilled_outbox.c.content, distilled_outbox.c.expires_ms)
        ends = {row.content: row.expires_ms for row in await tx.execute(shown)}
    assert ends[LINTER] is None
    assert ends["Water the orchids in the office"] >= began_ms + 30 * DAY_MS


async def test_a_secret_never_reaches_the_store_nor_the_way_to_the_gateway(desk: Desk) -> None:
    text = "The staging account belongs to ada@example.org and nobody else"
    await desk.keep(Candidate("fact", text, 0.9, "model"))

    assert await desk.texts() == await desk.sent() == [text.replace("ada@example.org", "[REDACTED:email]")]


async def test_the_same_again_is_counted_and_not_kept_twice(desk: Desk) -> None:
    await desk.say(LINTER)
    again = await desk.say(f"{LINTER}!")

    assert (again.accepted, again.deduped, again.remote) == (0, 1, 0)
    assert await desk.texts() == [LINTER]


async def test_what_contradicts_takes_the_old_ones_place_and_the_old_is_history(desk: Desk) -> None:
    await desk.say("Always deploy on Friday afternoons")
    changed = await desk.say("Never deploy on Friday afternoons")

    assert (changed.accepted, changed.superseded) == (1, 1)
    assert await desk.texts() == ["Never deploy on Friday afternoons"]


@pytest.mark.parametrize(
    ("kind", "said", "corrected"),
    [
        ("fact", "I live in Lyon", "I moved to Turin"),
        ("fact", "My name is Ada", "My name is Grace"),
        ("fact", "I work at Acme Corporation", "I work at Initech now"),
        ("fact", "our deploy day is Friday", "our deploy day is Monday"),
        ("preference", "I prefer dark mode in the editor", "I prefer light mode in the editor"),
        ("rule", "Always indent with 4 spaces", "Always indent with 2 spaces"),
        ("fact", "我住在北京", "我现在住在上海"),
        ("fact", "我最喜欢的颜色是绿色", "我最喜欢的颜色是蓝色"),
        ("fact", "测试服务器的端口是8443", "测试服务器的端口是9443"),
        ("rule", "以后请用制表符缩进", "以后请用空格缩进"),
    ],
)
async def test_of_a_plain_correction_the_new_alone_is_kept_and_sent(
    desk: Desk, kind: ItemType, said: str, corrected: str
) -> None:
    await desk.keep(Candidate(kind, said, 0.9, "rules"))
    assert await desk.sent() == await desk.texts() == [said]
    changed = await desk.keep(Candidate(kind, corrected, 0.9, "rules"))

    assert (changed.accepted, changed.superseded) == (1, 1)
    assert await desk.sent() == await desk.texts() == [corrected]


async def test_three_a_turn_and_thirty_a_day_are_enough(wide_desk: Desk) -> None:
    desk = wide_desk
    facts = [
        Candidate("fact", f"The {animal} colony lives near {lake} lake", 0.9, "model")
        for animal, lake in zip(
            ["otter", "heron", "badger", "marten"], ["upper", "lower", "eastern", "frozen"], strict=True
        )
    ]
    first = await desk.keep(*facts)
    assert (first.accepted, first.rejected) == (3, {"quota_turn": 1})
    async with desk.database.write() as tx:
        earlier = GatedTurn("earlier", "default", "ada", "write", 27, 27, 0, 0, 0)
        await MemoryTurnStore(desk.database.dialect).note(tx, earlier)

    over = await desk.say(LINTER)

    assert (over.accepted, over.rejected) == (0, {"quota_day": 1})


async def test_fifteen_of_a_hundred_turns_are_sent_and_the_rest_stays_here(wide_desk: Desk) -> None:
    desk = wide_desk
    async with desk.database.write() as tx:
        turns = MemoryTurnStore(desk.database.dialect)
        for number in range(99):
            sent = 1 if number < 15 else 0
            await turns.note(tx, GatedTurn(f"old_{number}", "default", "ada", "write", 0, 0, 0, 0, sent))
    held_back = await desk.say(LINTER)
    assert (held_back.accepted, held_back.remote, held_back.rejected) == (1, 0, {"quota_remote": 1})

    next_one = await desk.say("We decided to use PostgreSQL for the archive")
    assert (next_one.accepted, next_one.remote) == (1, 1)


async def test_shadow_mode_counts_and_keeps_nothing(wide_desk: Desk) -> None:
    desk = wide_desk
    counted = await desk.say(LINTER, mode="shadow")

    assert (counted.mode, counted.accepted, counted.remote) == ("shadow", 1, 0)
    assert await desk.texts() == await desk.sent() == []
    async with desk.database.read() as tx:
        figures = await MemoryTurnStore(desk.database.dialect).figures(tx, "default", "ada")
        spent = await MemoryTurnStore(desk.database.dialect).spent(tx, "default", "ada")
    assert (figures.turns, figures.attempted, figures.accepted) == (1, 1, 1)
    assert (spent.today, spent.remote) == (0, 0)


async def test_a_tombstone_blocks_what_was_forgotten_for_its_user_alone(wide_desk: Desk) -> None:
    desk = wide_desk
    async with desk.database.write() as tx:
        stones = TombstoneStore(desk.database.dialect)
        await stones.bury(tx, "default", "ada", "m_1", normalised_hash(LINTER), "cli:ada")
    assert (await desk.say(f"{LINTER}.")).rejected == {"forgotten": 1}
    for other in (replace(OWNER, user="bob"), replace(OWNER, tenant="other")):
        assert (await desk.say(LINTER, owner=other)).accepted == 1
    async with desk.database.read() as tx:
        [stone] = await stones.list(tx, "default", "ada")
    assert LINTER not in repr(stone)
    assert (stone.item_id, stone.actor) == ("m_1", "cli:ada")


async def test_two_tenants_that_share_all_else_share_no_item_and_no_quota(desk: Desk) -> None:
    other = replace(OWNER, tenant="other")
    await desk.say(LINTER)
    theirs = await desk.say(LINTER, owner=other)

    assert (theirs.accepted, theirs.deduped) == (1, 0)
    async with desk.database.read() as tx:
        spent = await MemoryTurnStore(desk.database.dialect).spent(tx, "other", "ada")
    assert spent.today == 1


async def test_a_denied_project_keeps_nothing(desk: Desk) -> None:
    writer = desk.writer(denylist=Denylist(projects=("default",)))
    kept = await writer.keep(FinishedTurn(OWNER, "run_x", "stop", "", (), tuple(rule_capture(LINTER))))

    assert kept.rejected == {"denied": 1}


def middleware(desk: Desk, observer: WriteObserver | None = None) -> WritingMiddleware:
    async def extract(said: str, _answer: str) -> list[Candidate]:
        return rule_capture(said)

    owner = replace(OWNER, session="")
    return WritingMiddleware(
        owner, desk.writer(), extract, StoredSwitch(desk.database), credentials=Redactor(), observer=observer
    )


def context(prompt: str, run_id: str = "run_1", **changes: Any) -> TurnContext:
    return replace(TurnContext("s1", run_id, prompt, ()), **changes)


DONE = TurnOutput("Noted.", "stop", ())


async def test_the_middleware_remembers_in_the_background_and_tells_how_much(desk: Desk) -> None:
    telemetry = Telemetry()
    hook = middleware(desk, observer=telemetry.recall)
    await hook.after_prompt(context(f"{LINTER}. Never lint."), DONE)
    await hook.aclose()

    assert await desk.texts() == [LINTER]
    told = telemetry.exposition().decode()
    assert 'beaver_memory_candidates_total{outcome="kept"} 1.0' in told
    assert 'beaver_memory_candidates_total{outcome="sent"} 1.0' in told


async def test_a_verified_fix_comes_from_the_tools_results(desk: Desk) -> None:
    hook = middleware(desk)
    turn = context("make the tests pass")
    await hook.on_tool_result(turn, ToolOutput("shell", "ModuleNotFoundError: No module named 'numpy'", is_error=True))
    await hook.on_tool_result(turn, ToolOutput("shell", "12 passed", is_error=False))
    await hook.after_prompt(turn, TurnOutput("Fixed by installing numpy.", "stop", ("shell",)))
    await hook.aclose()

    assert await desk.texts() == [
        "shell failed (ModuleNotFoundError: No module named 'numpy'); Fixed by installing numpy."
    ]


async def test_a_machines_turn_and_a_session_that_is_off_leave_nothing(desk: Desk) -> None:
    hook = middleware(desk)
    async with desk.database.write() as tx:
        await SwitchStore(desk.database.dialect).switch(tx, "s2", "ada", off=True)
    await hook.after_prompt(context(LINTER, by_machine=True), DONE)
    await hook.after_prompt(context(LINTER, "run_2", session_id="s2"), DONE)
    await hook.aclose()

    assert await desk.texts() == []


async def test_what_was_recalled_into_the_prompt_is_not_learned_from_it(desk: Desk) -> None:
    async def extract(_said: str, _answer: str) -> list[Candidate]:
        return [Candidate("rule", LINTER, 0.9, "model")]

    hook = WritingMiddleware(
        replace(OWNER, session=""), desk.writer(), extract, StoredSwitch(desk.database), credentials=Redactor()
    )
    recalled = PromptMessage("user", f'{{"text": "{LINTER}"}}', "reference")
    await hook.after_prompt(context("What are our rules here?", references=(recalled,)), DONE)
    await hook.aclose()

    assert await desk.texts() == []


async def test_a_store_that_fails_costs_nobody_anything(desk: Desk) -> None:
    hook = middleware(desk)
    await desk.store.close()
    await desk.database.close()
    await hook.after_prompt(context(LINTER), DONE)
    await hook.aclose()

    assert hook._tasks == set()


async def test_an_item_past_its_time_is_known_no_more_and_may_be_said_again(desk: Desk) -> None:
    long_ago = ItemWriter(
        desk.store,
        desk.database,
        mode="write",
        denylist=Denylist(),
        credentials=Redactor(),
        clock=lambda: system_clock() - 31 * DAY_MS,
    )
    todo = Candidate("todo", "Send the quarterly report to Ada", 0.9, "rules")
    await long_ago.keep(FinishedTurn(OWNER, "run_old", "stop", "", (), (todo,)))
    assert await desk.texts() == []

    await desk.keep(todo)
    assert await desk.texts() == [todo.text]
