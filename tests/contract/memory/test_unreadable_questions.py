"""What the encoder cannot read of a question finds by itself what holds it, and nothing else that it cannot read."""

from __future__ import annotations

import pytest

from beaver.memory.inference.local import open_local_encoder
from beaver.memory.records import Question
from beaver.schemas.gateway import SCOPES
from tests.contract.memory.scene import ADA, turn
from tests.support.memory_engine import engine_with


@pytest.mark.parametrize("question", ["🥳?", "🥳", "🥳 ❤ ?"])
async def test_an_emoji_finds_what_holds_it(memory_sqlite_url: str, question: str) -> None:
    async with engine_with(memory_sqlite_url, "ada", encoder=open_local_encoder()) as runtime:
        await turn(runtime, "고양이 이름은 나비예요.", "알겠습니다.")
        await turn(runtime, "Got the job at the bakery 🥳", "わかりました。")
        await runtime.wait_until_encoded()

        found = await runtime.search(ADA, Question(question, "chat:new", SCOPES, 8))

    assert [one.text for one in found][:1] == ["Got the job at the bakery 🥳"]
