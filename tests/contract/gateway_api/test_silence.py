"""Neither key nor text in a log or a refusal, even by a bug of ours."""

from __future__ import annotations

import io

import pytest

from beaver.logs import configure_logs
from beaver.redaction import Redactor
from tests.support.kept_logging import kept_logging
from tests.support.memory_gateway import GatewayUser, new_user, running_gateway


async def test_neither_key_nor_text_is_ever_logged_or_told_back(memory_url: str) -> None:
    canary, stream = "canaryword7391", io.StringIO()
    with kept_logging():
        configure_logs("gateway", Redactor(), stream=stream)
        async with running_gateway(memory_url, body_bytes_max=50_000) as http:
            user = await new_user(http, "ada")
            key = user.user_key
            await user.add("s", f"the word is {canary}")
            refused = [
                await GatewayUser(http, "mallory", key).add("s", canary),
                await user.call("/memories/add", {"session_id": canary * 30, "messages": [{"content": canary}]}),
                await user.call("/memories/add", {"session_id": "chat:s", "messages": canary}),
                await user.call("/memories/add", {"session_id": "chat:s", "messages": [], key: canary}),
                await user.call("/memories/search", {"conversation_id": "s", "query": 5, "scope": [canary]}),
                await user.call("/resources", {"uri": canary + "\n", "text": canary}),
                await user.add("s", canary * 10_000),
                await user.add("s", canary, key=canary * 30),
                await http.post("/memories/add", content=f'{{"{canary}": "{key}"'.encode()),
                await http.post(f"/{canary}", json={"user_key": key}),
            ]
    assert all(response.status_code >= 400 for response in refused)
    said = stream.getvalue() + "".join(response.text for response in refused)
    assert canary not in said
    assert key not in said


async def test_a_bug_of_ours_is_logged_by_place_and_told_as_internal(
    memory_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("beaver.memory.search.plan_query", _broken)
    with kept_logging():
        configure_logs("gateway", Redactor(), stream=stream)
        async with running_gateway(memory_url) as http:
            user = await new_user(http, "ada")
            await user.add("s", "canaryword")
            response = await user.call(
                "/memories/search", {"conversation_id": "s", "query": "canaryword", "scope": ["resources"]}
            )
    assert (response.status_code, response.json()["error"]["code"]) == (500, "internal")
    assert "gateway.request_failed" in stream.getvalue()
    assert "RuntimeError" in stream.getvalue()
    assert "canaryword" not in stream.getvalue() + response.text


def _broken(text: str) -> None:
    raise RuntimeError(f"cannot plan {text}")
