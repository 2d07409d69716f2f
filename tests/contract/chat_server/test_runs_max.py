"""A chat server takes as many runs at once as its setting says."""

from __future__ import annotations

from pathlib import Path

from tests.contract.chat_server.scene import NEVER
from tests.support.chat_server import CURATED, running_chat_server


async def test_a_run_above_the_bound_is_refused_for_now(tmp_path: Path) -> None:
    config = {**CURATED, "server": {"runsMax": 1}}
    async with running_chat_server(tmp_path, [NEVER], config=config, drain_s=0.1) as server:
        asked = [await server.client.post(f"/v1/sessions/{name}/runs", json={"prompt": "Hello"}) for name in ("a", "b")]

    assert [response.status_code for response in asked] == [202, 429]
    assert asked[1].headers["Retry-After"]
