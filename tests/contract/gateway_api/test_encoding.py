"""The Gateway's own encoder: what was stored before a kill has its vectors after the next start; without it, words serve."""

from __future__ import annotations

from pathlib import Path

import pytest
import structlog
from sqlalchemy import text

from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.db.engine import Database
from beaver.gateway.serve import open_encoder
from beaver.memory.inference import local
from beaver.memory.inference.local import LOCAL_MODEL
from tests.support.http import loopback_client
from tests.support.memory_gateway import gateway_process, new_user
from tests.support.waiting import wait_until

NOTES = 60


async def test_what_was_stored_before_a_kill_gets_its_vectors_after_the_next_start(tmp_path: Path) -> None:
    async with gateway_process(tmp_path, embedding="local") as process:
        async with loopback_client(process.url, timeout=60) as http:
            user = await new_user(http)
            for number in range(NOTES // 2):
                response = await user.add("s", f"note {number} about the harbour", f"answer {number}")
                assert response.status_code == 200
        process.kill()
        await process.start()
        await wait_until(lambda: _all_embedded(tmp_path), within_s=120, what="vectors for all that was stored")
        assert process.stop() == 0


async def _all_embedded(root: Path) -> bool:
    database = Database.open(f"sqlite:///{root / '.beaver' / 'gateway.db'}")
    try:
        async with database.read() as tx:
            found = await tx.execute(
                text("SELECT count(*), count(DISTINCT passage_id) FROM embeddings WHERE model = :model"),
                {"model": LOCAL_MODEL},
            )
            return tuple(found.one()) == (NOTES, NOTES)
    finally:
        await database.close()


async def test_a_missing_wheel_is_said_once_and_the_gateway_goes_on_without(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(local, "WEIGHTS_PACKAGE", "no_such_wheel")
    settings = parse_settings(InstancePaths.at(tmp_path), {}, {})
    with structlog.testing.capture_logs() as logged:
        assert await open_encoder(settings) is None
    (line,) = logged
    assert line["event"] == "gateway.words_alone"
    assert "no_such_wheel is not installed" in line["reason"]


async def test_without_a_word_the_local_encoder_is_opened(tmp_path: Path) -> None:
    encoder = await open_encoder(parse_settings(InstancePaths.at(tmp_path), {}, {}))
    assert encoder is not None
    assert encoder.model == LOCAL_MODEL
    await encoder.close()
