"""One run for one request, however often it is sent: durably, across servers and restarts.

With `Idempotency-Key` the same key and body mean the same run, another body is a conflict. OpenAI's clients send no
key, but count their retries: one that comes again with the same body goes on with the run of the first. Where the first
try is the slower one, the retry begins the run, and the first goes on with that: one, for a further one is a new request.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final, Literal

from fastapi import Request

from beaver.agent.results import RunRequest
from beaver.db.engine import Database, Transaction
from beaver.errors import Conflict, NotFound, Unavailable
from beaver.ids import new_id
from beaver.server.runs.asked import KEY_HEADER, Once, once_of
from beaver.server.runs.audience import Audience
from beaver.server.runs.elsewhere import AnyRun, StoredRun
from beaver.server.runs.registry import Run, RunRegistry
from beaver.server.runs.stored import StoredRuns
from beaver.sessions.records import UNFINISHED
from beaver.sessions.run_queue import RunQueueStore
from beaver.sessions.run_requests import RunClaim, RunRequestStore

KEEP_MS: Final = 24 * 3600 * 1000
# A claim whose run is not recorded after this long was left by a crash.
START_MS: Final = 10_000
# How long a copy waits for the run of the first: long enough to take over what a crash left.
WAIT_S: Final = 15.0
POLL_S: Final = (0.02, 0.25)
# A retry without a key goes on with a run that is under way, or ended no longer ago than this.
RETRY_WITHIN_MS: Final = 5_000
# For so long after a retry has begun a run its first try may come.
LATE_WITHIN_MS: Final = 5_000

RUN: Final = "run"
"""What the ids of runs begin with, unless a caller wants another word there."""

OnDisconnect = Literal["continue", "cancel"]

Wanted = Callable[[], Awaitable[RunRequest]]
"""Makes the run's request, with its session; only asked for a request that is new."""


class RunStarter:
    """Starts runs once. Owns the tasks that watch connections: `aclose` after the drain."""

    def __init__(self, database: Database, registry: RunRegistry, on_disconnect: OnDisconnect = "continue") -> None:
        """With `cancel`, a run is stopped when the last connection here that listens to it is gone."""
        self._audience = Audience() if on_disconnect == "cancel" else None
        self._database = database
        self._registry = registry
        self._requests = RunRequestStore(database.dialect)
        self._queue = RunQueueStore(database.dialect)
        self._stored = StoredRuns(database)

    async def once(self, request: Request, wanted: Wanted, *, queued: bool = False, prefix: str = RUN) -> AnyRun:
        """The run of a request: a new one, or the one that an earlier copy of it started, wherever that is.

        With `queued` every server knows the run before this returns, though nobody may send the request again. Raises
        Conflict for another body under a used key, InvalidInput for a bad key, Unavailable when the first copy of the
        request does not come to a run within 15 s, and what the start of a run raises.
        """
        once = await once_of(request)
        if once is not None:
            run = await self._begun_or_known(once, wanted, prefix)
        elif queued or prefix != RUN:
            run = await self._recorded(await wanted(), new_id(prefix))
        else:
            run = self._registry.start(await wanted())
        # Who asked for a queued run is answered at once, and is not expected to stay.
        if self._audience is not None and not queued and isinstance(run, Run):
            self._audience.join(request, run)
        return run

    def listens(self, request: Request, run_id: str) -> None:
        """A further connection follows a run; it counts where the run is here and ends with its listeners."""
        run = self._registry.find(run_id)
        if self._audience is not None and run is not None and self._audience.has(run):
            self._audience.join(request, run)

    async def aclose(self) -> None:
        """End what watches; idempotent."""
        if self._audience is not None:
            await self._audience.aclose()

    async def _begun_or_known(self, once: Once, wanted: Wanted, prefix: str) -> AnyRun:
        """Begin the run, or wait for the copy that does: it may be placing its session right now, or have died over it."""
        give_up, delay_s = time.monotonic() + WAIT_S, POLL_S[0]
        while True:
            claim = await self._known(once)
            if claim is not None and await self._is_meant(once, claim):
                run = await self._attached(claim) or once
            else:
                run = await self._first(once, wanted, new_id(prefix), worthless=claim)
            if not isinstance(run, Once):
                return run
            once = run
            if time.monotonic() >= give_up:
                raise Unavailable("the same request is being started elsewhere; send it again in a moment")
            await asyncio.sleep(delay_s)
            delay_s = min(delay_s * 1.5, POLL_S[1])

    async def _known(self, once: Once) -> RunClaim | None:
        """The claim of another copy, if there is one."""
        if not once.may_be_known:
            return None
        async with self._database.read() as tx:
            claim = await self._requests.find(tx, once.caller, once.key, start_ms=START_MS)
        if claim is not None and claim.body_hash != once.body_hash:
            raise Conflict(f"{KEY_HEADER}: was used for another request")
        return claim

    async def _is_meant(self, once: Once, claim: RunClaim) -> bool:
        """Whether the request is a copy of the claim's; without a key it may be a later one of the same words."""
        return once.copy == "keyed" or not claim.recorded or await self._is_worth_a_retry(claim.run_id)

    async def _is_worth_a_retry(self, run_id: str) -> bool:
        """Whether a retry without a key means this run: not if it ended long ago, or with the connection of the first try."""
        try:
            state = await self._stored.get(run_id)
        except NotFound:
            return False
        if state.record.status == "cancelled" and self._audience is not None:
            return False
        return state.record.status in UNFINISHED or state.ended_for_ms <= RETRY_WITHIN_MS

    async def _first(self, once: Once, wanted: Wanted, run_id: str, *, worthless: RunClaim | None) -> Run | Once:
        """Begin the run; as what to look again where another copy was quicker, or took over while this process stood still."""
        self._registry.check()
        async with self._database.write() as tx:
            if once.copy == "first_try" and await self._requests.take(tx, once.caller, once.first_try):
                return replace(once, copy="late")
            if not await self._claimed(tx, once, run_id, worthless):
                return once
        try:
            return await self._settled(once, await wanted(), run_id) or once
        # Whatever it was: no run has begun, and the request may come again.
        except BaseException:
            async with self._database.write() as tx:
                await self._requests.forget(tx, once.caller, once.key, run_id)
                if once.copy == "retry":
                    await self._requests.forget(tx, once.caller, once.first_try, run_id)
            raise

    async def _claimed(self, tx: Transaction, once: Once, run_id: str, worthless: RunClaim | None) -> bool:
        """Claim the request in the place of what is known not to mean it."""
        if once.copy == "first_try":
            await self._requests.drop(tx, once.caller, once.key, unless=once.first_try)
        elif worthless is not None:
            await self._requests.forget(tx, once.caller, once.key, worthless.run_id)
        asked = (once.caller, once.key, once.body_hash, run_id)
        if not await self._requests.claim(tx, *asked, keep_ms=KEEP_MS, start_ms=START_MS):
            return False
        if once.copy == "retry":
            await self._requests.drop(tx, once.caller, once.first_try)
            late = (once.caller, once.first_try, once.body_hash, run_id)
            await self._requests.claim(tx, *late, keep_ms=LATE_WITHIN_MS, start_ms=START_MS)
        return True

    async def _settled(self, once: Once, wanted: RunRequest, run_id: str) -> Run | None:
        self._registry.check(session_id=wanted.session_id)
        session_id = wanted.session_id or new_id("session")
        async with self._database.write() as tx:
            held = await self._requests.settle(tx, once.caller, once.key, run_id, session_id)
            # The same words said once more on purpose have a claim of their own, and take this one's place.
            if not held and once.copy == "keyed":
                return None
            await self._queue.enqueue(tx, run_id, session_id)
        return self._begun(wanted, session_id, run_id)

    async def _recorded(self, wanted: RunRequest, run_id: str) -> Run:
        """Record the run for every server, then begin it."""
        self._registry.check(session_id=wanted.session_id)
        session_id = wanted.session_id or new_id("session")
        async with self._database.write() as tx:
            await self._queue.enqueue(tx, run_id, session_id)
        return self._begun(wanted, session_id, run_id)

    def _begun(self, wanted: RunRequest, session_id: str, run_id: str) -> Run:
        return self._registry.start(replace(wanted, session_id=session_id), run_id=run_id)

    async def _attached(self, claim: RunClaim) -> AnyRun | None:
        """The run of an earlier copy; None as long as nobody has recorded it."""
        if not claim.recorded:
            return None
        if here := self._registry.find(claim.run_id):
            return here
        try:
            state = await self._stored.get(claim.run_id)
        # Deleted with its session since the claim was read.
        except NotFound:
            return None
        return StoredRun(self._stored, claim.run_id, state.record.session_id)
