"""The nine memory tools: what they answer, what they clamp, refuse and keep from whom."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from beaver.errors import Forbidden, InvalidInput, NotFound
from beaver.memory.observations.records import Trust
from beaver.memory.summaries.records import Summary
from beaver.memory.summaries.store import add_summary
from beaver.memory.tools.table import TOOLS
from beaver.memory.transcripts.store import ensure_conversation
from tests.contract.observations.scene import ADA, Scene, Told

CALLS: dict[str, dict[str, Any]] = {
    "memory_search": {"query": "tea"},
    "memory_timeline": {"id": "obs_0001"},
    "memory_get": {"ids": ["obs_0001"]},
    "memory_write": {"type": "event", "title": "Went to Rome"},
    "memory_history": {"id": "obs_0001"},
    "memory_people": {},
    "memory_sessions": {},
    "memory_files": {},
    "memory_alias": {"name": "Bo", "alias": "Robert"},
}


@pytest.fixture
async def lived_in(scene: Scene) -> Scene:
    """One observation of a person and a file, and a session with its summary."""
    await scene.add("Tea with Bo", "likes green tea", related_people=("Bo",), related_files=("tea.txt",))
    namespace_id = await scene.namespace_id()
    async with scene.database.write() as tx:
        conversation = await ensure_conversation(tx, namespace_id, "chat:s", scene.at_ms)
        summary = Summary("What of tea?", "Green it is.", ("green",), (), 1)
        await add_summary(tx, namespace_id, conversation.id, "sum_1", summary, scene.at_ms)
    return scene


def test_the_nine_tools_are_these() -> None:
    assert [tool.name for tool in TOOLS] == list(CALLS)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_schema_describes_every_argument_and_fits_the_calls(tool: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(tool.schema)
    jsonschema.validate(CALLS[tool.name], tool.schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**CALLS[tool.name], "colour": "blue"}, tool.schema)
    assert all("description" in argument for argument in tool.schema["properties"].values())


@pytest.mark.parametrize("name", CALLS)
async def test_every_tool_answers_json(lived_in: Scene, name: str) -> None:
    answer = await lived_in.tool(name, **CALLS[name])
    assert json.loads(json.dumps(answer)) == answer
    assert answer


@pytest.mark.parametrize("name", CALLS)
async def test_14_an_unknown_argument_is_named(lived_in: Scene, name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await lived_in.tool(name, **CALLS[name], colour="blue")
    assert (refused.value.field, refused.value.rule) == ("colour", "is not a known argument")


async def test_an_argument_that_is_no_name_is_not_repeated(lived_in: Scene) -> None:
    with pytest.raises(InvalidInput) as refused:
        await lived_in.tool("memory_people", **{"sk-123 secret": 1})
    assert refused.value.field == "(an argument)"


@pytest.mark.parametrize("name", CALLS)
async def test_public_trust_reaches_nothing(lived_in: Scene, name: str) -> None:
    with pytest.raises(Forbidden, match="public"):
        await lived_in.tool(name, "public", **CALLS[name])


@pytest.mark.parametrize("trust", ["inner", "familiar"])
async def test_less_trust_sees_nothing_private(lived_in: Scene, trust: Trust) -> None:
    assert await lived_in.tool("memory_search", trust, query="tea") == {"results": []}
    assert await lived_in.tool("memory_people", trust) == {"people": []}
    assert await lived_in.tool("memory_files", trust) == {"files": []}
    for name in ("memory_get", "memory_timeline", "memory_history", "memory_alias"):
        with pytest.raises(NotFound):
            await lived_in.tool(name, trust, **CALLS[name])
    with pytest.raises(NotFound):
        await lived_in.tool("memory_people", trust, name="Bo")
    with pytest.raises(Forbidden):
        await lived_in.tool("memory_sessions", trust)


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("memory_search", {"types": ["gossip"]}, "types.0"),
        ("memory_search", {"since": "yesterday"}, "since"),
        ("memory_search", {"limit": "many"}, "limit"),
        ("memory_get", {"ids": []}, "ids"),
        ("memory_get", {}, "ids"),
        ("memory_write", {"type": "event", "title": " "}, "title"),
        ("memory_write", {"type": "event", "title": "x", "store": "social"}, "store"),
        ("memory_forget", {}, "tool"),
    ],
)
async def test_what_breaks_a_rule_is_named(scene: Scene, name: str, arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await scene.tool(name, **arguments)
    assert refused.value.field == field


async def test_limits_are_clamped(scene: Scene) -> None:
    beside = scene.beside(Told())
    made = [await beside.add(f"Tea {number}", f"tea{number}") for number in range(55)]
    assert len((await scene.tool("memory_search", query="tea", limit=10**6, max_tokens=10**6))["results"]) == 50
    assert len((await scene.tool("memory_search", query="tea", limit=-3))["results"]) == 1
    around = await scene.tool("memory_timeline", id=made[30], before=99, after=-1)
    assert (len(around["before"]), len(around["after"])) == (20, 0)


async def test_a_search_says_why_and_filters(lived_in: Scene) -> None:
    await lived_in.add("Tea at work", "likes black tea", type="event")
    answer = await lived_in.tool("memory_search", query="green tea", types=["preference"], people=["bo"])
    (result,) = answer["results"]
    assert (result["title"], result["facts"], result["type"]) == ("Tea with Bo", ["likes green tea"], "preference")
    assert set(result["why"]) == {"keyword", "vector", "recency", "mention"}
    assert result["created_at"].endswith("+00:00")


async def test_16_times_honour_their_zone_and_are_utc_without_one(scene: Scene) -> None:
    scene.at_ms = 1_780_000_000_000  # 2026-05-28T20:26:40Z
    await scene.add("Tea")
    for since, found in (
        ("2026-05-28T20:26:40Z", 1),
        ("2026-05-28T20:26:41Z", 0),
        ("2026-05-28T22:26:40+02:00", 1),
        ("2026-05-28T22:26:41+02:00", 0),
        ("2026-05-28T20:26:40", 1),
        ("2026-05-28", 1),
        ("2026-05-29", 0),
    ):
        assert len((await scene.tool("memory_search", since=since))["results"]) == found


async def test_a_write_goes_where_trust_says_and_belongs_to_its_session(lived_in: Scene) -> None:
    answer = await lived_in.tool("memory_write", "inner", type="task", title="Buy tea", facts=["green"])
    assert answer["outcome"] == "added"
    read = await lived_in.reading.get(ADA, answer["id"])
    assert (read.store, read.session_id, read.source) == ("shared", "chat:s", "tool")


async def test_reading_counts_as_use_and_says_what_could_not_be_read(lived_in: Scene) -> None:
    answer = await lived_in.tool("memory_get", ids=["obs_0001", "obs_none", "obs_0001"])
    assert [one["id"] for one in answer["observations"]] == ["obs_0001"]
    assert answer["not_readable"] == ["obs_none"]
    assert (await lived_in.reading.get(ADA, "obs_0001")).used_ms == lived_in.at_ms


async def test_a_history_is_shown_and_blank_once_forgotten(lived_in: Scene) -> None:
    (entry,) = (await lived_in.tool("memory_history", id="obs_0001"))["history"]
    assert (entry["event"], entry["after"]["title"]) == ("ADD", "Tea with Bo")
    await lived_in.forget("obs_0001")
    answer = await lived_in.tool("memory_history", id="obs_0001")
    assert [one["event"] for one in answer["history"]] == ["ADD", "DELETE"]
    assert "Tea" not in json.dumps(answer)


async def test_what_has_ended_is_shown_with_its_time_and_successor(scene: Scene) -> None:
    await scene.add("Home", "lives in Berlin")
    _, new = await scene.write("Home", "lives in Hamburg")
    (shown,) = (await scene.tool("memory_get", ids=["obs_0001"]))["observations"]
    assert (shown["end_reason"], shown["successor_id"]) == ("superseded", new)
    assert shown["ended_at"].endswith("+00:00")


async def test_people_files_and_sessions_are_listed(lived_in: Scene) -> None:
    await lived_in.tool("memory_alias", name="bo", alias="Robert")
    (person,) = (await lived_in.tool("memory_people", name="ROBERT"))["people"]
    assert (person["name"], person["aliases"]) == ("Bo", ["Robert"])
    (file,) = (await lived_in.tool("memory_files"))["files"]
    assert (file["path"], file["observations"]) == ("tea.txt", 1)
    (about,) = (await lived_in.tool("memory_files", path="tea.txt"))["observations"]
    assert about["title"] == "Tea with Bo"
    (session,) = (await lived_in.tool("memory_sessions"))["sessions"]
    assert (session["session_id"], session["request"], session["decisions"]) == ("chat:s", "What of tea?", ["green"])


async def test_sessions_of_nobody_are_none(scene: Scene) -> None:
    assert await scene.tool("memory_sessions") == {"sessions": []}
