"""One run for one request, however often it is sent: durably, across servers and restarts.

With `Idempotency-Key` the same key and body mean the same run, another body is a conflict. OpenAI's clients send no
key, but count their retries: one that comes again with the same body goes on with the run of the first.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal

from fastapi import Request

from beaver.agent.results import RunRequest
from beaver.db.engine import Database
from beaver.errors import Conflict, InvalidInput, NotFound
from beaver.ids import new_id
from beaver.schemas.chat import SESSION_HEADER
from beaver.server.guard.auth import caller_of
from beaver.server.runs.registry import Run, RunRegistry
from beaver.server.runs.stored import AnyRun, StoredRun, StoredRuns
from beaver.server.sessions.identity import OPEN_WEBUI_HEADER
from beaver.sessions.records import UNFINISHED
from beaver.sessions.run_queue import RunQueueStore
from beaver.sessions.run_requests import RunClaim, RunRequestStore

KEY_HEADER: Final = "Idempotency-Key"
RETRY_HEADER: Final = "x-stainless-retry-count"
KEY_CHARS_MAX: Final = 255
KEEP_MS: Final = 24 * 3600 * 1000
# A claim whose run is not recorded after this long was left by a crash.
START_MS: Final = 10_000
# A retry without a key goes on with a run that is under way, or ended no longer ago than this.
RETRY_WITHIN_MS: Final = 5_000

LOOK_EVERY_S: Final = 0.25

OnDisconnect = Literal["continue", "cancel"]

Wanted = Callable[[], Awaitable[RunRequest]]
"""Makes the run's request, with its session; only asked for a request that is new."""


@dataclass(frozen=True)
class _Asked:
    """Who asked, under which key (None: no retry can be told), for what."""

    caller: str
    key: str | None
    body_hash: str
    retries: int = 0

    @property
    def is_keyed(self) -> bool:
        """Whether the key is the client's own."""
        return self.key is not None and self.key.startswith("key:")


class RunStarter:
    """Starts runs once. Owns the tasks that watch connections: `aclose` after the drain."""

    def __init__(self, database: Database, registry: RunRegistry, on_disconnect: OnDisconnect = "continue") -> None:
        """With `cancel`, a run is stopped when the connection that asked for it is gone."""
        self._cancels = on_disconnect == "cancel"
        self._watching: set[asyncio.Task[None]] = set()
        self._database = database
        self._registry = registry
        self._requests = RunRequestStore(database.dialect)
        self._queue = RunQueueStore(database.dialect)
        self._stored = StoredRuns(database)

    async def once(self, request: Request, wanted: Wanted, *, queued: bool = False) -> AnyRun:
        """The run of a request: a new one, or the one that an earlier copy of it started, wherever that is.

        With `queued` every server knows the run before this returns, though nobody may send the request again. Raises
        Conflict for another body under a used key, InvalidInput for a bad key, and what the start of a run raises.
        """
        run = await self._once(request, wanted, queued=queued)
        # Who asked for a queued run is answered at once, and is not expected to stay.
        if self._cancels and not queued and isinstance(run, Run):
            watching = asyncio.create_task(_stop_when_gone(request, run))
            self._watching.add(watching)
            watching.add_done_callback(self._watching.discard)
        return run

    async def aclose(self) -> None:
        """End what watches; idempotent."""
        left = set(self._watching)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)

    async def _once(self, request: Request, wanted: Wanted, *, queued: bool) -> AnyRun:
        asked = await _asked(request)
        if asked.key is None and not queued:
            return self._registry.start(await wanted())
        if asked.key is None:
            return await self._started(await wanted(), new_id("run"))
        self._registry.check()
        earlier = await self._earlier(asked)
        if earlier is not None:
            return await self._attached(earlier)
        return await self._first(asked, asked.key, wanted)

    async def _earlier(self, asked: _Asked) -> str | None:
        """The run of an earlier try of a client that sends no key."""
        if asked.is_keyed or asked.retries == 0 or asked.key is None:
            return None
        async with self._database.read() as tx:
            run_id = await self._requests.find(tx, asked.caller, asked.key)
        if run_id is None:
            return None
        try:
            state = await self._stored.get(run_id)
        except NotFound:
            return None
        recent = state.record.status in UNFINISHED or state.ended_for_ms <= RETRY_WITHIN_MS
        return run_id if recent else None

    async def _first(self, asked: _Asked, key: str, wanted: Wanted) -> AnyRun:
        claim = await self._claim(asked, key)
        if not claim.fresh:
            if claim.body_hash != asked.body_hash:
                raise Conflict(f"{KEY_HEADER}: was used for another request")
            return await self._attached(claim.run_id)
        try:
            return await self._started(await wanted(), claim.run_id)
        # Whatever it was: no run has begun, and the request may come again.
        except BaseException:
            async with self._database.write() as tx:
                await self._requests.forget(tx, asked.caller, key, claim.run_id)
            raise

    async def _claim(self, asked: _Asked, key: str) -> RunClaim:
        async with self._database.write() as tx:
            if not asked.is_keyed:
                await self._requests.drop(tx, asked.caller, key)
            return await self._requests.claim(
                tx, asked.caller, key, asked.body_hash, new_id("run"), keep_ms=KEEP_MS, start_ms=START_MS
            )

    async def _started(self, wanted: RunRequest, run_id: str) -> Run:
        """Record the run for every server, then begin it."""
        self._registry.check()
        session_id = wanted.session_id or new_id("session")
        async with self._database.write() as tx:
            await self._queue.enqueue(tx, run_id, session_id)
            await self._requests.settle(tx, run_id, session_id)
        return self._registry.start(RunRequest(wanted.prompt, session_id, wanted.skills), run_id=run_id)

    async def _attached(self, run_id: str) -> AnyRun:
        here = self._registry.find(run_id)
        if here is not None:
            return here
        try:
            state = await self._stored.get(run_id)
        except NotFound:
            raise Conflict("the same request is being started, or its session was deleted") from None
        return StoredRun(self._stored, run_id, state.record.session_id)


async def _stop_when_gone(request: Request, run: Run) -> None:
    while not run.task.done():
        if await request.is_disconnected():
            run.stop()
            return
        await asyncio.wait({run.task}, timeout=LOOK_EVERY_S)


async def _asked(request: Request) -> _Asked:
    caller = caller_of(request).key_id or ""
    key, retries = request.headers.get(KEY_HEADER), request.headers.get(RETRY_HEADER)
    if key is not None and not 0 < len(key) <= KEY_CHARS_MAX:
        raise InvalidInput(KEY_HEADER, f"must have 1 to {KEY_CHARS_MAX} characters")
    if key is None and retries is None:
        return _Asked(caller, None, "")
    # Whatever may name the session belongs to what was asked: the same words in another one are another request.
    naming = (SESSION_HEADER, OPEN_WEBUI_HEADER, *request.app.state.session_headers)
    said = [request.url.path, *(request.headers.get(name, "") for name in naming)]
    body_hash = hashlib.sha256("\n".join(said).encode() + b"\n" + await request.body()).hexdigest()
    count = int(retries) if retries and retries.isdecimal() else 0
    return _Asked(caller, f"key:{key}" if key is not None else f"retry:{body_hash}", body_hash, count)
