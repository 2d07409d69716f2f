"""Finds who can answer: a running `beaver up`, or an engine here, over parts started for it or those of another chat."""

from __future__ import annotations

import asyncio
import importlib
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from beaver.cli.talk.conversation import Conversation
from beaver.config.loader import load_settings
from beaver.config.paths import InstancePaths
from beaver.config.settings import Settings
from beaver.embedded import parts
from beaver.embedded.instance import Instance
from beaver.embedded.logfiles import bound_log, log_path, open_log
from beaver.embedded.probes import answers_http
from beaver.embedded.run_state import InstanceLock, RunState, read_run_state
from beaver.embedded.supervisor import PartStatus
from beaver.errors import DeadlineExceeded, Unavailable

if TYPE_CHECKING:
    from beaver.agent.loader import EngineLoadResult

Notice = Callable[[str], None]
"""Tells a person something, in a sentence."""

API_KEY_VARIABLE: Final = "BEAVER_API_KEY"
"""The environment's key for a chat server that wants one."""
_OTHER_STARTS_WITHIN_S: Final = 20.0
_SERVER_ANSWERS_WITHIN_S: Final = 10.0
_TOLD_AFTER_S: Final = 1.0
_GATEWAY_READY_WITHIN_S: Final = 10.0


@asynccontextmanager
async def open_conversation(
    paths: InstancePaths, env: Mapping[str, str], notice: Notice
) -> AsyncIterator[Conversation]:
    """A conversation for the length of the block. Parts that were started for it are drained at the end.

    Raises ConfigError, Conflict and Unavailable as Instance and EngineLoader do.
    """
    lock = InstanceLock(paths)
    state = await _lock_or_owner(lock, paths)
    if state is None:
        with lock:
            async with _own_parts(paths, env, notice) as conversation:
                yield conversation
    elif state.kind == "up" and await _server_answers(state, notice):
        from beaver.cli.talk.server import ServerConversation

        async with ServerConversation.at(state.parts[parts.SERVER], env.get(API_KEY_VARIABLE)) as conversation:
            yield conversation
    else:
        async with _engine(load_settings(paths, env), notice) as conversation:
            yield conversation


async def _lock_or_owner(lock: InstanceLock, paths: InstancePaths) -> RunState | None:
    """The state of whoever runs the parts; None when the lock could be taken, and now is."""
    give_up = time.monotonic() + _OTHER_STARTS_WITHIN_S
    while not lock.try_take():
        state = read_run_state(paths)
        if state is not None:
            return state
        if time.monotonic() > give_up:
            raise Unavailable("another Beaver is starting in this folder and does not get done; look in .beaver/logs")
        await asyncio.sleep(0.05)
    return None


async def _server_answers(state: RunState, notice: Notice) -> bool:
    address = urlsplit(state.parts.get(parts.SERVER, ""))
    if address.hostname is None or address.port is None:
        return False
    started = time.monotonic()
    is_told = False
    while not await answers_http(address.hostname, address.port, "/health"):
        waited_s = time.monotonic() - started
        if waited_s > _SERVER_ANSWERS_WITHIN_S:
            notice("It does not answer, so the answer is made here; see what `beaver up` says of it.")
            return False
        if waited_s > _TOLD_AFTER_S and not is_told:
            is_told = True
            notice("Waiting for the chat server of `beaver up` …")
        await asyncio.sleep(0.05)
    return True


@asynccontextmanager
async def _own_parts(paths: InstancePaths, env: Mapping[str, str], notice: Notice) -> AsyncIterator[Conversation]:
    provisioned = f"No configuration was here, so I made {paths.config}: a local user and key, memory mode hybrid."
    # The heaviest imports go on in a thread while the parts boot.
    importing = asyncio.create_task(asyncio.to_thread(importlib.import_module, "beaver.agent.loader"))
    async with Instance(paths, env, "chat", _ignore, lambda: notice(provisioned)) as instance:
        await importing
        async with _engine(instance.settings, notice) as conversation:
            await _gateway_ready(instance, notice)
            instance.start_worker()
            yield conversation


async def _gateway_ready(instance: Instance, notice: Notice) -> None:
    if not parts.runs_gateway(instance.settings):
        return
    try:
        await instance.supervisor.wait_ready(parts.GATEWAY, within_s=_GATEWAY_READY_WITHIN_S)
    except DeadlineExceeded as late:
        notice(f"{late}; answering without recall.")


@asynccontextmanager
async def _engine(settings: Settings, notice: Notice) -> AsyncIterator[Conversation]:
    from beaver.agent.loader import EngineLoader
    from beaver.cli.local_memory.opening import open_local_store
    from beaver.cli.talk.local import LocalConversation

    _log_to_file(settings)
    engine: EngineLoadResult = await EngineLoader(settings, open_items=open_local_store).load()
    try:
        for warning in engine.warnings:
            notice(warning)
        yield LocalConversation(engine)
    finally:
        await engine.aclose()


def _log_to_file(settings: Settings) -> None:
    """This process's log lines stand beside those of the parts, not between a person's words."""
    from beaver.logs import configure_logs
    from beaver.redaction import Redactor

    path = log_path(settings.paths.logs, "chat")
    bound_log(path)
    stream = os.fdopen(open_log(path), "a", encoding="utf-8")
    configure_logs("cli", Redactor(settings.secrets()), stream=stream)


def _ignore(_status: PartStatus) -> None:
    """A one-shot chat shows no status of its parts."""
