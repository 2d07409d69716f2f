"""Extraction by the provider: strict about its answer, and the rules where there is none to use."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.agent.messages import Completion, ProviderPiece, ProviderRequest, Usage
from beaver.agent.policy.candidates import Candidate
from beaver.agent.policy.model_extraction import ROWS_MAX, ModelExtraction, read_rows
from beaver.errors import PeerFault, Unavailable

RULED = Candidate("rule", "Always run the linter before you commit", 0.72, "rules")
ROW = {"type": "preference", "text": "I prefer tabs over spaces", "confidence": 0.8, "tags": ["style"]}


class Answering:
    """A provider with one answer, or one failure; None never answers."""

    name = "answering"
    model = "none"

    def __init__(self, answer: str | Exception | None) -> None:
        self.answer = answer
        self.asked: list[ProviderRequest] = []

    async def stream(self, request: ProviderRequest) -> AsyncIterator[ProviderPiece]:
        self.asked.append(request)
        if self.answer is None:
            await asyncio.Event().wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        yield Completion(self.answer or "", (), Usage(), "stop")

    async def aclose(self) -> None:
        pass


async def extracted(answer: str | Exception | None, timeout_s: float = 30) -> list[Candidate]:
    return await ModelExtraction(Answering(answer), lambda _said: [RULED], timeout_s).candidates("what I said", "fine")


async def test_the_models_rows_become_candidates() -> None:
    found = await extracted(json.dumps([ROW]))

    assert found == [Candidate("preference", "I prefer tabs over spaces", 0.8, "model", ("style",))]
    assert await extracted(f"```json\n{json.dumps([ROW])}\n```") == found
    assert await extracted("[]") == []


@pytest.mark.parametrize(
    "answer",
    [
        "I found nothing.",
        "{}",
        "[1, 2",
        '{"type": "fact"}',
        "null",
        Unavailable("gone"),
        PeerFault("odd"),
        "[" * 100_000,
    ],
)
async def test_without_a_usable_answer_the_rules_do_it(answer: str | Exception) -> None:
    assert await extracted(answer) == [RULED]


async def test_a_model_that_takes_too_long_is_not_waited_for() -> None:
    assert await extracted(None, timeout_s=0.01) == [RULED]


@pytest.mark.parametrize(
    "row",
    [
        {**ROW, "type": "secret"},
        {**ROW, "type": "fix"},
        {**ROW, "confidence": "0.9"},
        {**ROW, "confidence": 1.5},
        {**ROW, "text": 7},
        {**ROW, "text": " "},
        {**ROW, "store": "public"},
        {"text": "no type"},
        "a string",
        None,
    ],
)
def test_a_row_that_breaks_a_rule_is_left_out_and_the_others_count(row: object) -> None:
    assert [found.text for found in read_rows(json.dumps([row, ROW]))] == [ROW["text"]]


def test_no_more_rows_than_ten_are_read() -> None:
    assert len(read_rows(json.dumps([ROW] * 50))) == ROWS_MAX


@given(st.text(max_size=300))
def test_any_answer_is_rows_or_a_fault(answer: str) -> None:
    with suppress(PeerFault):
        assert isinstance(read_rows(answer), list)


async def test_the_turn_is_given_as_data() -> None:
    provider = Answering("[]")
    await ModelExtraction(provider, lambda _said: [], 30).candidates('say "hi"', "hello")

    assert json.loads(provider.asked[0].messages[1].text) == {"user": 'say "hi"', "assistant": "hello"}
    assert provider.asked[0].tools == ()
