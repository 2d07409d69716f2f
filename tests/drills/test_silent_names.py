"""Chats go on while the name of the Gateway, or of the queue, is looked up in vain; so does what an operator asks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from beaver.cli.reachability import look_at_parts
from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from tests.support.chat_server import running_chat_server
from tests.support.engine import says
from tests.support.gateway import NO_QUEUE, NOWHERE
from tests.support.names import SilentNames, silent_names
from worker.health import worker_health

CHATS = 40


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[SilentNames]:
    with silent_names(monkeypatch) as names:
        yield names


def config(gateway: str = NOWHERE, queue: str = NO_QUEUE) -> dict[str, Any]:
    settings = {"baseUrl": gateway, "userId": "ada", "userKey": "k" * 40, "timeoutSeconds": 1}
    return {"memory": {"mode": "hybrid", "gateway": settings}, "queue": {"redisUrl": queue}}


PLACES = [config(gateway=f"http://{SilentNames.host(1)}"), config(queue=f"redis://{SilentNames.host(2)}")]


@pytest.mark.parametrize("places", PLACES, ids=["gateway", "queue"])
async def test_every_chat_is_answered_while_a_name_server_is_silent(
    tmp_path: Path, names: SilentNames, places: dict[str, Any]
) -> None:
    async with running_chat_server(tmp_path, [says("hi")] * CHATS, config=places) as chat:
        answers = await asyncio.gather(*(chat.say("hello", f"s{number}") for number in range(CHATS)))
        assert [answer.status_code for answer in answers] == [200] * CHATS
        assert names.asked == 1


@pytest.mark.parametrize("places", PLACES, ids=["gateway", "queue"])
def test_a_check_says_so_and_ends(tmp_path: Path, names: SilentNames, places: dict[str, Any]) -> None:
    settings = parse_settings(InstancePaths.at(tmp_path), places, {})
    found = asyncio.run(look_at_parts(settings))
    assert names.asked == 1
    assert json.dumps([finding.message for finding in found]).count("timeout") == 1


def test_a_workers_health_check_says_so_and_ends(tmp_path: Path, names: SilentNames) -> None:
    database = {"sessions": {"databaseUrl": f"postgresql://beaver@{names.host(3)}/beaver"}}
    settings = parse_settings(InstancePaths.at(tmp_path), {**config(), **database}, {})
    found = asyncio.run(worker_health(settings))
    assert (found.well, names.asked) == (False, 1)
    assert "the database cannot be reached" in found.words
