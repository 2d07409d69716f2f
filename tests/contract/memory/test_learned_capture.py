"""What only an encoder finds is remembered once, whenever the encoder could be asked, on both databases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from beaver.errors import Unavailable
from beaver.memory import flushing
from beaver.memory.inference.local import open_local_encoder
from beaver.memory.inference.port import Encoded
from beaver.memory.namespace import Namespace
from beaver.memory.records import NewMessage
from beaver.memory.runtime import MemoryRuntime
from tests.support.memory_gateway import MORNING_MS

ADA = Namespace("default", "default", "ada")
SESSION = "chat:s"
BY_RULE = "I live in Oslo"
BY_MEANING = "I look after my mother full time"


class SleepyEncoder:
    """The local encoder; `asleep`: Unavailable."""

    def __init__(self) -> None:
        self._inner = open_local_encoder()
        self.model, self.dimensions = self._inner.model, self._inner.dimensions
        self.asleep = False

    async def encode_passages(self, texts: Sequence[str]) -> list[Encoded]:
        if self.asleep:
            raise Unavailable("the encoder is asleep")
        return await self._inner.encode_passages(texts)

    async def encode_question(self, text: str) -> Encoded:
        return await self._inner.encode_question(text)

    async def close(self) -> None:
        await self._inner.close()


async def _broken_off(*_arguments: object) -> Any:
    raise Unavailable("broken off")


@pytest.mark.parametrize(
    ("asleep", "remembered"),
    [
        ((False, False), [BY_MEANING, BY_RULE]),
        ((True, False), [BY_MEANING, BY_RULE]),
        ((False, True), [BY_MEANING, BY_RULE]),
        ((True, True), [BY_RULE]),
    ],
    ids=["awake", "awake the second time", "awake the first time", "asleep"],
)
async def test_6_a_flush_that_breaks_off_doubles_nothing_whether_or_not_the_encoder_was_awake(
    memory_url: str, monkeypatch: pytest.MonkeyPatch, asleep: tuple[bool, bool], remembered: list[str]
) -> None:
    encoder = SleepyEncoder()
    runtime = await MemoryRuntime.open(memory_url, encoder=encoder, clock=lambda: MORNING_MS)
    try:
        await runtime.create_user("ada")
        said = [NewMessage("user", "ada", MORNING_MS, f"{one}.") for one in (BY_RULE, BY_MEANING)]
        await runtime.add(ADA, SESSION, said)
        encoder.asleep = asleep[0]
        with monkeypatch.context() as broken:
            broken.setattr(flushing, "mark_flushed", _broken_off)
            with pytest.raises(Unavailable):
                await runtime.flush(ADA, SESSION)
        encoder.asleep = asleep[1]
        assert (await runtime.flush(ADA, SESSION)).messages == 2

        kept = (await runtime.list_observations(ADA)).observations
        assert sorted((one.title, one.mention_count) for one in kept) == [(one, 1) for one in sorted(remembered)]
    finally:
        await runtime.close()
