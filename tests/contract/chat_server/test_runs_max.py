"""A chat server takes as many runs at once as its setting says, and of one session not all of them."""

from __future__ import annotations

from pathlib import Path

import httpx

from beaver.server.runs.registry import WAITING_MAX
from tests.contract.chat_server.scene import NEVER
from tests.support.chat_server import CURATED, running_chat_server


async def test_a_run_above_the_bound_is_refused_for_now(tmp_path: Path) -> None:
    config = {**CURATED, "server": {"runsMax": 1}}
    async with running_chat_server(tmp_path, [NEVER], config=config, drain_s=0.1) as server:
        asked = [await server.client.post(f"/v1/sessions/{name}/runs", json={"prompt": "Hello"}) for name in ("a", "b")]

    assert [response.status_code for response in asked] == [202, 429]
    assert asked[1].headers["Retry-After"]


async def test_one_session_does_not_take_all_places(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [NEVER], config=CURATED, drain_s=0.1) as server:

        async def ask(session: str) -> httpx.Response:
            return await server.client.post(f"/v1/sessions/{session}/runs", json={"prompt": "Hello"})

        asked = [await ask("busy") for _ in range(1 + WAITING_MAX)]
        refused, elsewhere = await ask("busy"), await ask("idle")

    assert {response.status_code for response in asked} == {202}
    assert (refused.status_code, elsewhere.status_code) == (429, 202)
    assert f"{WAITING_MAX} messages" in refused.json()["error"]["message"]
    assert refused.headers["Retry-After"]


async def test_a_chat_completion_is_refused_by_its_session_too(tmp_path: Path) -> None:
    async with running_chat_server(tmp_path, [NEVER], config=CURATED, drain_s=0.1) as server:
        for _ in range(1 + WAITING_MAX):
            await server.client.post("/v1/sessions/busy/runs", json={"prompt": "Hello"})
        body = {"model": "beaver", "messages": [{"role": "user", "content": "Hello"}]}
        refused = await server.client.post("/v1/chat/completions", json=body, headers={"X-Beaver-Session": "busy"})

    assert refused.status_code == 429
