"""What is taken of a model's answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from beaver.errors import PeerFault
from beaver.memory.capture.model import capture_by_model, prompt_batches
from beaver.memory.observations.records import NewObservation
from beaver.memory.transcripts.said import SaidMessage

SAID = [
    SaidMessage("t", "t.0", "user", "ada", "I moved to Oslo", 1),
    SaidMessage("t", "t.1", "assistant", "beaver", "I will remember that", 2),
]


class Scripted:
    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.prompt = ""

    async def complete(self, system: str, prompt: str, *, timeout_s: float) -> str:
        self.prompt = prompt
        return self.answer


async def captured(answer: str) -> list[NewObservation]:
    return await capture_by_model(Scripted(answer), SAID, timeout_s=1)


@pytest.mark.parametrize("frame", ["{}", "Here it is:\n```json\n{}\n```", "Sure: {} and that is all"])
async def test_an_array_is_read_raw_fenced_or_balanced(frame: str) -> None:
    row = json.dumps([{"title": "Lives in Oslo", "lines": [1]}])
    found = await captured(frame.replace("{}", row))
    assert [one.title for one in found] == ["Lives in Oslo"]


async def test_one_bad_row_is_left_out_and_a_store_is_not_the_models_to_choose() -> None:
    rows: list[Any] = [{"facts": ["no title"]}, "text", {"title": "Lives in Oslo", "store": "social", "type": "Secret"}]
    (found,) = await captured(json.dumps(rows))
    assert (found.title, found.type) == ("Lives in Oslo", "event")
    assert [one.message_id for one in found.evidence] == ["t.0"]


async def test_everything_is_clipped() -> None:
    long = "x" * 1000
    row = {"title": long, "narrative": long, "facts": [f"{n}{long}" for n in range(40)], "tags": [long]}
    (found,) = await captured(json.dumps([row | {"related_people": [long], "related_files": [long]}]))
    lists = (found.facts, found.tags, found.related_people, found.related_files)
    assert [len(found.title), len(found.narrative), len(found.facts)] == [80, 400, 20]
    assert [len(members[0]) for members in lists] == [200, 50, 100, 200]


async def test_a_row_on_the_assistants_word_alone_or_with_a_secret_is_left_out() -> None:
    rows = [{"title": "The assistant remembers", "lines": [2]}, {"title": "Key sk-live-1234567890ABCDEF", "lines": [1]}]
    assert await captured(json.dumps(rows)) == []


async def test_an_answer_without_an_array_is_a_fault() -> None:
    with pytest.raises(PeerFault):
        await captured("I cannot do that.")


async def test_the_model_sees_neither_secrets_nor_recalled_memory() -> None:
    model = Scripted("[]")
    said = "Key sk-live-1234567890ABCDEF <memory>old tale</memory> hello"
    await capture_by_model(model, [SaidMessage("t", "t.0", "user", "ada", said, 1)], timeout_s=1)
    assert "sk-live" not in model.prompt
    assert "old tale" not in model.prompt
    assert "hello" in model.prompt


def test_a_long_conversation_takes_several_calls() -> None:
    said = [SaidMessage("t", f"t.{n}", "user", "ada", "y" * 7_000, 1) for n in range(10)]
    batches = list(prompt_batches(said))
    assert [message for batch in batches for message in batch] == said
    assert max(len(batch) for batch in batches) == 3
