"""Any text can be stored, read back as it was, and asked for: on both databases, by the same seed each time."""

from __future__ import annotations

import random

from beaver.memory.listing.records import StoredMessage
from beaver.memory.namespace import Namespace
from beaver.memory.records import NewDocument, NewMessage, Question
from beaver.memory.retrieval.answer.answering import PASSAGES_READ_MAX
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.stored_text import storable
from beaver.schemas.gateway import SCOPES
from tests.support.memory_gateway import MORNING_MS

ADA = Namespace("default", "default", "ada")
SIGNS = [
    *"aZ09 \t\n\"'`\\/#:;&|!()[]{}<>*%_-+~^$@,.?=",
    *(
        "\x00",
        "\x02",
        "\x03",
        "\x1b",
        "\u0000",
        "\u00ad",
        "\u200b",
        "\u202e",
        "\ufeff",
        "\ufffd",
        "\ufffe",
        "\U000e0001",
    ),
    *("\ud800", "\udfff", "é", "ß", "İ", "ǆ", "ﬁ", "ก็", "한", "漢", "か゚", "ا", "🐶", "👩\u200d👩", "𝔘", "ͯ" * 5),
    *("AND", "OR", "NOT", "NEAR(", "n1", "m1", "c1", "r1", "#n1", "scope :", "text :", "it's", "don't", ":*", "<->"),
]
TEXTS = 150


def hostile_texts(seed: int) -> list[str]:
    chance = random.Random(seed)
    texts = ["".join(chance.choices(SIGNS, k=chance.randint(1, 30))) for _ in range(TEXTS)]
    return [text for text in texts if text.strip()]


async def test_what_is_said_is_read_back_as_it_was(runtime: MemoryRuntime) -> None:
    texts = hostile_texts(1)
    turn = await runtime.add(ADA, "chat:s", [NewMessage("user", "ada", MORNING_MS, text) for text in texts])
    for message_id, text in zip(turn.message_ids, texts, strict=True):
        read = await runtime.read_memory(ADA, message_id)
        assert isinstance(read, StoredMessage)
        assert read.content == storable(text)


async def test_no_question_is_an_error_and_none_finds_another_namespace(runtime: MemoryRuntime) -> None:
    await runtime.create_user("bob")
    texts = hostile_texts(2)
    bob = Namespace("default", "default", "bob")
    await runtime.add(bob, "chat:s", [NewMessage("user", "bob", MORNING_MS, text) for text in texts])
    await runtime.add(ADA, "chat:s", [NewMessage("user", "ada", MORNING_MS, "n1 m1 c1 the only one")])
    for text in [*texts, "x" * 100_000, "\n".join(texts)]:
        found = await runtime.search(ADA, Question(text, "chat:s", SCOPES, 8))
        assert {memory.text for memory in found} <= {"n1 m1 c1 the only one"}


async def test_a_document_may_be_all_signs(runtime: MemoryRuntime) -> None:
    for number, text in enumerate(["'" * 5_000, "#" * 50, "\\" * 3_000 + " end", "漢" * 20_000, "a" * 300_000]):
        stored = await runtime.put_resource(ADA, NewDocument(f"file:///{number}", "", text))
        assert stored.passages >= 1


async def test_of_a_text_that_says_one_thing_again_and_again_not_all_is_read_for_an_answer(
    runtime: MemoryRuntime,
) -> None:
    log = NewDocument("log:1", "Log", "The heron waits by the pond. " * 40_000)
    stored = await runtime.put_resource(ADA, log)
    found = await runtime.search(ADA, Question("the heron", "chat:s", SCOPES, 8))
    assert stored.passages > PASSAGES_READ_MAX
    assert 1 <= sum(memory.why["copies"] for memory in found) <= PASSAGES_READ_MAX
