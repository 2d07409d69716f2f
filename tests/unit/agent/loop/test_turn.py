"""One turn of the agent over a real session database and a scripted provider."""

from __future__ import annotations

import asyncio
from pathlib import Path

from beaver.agent.messages import TextDelta, Usage
from beaver.agent.results import Answered, RunEvent, RunRequest, RunStarted, ToolFinished, ToolStarted
from beaver.agent.skills import SkillLibrary
from beaver.db.engine import Database
from tests.support.engine import SESSION, Listener, Tells, asks, engine, says
from tests.support.waiting import wait_until
from tests.unit.agent.loop.scene import HANGS, texts


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
