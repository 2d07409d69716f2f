"""One run of the agent over a real session database and a scripted provider."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from beaver.agent.loop import ANSWER_NOW, NO_ANSWER
from beaver.agent.messages import Completion, PromptMessage, ProviderRequest, TextDelta, Usage
from beaver.agent.middleware import Middleware, ToolOutput, TurnContext, TurnOutput
from beaver.agent.providers.scripted import Act, Pause
from beaver.agent.recording import LeaseTerms
from beaver.agent.results import Answered, RunEvent, RunRequest, RunStarted, ToolFinished, ToolStarted
from beaver.agent.skills import SkillLibrary
from beaver.agent.tools.base import ToolContext, ToolFailure
from beaver.db.engine import Database
from beaver.db.tables import leases
from beaver.errors import (
    BeaverError,
    Conflict,
    DeadlineExceeded,
    InvalidInput,
    LimitExceeded,
    PeerFault,
    Unauthenticated,
    Unavailable,
)
from beaver.sessions.leases import LeaseStore
from tests.support.engine import SESSION, Engine, Listener, Tells, asks, engine, says
from tests.support.waiting import wait_until

HANGS: list[Act] = [TextDelta("well, "), Pause(60)]


def texts(request: ProviderRequest, label: str) -> list[str]:
    return [message.text for message in request.messages if message.label == label]


async def test_a_turn_is_stored_as_two_messages_and_a_completed_run(database: Database) -> None:
    built = engine(database, [says("good day")])
    result = await built.ask("hello")
    assert (result.text, result.stop_reason, result.error) == ("good day", "stop", None)
    assert [(message.role, message.text) for message in result.messages] == [
        ("user", "hello"),
        ("assistant", "good day"),
    ]
    assert await built.spoken() == [("user", "hello"), ("assistant", "good day")]
    (run,) = await built.runs()
    assert (run.id, run.status, run.stop_reason, run.error_code) == (result.run_id, "completed", "stop", None)
    assert (run.provider, run.model) == ("scripted", "script")
    assert run.usage == {"input_tokens": 10, "output_tokens": 2}
    assert result.usage == Usage(10, 2)


async def test_the_main_story_of_a_turn_with_tools_and_history(database: Database) -> None:
    tool = Tells(text="4")
    built = engine(
        database, [says("hello"), asks(("lookup", {"q": "2+2"}), text="let me see"), says("four")], tools=[tool]
    )
    await built.ask("hi")
    listener = Listener()
    result = await built.loop.run(RunRequest("2+2?", SESSION), listener)
    assert result.tools_used == ("lookup",)
    assert tool.calls == [{"q": "2+2"}]
    assert result.usage == Usage(20, 4)
    assert listener.kinds() == [*("RunStarted", "TextDelta", "ToolStarted", "ToolFinished", "TextDelta", "Answered")]
    assert listener.heard[0] == RunStarted(result.run_id, SESSION)
    assert ToolStarted("lookup") in listener.heard
    assert ToolFinished("lookup", ok=True) in listener.heard
    assert listener.heard[-1] == Answered("four")
    assert await built.spoken() == [
        *(("user", "hi"), ("assistant", "hello"), ("user", "2+2?")),
        *(("assistant", "let me see"), ("tool", "4"), ("assistant", "four")),
    ]
    last = built.provider.requests[-1].messages
    assert [(message.role, message.label) for message in last] == [
        ("system", "identity"),
        *(("user", "history"), ("assistant", "history"), ("user", "prompt")),
        *(("assistant", "history"), ("tool", "history")),
    ]


async def test_the_next_turn_sees_the_history_and_another_session_does_not(sqlite_database: Database) -> None:
    built = engine(sqlite_database, [says("noted")])
    await built.ask("my boat is blue")
    await built.ask("what colour?")
    await built.ask("what colour?", "s-2")
    known, unknown = built.provider.requests[1:]
    assert texts(known, "history") == ["my boat is blue", "noted"]
    assert texts(unknown, "history") == []


async def test_without_a_session_id_a_new_session_is_made(sqlite_database: Database) -> None:
    built = engine(sqlite_database, [says("hello")])
    first = await built.loop.run(RunRequest("hi"))
    second = await built.loop.run(RunRequest("hi"))
    assert first.session_id != second.session_id
    assert await built.spoken(first.session_id) == [("user", "hi"), ("assistant", "hello")]


async def test_the_answer_is_committed_before_it_is_told(sqlite_database: Database) -> None:
    built = engine(sqlite_database, [says("good day")])
    found: list[tuple[str, list[tuple[str | None, str]]]] = []

    async def emit(event: RunEvent) -> None:
        if isinstance(event, Answered):
            found.append(((await built.runs())[0].status, await built.spoken()))

    await built.loop.run(RunRequest("hello", SESSION), emit)
    assert found == [("completed", [("user", "hello"), ("assistant", "good day")])]


async def test_text_is_told_while_the_provider_speaks(sqlite_database: Database) -> None:
    listener = Listener()
    built = engine(sqlite_database, [HANGS])
    run = asyncio.create_task(built.loop.run(RunRequest("hello", SESSION), listener))

    async def heard() -> bool:
        return TextDelta("well, ") in listener.heard

    await wait_until(heard)
    assert not run.done()
    run.cancel()
    await asyncio.wait({run})


async def test_time_is_in_the_turns_metadata_and_the_system_prompt_stays_the_same_bytes(
    sqlite_database: Database,
) -> None:
    now = 1_780_000_000_000
    built = engine(sqlite_database, [says("hello")], clock=lambda: now)
    await built.ask("hi")
    now += 86_400_000
    await built.ask("hi again")
    first, second = built.provider.requests
    assert first.turn_metadata == {"time": "2026-05-28T20:26:40+00:00"}
    assert second.turn_metadata == {"time": "2026-05-29T20:26:40+00:00"}
    system = [[message for message in request.messages if message.role == "system"] for request in (first, second)]
    assert system[0] == system[1]
    assert "2026" not in str(system[0])


async def test_a_tools_failure_is_a_result_and_the_run_goes_on(sqlite_database: Database) -> None:
    class Fails(Tells):
        async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
            raise ToolFailure("nothing there")

    listener = Listener()
    built = engine(sqlite_database, [asks(("lookup", {}), ("absent", {})), says("sorry")], tools=[Fails()])
    result = await built.loop.run(RunRequest("find it", SESSION), listener)
    assert (result.text, result.error, result.tools_used) == ("sorry", None, ("lookup",))
    assert ToolFinished("lookup", ok=False) in listener.heard
    results = [event for event in await built.events() if event.role == "tool"]
    assert [event.payload["is_error"] for event in results] == [True, True]
    assert results[0].content == "nothing there"
    assert "There is no tool of that name" in results[1].content


async def test_tools_of_one_run_share_its_scratch_and_runs_do_not(sqlite_database: Database) -> None:
    class Counts(Tells):
        async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
            context.state["count"] = context.state.get("count", 0) + 1
            return f"{context.session_id} {context.state['count']}"

    built = engine(sqlite_database, [asks(("lookup", {}), ("lookup", {"n": 2})), says("ok")] * 2, tools=[Counts()])
    await built.ask("go")
    await built.ask("go")
    results = [text for role, text in await built.spoken() if role == "tool"]
    assert results == ["s-1 1", "s-1 2"] * 2


async def test_at_the_tool_limit_one_call_without_tools_asks_for_the_answer_and_nothing_is_lost(
    sqlite_database: Database,
) -> None:
    calls = [asks(("lookup", {"n": n})) for n in range(3)]
    built = engine(sqlite_database, [*calls, says("this is what I found")], tools=[Tells()], tool_rounds_max=3)
    result = await built.ask("dig")
    assert (result.text, result.stop_reason, result.error) == ("this is what I found", "tool_limit", None)
    last = built.provider.requests[-1]
    assert last.tools == ()
    assert last.messages[-1].text == ANSWER_NOW
    spoken = await built.spoken()
    assert [role for role, _ in spoken] == ["user", *["assistant", "tool"] * 3, "assistant"]
    assert ANSWER_NOW not in [text for _, text in spoken]
    assert (await built.runs())[0].status == "completed"


@pytest.mark.parametrize(
    "last", [Unavailable("gone"), says("  "), asks(("lookup", {}), text="one more")], ids=["error", "blank", "tools"]
)
async def test_at_the_tool_limit_a_fixed_text_stands_in_for_an_answer_that_does_not_come(
    sqlite_database: Database, last: Any
) -> None:
    built = engine(sqlite_database, [asks(("lookup", {})), last], tools=[Tells()], tool_rounds_max=1)
    listener = Listener()
    result = await built.loop.run(RunRequest("dig", SESSION), listener)
    assert (result.text, result.stop_reason, result.error) == (NO_ANSWER, "tool_limit", None)
    assert await built.spoken() == [("user", "dig"), ("assistant", ""), ("tool", "found it"), ("assistant", NO_ANSWER)]
    assert [event for event in listener.heard if isinstance(event, TextDelta | Answered)] == [
        TextDelta(NO_ANSWER),
        Answered(NO_ANSWER),
    ]


async def test_a_model_that_goes_in_circles_is_stopped_and_still_answers(sqlite_database: Database) -> None:
    def step(request: ProviderRequest) -> Completion:
        return asks(("lookup", {"q": "same"})) if request.tools else says("enough")

    tool = Tells()
    built = engine(sqlite_database, [step], tools=[tool])
    result = await built.ask("dig")
    assert (result.text, result.stop_reason, result.error) == ("enough", "loop_guard", None)
    assert len(tool.calls) == 5
    results = [text for role, text in await built.spoken() if role == "tool"]
    assert len(results) == 8
    assert "Warning" in results[1]
    assert all(text.startswith("Not run") for text in results[5:])


FAULTS = [
    Unavailable("scripted cannot be reached"),
    DeadlineExceeded("scripted did not answer"),
    LimitExceeded("scripted limits how much may be asked"),
    Unauthenticated("scripted does not know the key"),
    InvalidInput("prompt", "was refused"),
    PeerFault("scripted answered what cannot be read"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.code)
async def test_a_providers_fault_fails_the_run_keeps_the_prompt_and_tells_the_user(
    sqlite_database: Database, fault: BeaverError
) -> None:
    built = engine(sqlite_database, [[TextDelta("I was ab"), fault], says("here I am")])
    listener = Listener()
    result = await built.loop.run(RunRequest("hello", SESSION), listener)
    assert (result.stop_reason, result.error) == ("error", fault.code)
    assert str(fault) in result.text
    assert "Answered" not in listener.kinds()
    assert await built.spoken() == [("user", "hello")]
    (run,) = await built.runs()
    assert (run.status, run.error_code, run.stop_reason) == ("failed", fault.code, "error")
    assert (await built.ask("and now?")).text == "here I am"


async def test_a_provider_that_ends_without_completing_is_at_fault(sqlite_database: Database) -> None:
    class Ends:
        name, model = "ends", "early"

        async def stream(self, request: ProviderRequest) -> Any:
            yield TextDelta("I was ab")

        async def aclose(self) -> None:
            return

    built = engine(sqlite_database, [says("never")])
    built.loop._provider = Ends()
    assert (await built.ask("hello")).error == "peer_fault"


async def test_a_bug_goes_up_and_leaves_no_run_running(sqlite_database: Database) -> None:
    built = engine(sqlite_database, [RuntimeError("a bug")])
    with pytest.raises(RuntimeError, match="a bug"):
        await built.ask("hello")
    (run,) = await built.runs()
    assert (run.status, run.error_code) == ("failed", "internal")


@pytest.mark.parametrize(
    "request_", [RunRequest(" \n"), RunRequest("hi", "../etc"), RunRequest("hi", SESSION, skills=("absent",))]
)
async def test_a_request_that_breaks_a_rule_is_refused_before_anything_is_stored(
    sqlite_database: Database, request_: RunRequest
) -> None:
    built = engine(sqlite_database, [says("never")])
    with pytest.raises(InvalidInput):
        await built.loop.run(request_)
    assert built.provider.requests == []
    async with sqlite_database.read() as tx:
        assert await built.sessions.list_sessions(tx) == []


async def busy(built: Engine) -> asyncio.Task[Any]:
    """A run that holds the session and waits for its provider."""
    task = asyncio.create_task(built.ask("first"))

    async def asked() -> bool:
        return bool(built.provider.requests)

    await wait_until(asked)
    return task


async def test_a_busy_session_rejects_or_queues_as_the_request_says(database: Database) -> None:
    built = engine(database, [[Pause(0.4), says("one")], says("two")])
    first = await busy(built)
    with pytest.raises(Conflict):
        await built.ask("impatient", on_busy="reject")
    second = await built.ask("second")
    assert (await first).text == "one"
    assert second.text == "two"
    assert await built.spoken() == [("user", "first"), ("assistant", "one"), ("user", "second"), ("assistant", "two")]


async def test_sessions_run_side_by_side(sqlite_database: Database) -> None:
    built = engine(sqlite_database, [HANGS, says("quick")])
    slow = await busy(built)
    assert (await built.ask("hello", "s-2")).text == "quick"
    assert not slow.done()
    slow.cancel()
    await asyncio.wait({slow})


async def take_over(database: Database) -> None:
    """Another server takes the session, as it may once the lease has expired."""
    store = LeaseStore(database.dialect)
    async with database.write() as tx:
        await tx.execute(update(leases).values(expires_ms=0))
    async with database.write() as tx:
        assert await store.acquire(tx, SESSION, "run-elsewhere", "elsewhere", 30_000)


async def test_a_lost_lease_aborts_the_run_at_once(database: Database) -> None:
    built = engine(database, [HANGS], lease_terms=LeaseTerms("test", ttl_s=0.3))
    run = await busy(built)
    await take_over(database)
    result = await asyncio.wait_for(run, 10)
    assert (result.stop_reason, result.error) == ("error", "conflict")
    assert "another process took over" in result.text
    assert await built.spoken() == [("user", "first")]
    assert [row.run_id for row in await built.ledger()] == []
    assert (await built.runs())[0].status == "failed"


async def test_a_holder_that_stalled_cannot_store_its_answer(database: Database) -> None:
    class Stalls(Tells):
        async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
            await take_over(database)
            return "late"

    built = engine(database, [asks(("lookup", {})), says("never stored")], tools=[Stalls()])
    result = await built.ask("hello")
    assert result.error == "conflict"
    assert "never stored" not in str(await built.spoken())


async def test_a_listener_that_is_gone_does_not_cost_the_answer(sqlite_database: Database) -> None:
    heard: list[RunEvent] = []

    async def emit(event: RunEvent) -> None:
        heard.append(event)
        raise ConnectionResetError

    built = engine(sqlite_database, [says("good day to you")])
    result = await built.loop.run(RunRequest("hello", SESSION), emit)
    assert result.text == "good day to you"
    assert len(heard) == 1
    assert (await built.runs())[0].status == "completed"


async def test_activated_skills_reach_the_model_labelled_and_are_never_stored_as_the_users_words(
    sqlite_database: Database, tmp_path: Path
) -> None:
    (tmp_path / "sums").mkdir()
    (tmp_path / "sums" / "SKILL.md").write_text("---\nname: sums\ndescription: Adds.\n---\nCARRY THE ONE")
    built = engine(sqlite_database, [says("ok")], skills=SkillLibrary.load(tmp_path))
    await built.ask("add", skills=("sums",))
    await built.ask("again")
    first, second = built.provider.requests
    assert len(texts(first, "skill")) == 1
    assert "CARRY THE ONE" in texts(first, "skill")[0]
    assert "- sums: Adds." in texts(first, "skills")[0]
    assert texts(second, "skill") == []
    assert "CARRY THE ONE" not in str(second.messages)
    assert "CARRY THE ONE" not in str(await built.events())


async def test_text_that_no_database_takes_is_made_storable(database: Database) -> None:
    built = engine(database, [asks(("lookup", {"q": "\ud800\0"}), text="\udfff"), says("a\ud800b\0")], tools=[Tells()])
    result = await built.ask("hi \udc00\0")
    assert result.error is None
    assert await built.spoken() == [
        *(("user", "hi \ufffd\ufffd"), ("assistant", "\ufffd")),
        *(("tool", "found it"), ("assistant", "a\ufffdb\ufffd")),
    ]


async def test_a_blank_answer_completes_and_is_left_out_of_the_next_prompt(sqlite_database: Database) -> None:
    built = engine(sqlite_database, [says(""), says("now I know")])
    result = await built.ask("hello")
    assert (result.text, result.error) == ("", None)
    await built.ask("well?")
    assert [message.text for message in built.provider.requests[1].messages[1:]] == ["hello", "well?"]


async def test_long_histories_are_cut_by_whole_turns_to_fit_the_context(sqlite_database: Database) -> None:
    built = engine(sqlite_database, [says("yes " * 400)], context_tokens_max=1_300, output_tokens_max=500)
    for number in range(5):
        await built.ask(f"question {number}")
    last = built.provider.requests[-1]
    assert texts(last, "history") == ["question 3", "yes " * 400]
    assert texts(last, "prompt") == ["question 4"]


class Remembers(Middleware):
    def __init__(self) -> None:
        self.seen: list[Any] = []

    async def before_prompt(self, context: TurnContext) -> TurnContext:
        self.seen.append([message.text for message in context.history])
        return replace(context, references=(PromptMessage("user", "a hint", "reference"),))

    async def after_prompt(self, context: TurnContext, output: TurnOutput) -> None:
        self.seen.append(output)

    async def on_tool_result(self, context: TurnContext, output: ToolOutput) -> None:
        self.seen.append(output)


class Breaks(Middleware):
    async def before_prompt(self, context: TurnContext) -> TurnContext:
        raise RuntimeError("broken")


async def test_hooks_see_the_turn_and_may_add_references_that_are_not_stored(sqlite_database: Database) -> None:
    hook = Remembers()
    built = engine(
        sqlite_database,
        [says("hello"), asks(("lookup", {})), says("done")],
        tools=[Tells()],
        middlewares=[Breaks(), hook],
    )
    await built.ask("hi")
    await built.ask("find it")
    assert hook.seen == [
        *([], TurnOutput("hello", "stop", ())),
        *(["hi", "hello"], ToolOutput("lookup", "found it", is_error=False), TurnOutput("done", "stop", ("lookup",))),
    ]
    assert texts(built.provider.requests[-1], "reference") == ["a hint"]
    assert "a hint" not in str(await built.events())


async def test_hooks_are_not_told_of_an_answer_that_never_came(sqlite_database: Database) -> None:
    hook = Remembers()
    built = engine(sqlite_database, [Unavailable("gone")], middlewares=[hook])
    await built.ask("hi")
    assert hook.seen == [[]]
