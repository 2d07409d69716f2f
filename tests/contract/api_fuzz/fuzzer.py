"""Schemathesis, run as its own command against a chat server that asks for keys."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from beaver.agent.messages import Completion, Usage
from beaver.db.engine import Database
from beaver.sessions.key_store import KeyStore
from beaver.sessions.keys import SCOPES, make_key
from tests.support.chat_server import CURATED, running_chat_server

ANSWER = Completion("Beavers build dams.", (), Usage(7, 3), "stop")
LOCKED: Mapping[str, Any] = {**CURATED, "server": {"requireKeys": True}}
SETTINGS = Path(__file__).with_name("schemathesis.toml")
HOOKS = "tests.contract.api_fuzz.hooks"


@dataclass(frozen=True)
class Verdict:
    """What the fuzzer came to: whether all is well, how many requests it made, and its report, with a command for each fault."""

    passed: bool
    requests: int
    report: str


async def fuzz(root: Path, database_url: str, *arguments: str) -> Verdict:
    """Serve over that database and fuzz what is served; `arguments` are those of `schemathesis run`."""
    config = {**LOCKED, "sessions": {"databaseUrl": database_url}}
    async with running_chat_server(root, [ANSWER], config=config) as server:
        told = {"SCHEMATHESIS_HOOKS": HOOKS, "PYTHONPATH": os.pathsep.join(sys.path)}
        secret = await _key(server.engine.database)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "schemathesis.cli", "--config-file", str(SETTINGS), "run", f"{server.url}/openapi.json",
            "--no-color", *arguments,
            cwd=root, env={**os.environ, **told, "FUZZERS_KEY": secret},
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        try:
            report = (await process.communicate())[0].decode()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    made = re.search(r"(\d+) generated", report)
    return Verdict(process.returncode == 0, int(made[1]) if made else 0, report)


async def _key(database: Database) -> str:
    key, store = make_key(), KeyStore(database.dialect)
    async with database.write() as tx:
        await store.add(tx, "fuzzer", key, name="fuzzer", scopes=SCOPES, front_end=False, lifetime_ms=None)
    return key.secret
