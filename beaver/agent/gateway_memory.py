"""The Gateway's part in a run: recall before it, and after it a ring that a turn waits in the ledger."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, Literal, assert_never

from beaver.agent.deadlines import Deadlines, InTime
from beaver.agent.observer import EngineObserver, Recall, Unobserved
from beaver.client.gateway import Category, GatewayCallError, MemoryGatewayClient, Operation, RecalledItem
from beaver.client.jobs import PersistQueue
from beaver.config.memory import GatewaySettings
from beaver.errors import Unavailable
from beaver.logs import get_logger
from beaver.outbox.turns import NewTurn
from beaver.schemas.audit import AuditEvent
from beaver.schemas.jobs import PersistJob
from beaver.sessions.records import NewEvent

SkipReason = Literal["blank_prompt", "blank_answer", "off", "denied"]
Bar = Callable[[str], Awaitable[Literal["off", "denied"] | None]]
"""Tells why nothing may be recalled in a session; None where it may. May raise Unavailable."""

QUERY_CHARACTERS_MAX: Final = 8_000
ORIGIN_CHARACTERS_MAX: Final = 200
SILENT_S: Final = 1.0
"""How long a turn waits for a Gateway that has let a whole deadline pass."""
LOOK_SESSION: Final = "beaver-check"
LOOK_QUERY: Final = "beaver check"


@dataclass(frozen=True)
class Recalled:
    """The search answered; there may be nothing in it."""

    items: tuple[RecalledItem, ...]
    scope: tuple[str, ...]


@dataclass(frozen=True)
class RecallFailed:
    """The search failed; the run goes on without recalled memory."""

    operation: Operation
    category: Category
    status: int | None


@dataclass(frozen=True)
class RecallSkipped:
    """There was nothing to search for, or a person does not want it."""

    reason: SkipReason


RecallOutcome = Recalled | RecallFailed | RecallSkipped


class MemoryGatewayService:
    """What a run asks of the Gateway. It never touches curated memory and never writes to the Gateway: the worker does.

    None of its methods raises for a condition of the world; cancellation passes through.
    """

    def __init__(
        self,
        client: MemoryGatewayClient,
        queue: PersistQueue,
        settings: GatewaySettings,
        observer: EngineObserver | None = None,
        bar: Bar | None = None,
        *,
        silent_s: float | None = SILENT_S,
    ) -> None:
        """The service owns both the client and the queue. `silent_s` as `SILENT_S`; None where nobody waits for longer anyway."""
        self._client = client
        self._queue = queue
        self._settings = settings
        self._observer = observer or Unobserved()
        self._bar = bar
        self._silent_s = silent_s
        self._is_silent = False
        self._deadlines = Deadlines()

    async def recall_before_run(self, session_id: str, prompt: str, *, traceparent: str | None = None) -> RecallOutcome:
        """Search with the user's own prompt (its first 8,000 characters), within the Gateway's one deadline.

        Once a search has come to that deadline, turns wait `SILENT_S` only, until one has been answered: those that
        nobody waits for go on to the deadline beside the turns.
        """
        if not prompt.strip():
            return RecallSkipped("blank_prompt")
        if (barred := await self._barred(session_id)) is not None:
            return RecallSkipped(barred)
        started_at = time.monotonic()
        outcome = await self._waited_for(self._search(session_id, prompt, traceparent))
        found: Recall = "failed" if isinstance(outcome, RecallFailed) else "hit" if outcome.items else "empty"
        self._observer.recalled(time.monotonic() - started_at, found)
        if isinstance(outcome, RecallFailed):
            get_logger().warning(
                "gateway.recall_failed", session_id=session_id, category=outcome.category, http_status=outcome.status
            )
        return outcome

    async def _waited_for(self, search: Coroutine[Any, Any, Recalled | RecallFailed]) -> Recalled | RecallFailed:
        if self._silent_s is None or not self._is_silent:
            return await search
        told = await self._deadlines.within(self._silent_s, search, _unheeded)
        return told.answer if isinstance(told, InTime) else RecallFailed("search", "timeout", None)

    async def _search(self, session_id: str, prompt: str, traceparent: str | None) -> Recalled | RecallFailed:
        try:
            items = await self._client.search(session_id, _query(prompt), traceparent=traceparent)
        except GatewayCallError as error:
            self._is_silent = error.category == "timeout"
            return RecallFailed(error.operation, error.category, error.status)
        self._is_silent = False
        return Recalled(tuple(items), self._settings.scope)

    async def _barred(self, session_id: str) -> Literal["off", "denied"] | None:
        """Where nobody can tell, it is as if memory were off: a search that somebody did not want cannot be taken back."""
        try:
            return None if self._bar is None else await self._bar(session_id)
        except Unavailable:
            return "off"

    def new_turn(
        self,
        *,
        run_id: str,
        session_id: str,
        user_event_id: int,
        answer_event_id: int,
        user_at_ms: int,
        answer_at_ms: int,
        traceparent: str | None = None,
    ) -> NewTurn:
        """The ledger's row for a turn: ids and times, no text.

        The times are made positive, and the answer's not earlier than the user's, for a clock may step back.
        """
        user_at_ms = max(user_at_ms, 1)
        return NewTurn(
            run_id=run_id,
            session_id=session_id,
            user_event_id=user_event_id,
            answer_event_id=answer_event_id,
            user_at_ms=user_at_ms,
            answer_at_ms=max(answer_at_ms, user_at_ms),
            gateway_user_id=self._settings.user_id,
            app_id=self._settings.app_id,
            project_id=self._settings.project_id,
            traceparent=traceparent,
        )

    async def persist_after_run(self, run_id: str, traceparent: str | None = None) -> bool:
        """Ring the queue once for a committed turn, within the queue's budget; False means that the relay will."""
        queued = await self._queue.enqueue(PersistJob(run_id=run_id, generation=0, traceparent=traceparent))
        self._observer.rang(queued=queued)
        return queued

    async def gateway_trouble(self) -> str | None:
        """Why the Gateway does not serve this user, in words without a secret; None when it does. One search."""
        try:
            await self._client.search(LOOK_SESSION, LOOK_QUERY)
        except GatewayCallError as error:
            return str(error)
        return None

    async def queue_trouble(self) -> str | None:
        """Why the queue cannot be used, in words without a secret; None when it can."""
        return (await self._queue.look()).trouble

    async def aclose(self) -> None:
        """Close the client and the queue, and break off what nobody waits for; idempotent."""
        await self._deadlines.aclose()
        await self._client.aclose()
        await self._queue.aclose()


def skip_reason(prompt: str, answer: str) -> SkipReason | None:
    """Why a turn is not sent to the Gateway, which refuses blank messages; None when it is sent."""
    if not prompt.strip():
        return "blank_prompt"
    if not answer.strip():
        return "blank_answer"
    return None


def recall_audit(outcome: RecallOutcome) -> NewEvent:
    """The hidden event that records a recall: counts, categories and origins, no text and no credential."""
    match outcome:
        case Recalled(items=items, scope=scope):
            brought = {"memories": [origin_of(item) for item in items]} if items else {}
            told = {"scope": list(scope), "result_count": len(items), **brought}
            return _hidden(AuditEvent.RECALL_SUCCEEDED, told)
        case RecallFailed(operation=operation, category=category, status=status):
            answered = {} if status is None else {"http_status": status}
            return _hidden(AuditEvent.RECALL_FAILED, {"operation": operation, "category": category, **answered})
        case RecallSkipped(reason=reason):
            return _hidden(AuditEvent.RECALL_SKIPPED, {"reason": reason})
        case _:
            assert_never(outcome)


def origin_of(item: RecalledItem) -> dict[str, Any]:
    """Which memory it is and where it is from, as far as the Gateway told. A resource's URI is a person's words: left out."""
    known = {"id": item.id, "scope": item.source_scope, "session": item.session_id}
    score = {} if item.score is None else {"score": round(item.score, 4)}
    return {**{name: value[:ORIGIN_CHARACTERS_MAX] for name, value in known.items() if value}, **score}


def _unheeded(_late: object) -> None:
    """What is found for a turn that has gone on is of no use to another."""


def _query(prompt: str) -> str:
    return prompt if len(prompt) <= QUERY_CHARACTERS_MAX else prompt.strip()[:QUERY_CHARACTERS_MAX]


def _hidden(kind: AuditEvent, payload: dict[str, Any]) -> NewEvent:
    return NewEvent(kind=kind.value, payload=payload, context_visible=False)
