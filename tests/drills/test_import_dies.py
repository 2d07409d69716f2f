"""`kill -9` of `beaver gateway import`: the same command once more ends with the whole, each thing once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from io import BytesIO
from pathlib import Path

import pytest

from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import NewObservation
from beaver.memory.records import NewDocument, NewMessage
from beaver.memory.runtime import MemoryRuntime
from tests.drills.mortal_import import POINTS
from tests.support.memory_gateway import MORNING_MS

ADA = Namespace("default", "default", "ada")
TURNS = 40
KILLED = -9

# The options of the command that dies at each point, and whether anything of it is there then.
WAYS: dict[str, tuple[list[str], bool]] = {
    "merged page not committed": (["--merge"], True),
    "restored page not committed": ([], False),
    "between pages": ([], False),
    "before the last step": ([], False),
    "last step not committed": ([], False),
    "all but the word of it": ([], True),
    "message stored": (["--from", "conversations"], True),
}


class Importing:
    """The command, in processes that may kill themselves."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    async def run(self, root: Path, file: Path, *options: str, point: str | None = None) -> int:
        """Its exit code, over an instance folder."""
        arguments = [str(file), "--user", "ada", "--root", str(root), *options]
        return await asyncio.to_thread(self._ask, json.dumps({"arguments": arguments, "point": point}))

    def _ask(self, line: str) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(line, file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())


@pytest.fixture(scope="module")
def command() -> Iterator[Importing]:
    program = [sys.executable, "-m", "tests.drills.mortal_import"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Importing(process)


@pytest.fixture
def root(tmp_path: Path, url: str) -> Path:
    """An instance folder."""
    (tmp_path / ".beaver").mkdir(mode=0o700)
    config = {"memory": {"mode": "curated"}, "gatewayServer": {"databaseUrl": url}}
    (tmp_path / ".beaver/config.json").write_text(json.dumps(config))
    return tmp_path


@pytest.fixture
async def runtime(url: str) -> AsyncIterator[MemoryRuntime]:
    opened = await MemoryRuntime.open(url, clock=lambda: MORNING_MS)
    yield opened
    await opened.close()


async def test_an_import_that_was_killed_is_repeated_and_ends_with_the_whole(
    runtime: MemoryRuntime, root: Path, command: Importing
) -> None:
    assert set(WAYS) == set(POINTS)
    ours, old = root / "ada.jsonl", root / "old.jsonl"
    ours.write_bytes(await _filled(runtime))
    old.write_text("\n".join(json.dumps(line) for line in _conversation()))
    for point, (options, leaves_some) in WAYS.items():
        file = old if "--from" in options else ours
        await _emptied(runtime)
        assert await command.run(root, file, *options, point=point) == KILLED
        assert bool((await runtime.list_memories(ADA)).memories) is leaves_some, point
        assert await command.run(root, file, *options) == 0
        if file is ours:
            assert await _exported(runtime) == ours.read_bytes(), point
        else:
            assert _said(await _exported(runtime)) == [line["content"] for line in _conversation()]


async def _filled(runtime: MemoryRuntime) -> bytes:
    await runtime.create_user("ada")
    for number in range(TURNS):
        await runtime.add(
            ADA, f"chat:{number % 2}", [NewMessage("user", "ada", MORNING_MS + number, f"heron number {number}")]
        )
    await runtime.put_resource(ADA, NewDocument("file:birds", "Birds", "Herons wade. " * 300))
    await runtime.write_observation(ADA, NewObservation("preference", "Ada likes herons", facts=("herons wade",)))
    return await _exported(runtime)


def _conversation() -> list[dict[str, object]]:
    return [
        {"session_id": "old:1", "role": "user", "timestamp": MORNING_MS + number, "content": f"tern number {number}"}
        for number in range(150)
    ]


async def _emptied(runtime: MemoryRuntime) -> None:
    await runtime.forget_user("ada")
    await runtime.create_user("ada")


async def _exported(runtime: MemoryRuntime) -> bytes:
    target = BytesIO()
    await runtime.export(ADA, target, lambda _done, _total: None)
    return target.getvalue()


def _said(export: bytes) -> list[str]:
    """What was said, in the order in which it was stored."""
    lines = [json.loads(line) for line in export.splitlines()]
    return [message["content"] for line in lines if line["kind"] == "turn" for message in line["messages"]]
