"""One run of the agent, from a prompt to a committed answer and a rung doorbell.

The loop knows no mode: it is given the curated memory's service and the Gateway's, or None. Nothing that the Gateway
does can change a result, and nothing after the commit can take the answer back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from beaver.agent.context import PromptParts, build_messages, history_budget
from beaver.agent.curated.service import MemoryService
from beaver.agent.curated.snapshot import MemorySnapshot
from beaver.agent.gateway_memory import MemoryGatewayService, Recalled, recall_audit, skip_reason
from beaver.agent.interruption import closing, cut_off_when
from beaver.agent.messages import Completion, PromptMessage, ProviderRequest, TextDelta, ToolCall, ToolSpec, Usage
from beaver.agent.middleware import MiddlewareChain, ToolOutput, TurnContext, TurnOutput
from beaver.agent.providers.base import Provider
from beaver.agent.recording import Ending, Opening, Owed, RunKey, RunRecorder
from beaver.agent.reference import FORGET_RULE, UNTRUSTED_RULE, reference_message
from beaver.agent.results import (
    AgentRunResult,
    Answered,
    Emit,
    RunRequest,
    RunStarted,
    StopReason,
    ToolFinished,
    ToolStarted,
    failure_text,
    forgiving,
    lower,
    tell_nobody,
)
from beaver.agent.skills import SkillLibrary
from beaver.agent.tools.base import ToolContext
from beaver.agent.tools.dispatch import ToolDispatch, ToolResult
from beaver.agent.tools.loop_guard import LoopGuard
from beaver.agent.transcript import open_calls, result_message, to_event
from beaver.clock import Clock, system_clock
from beaver.errors import BeaverError, InvalidInput, NotFound, PeerFault, Unavailable
from beaver.ids import IdSource, new_id, validate_session_id
from beaver.logs import get_logger
from beaver.sessions.leases import LeaseLost
from beaver.text import replace_surrogates
from beaver.tracing import active_traceparent, current_traceparent, span

CLEANUP_S: Final = 5.0
ANSWER_NOW: Final = "No more tools can be used in this turn. Answer the user now with what you have found out."
NO_ANSWER: Final = (
    "I used all the tool calls of this turn without coming to an answer. Ask again, perhaps for a smaller part of it."
)


@dataclass(frozen=True)
class LoopSettings:
    """What every run says of itself, and how far it may go.

    `hooks_recall`: a hook searches the Gateway, in place of the loop. `untrusted_references`: a hook may bring passages that
    nobody has to obey.
    """

    identity: str
    tool_rounds_max: int = 50
    output_tokens_max: int = 4096
    context_tokens_max: int = 128_000
    hooks_recall: bool = False
    untrusted_references: bool = False


@dataclass
class Turn:
    """A run under way: what it is, and what has come of it so far."""

    key: RunKey
    prompt: str
    asked_ms: int
    traceparent: str
    rules: tuple[str, ...] = ()
    output_tokens_max: int | None = None
    by_machine: bool = False
    user_event_id: int = 0
    history: tuple[PromptMessage, ...] = ()
    references: tuple[PromptMessage, ...] = ()
    added: list[PromptMessage] = field(default_factory=list)
    tools_used: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    guard: LoopGuard = field(default_factory=LoopGuard)
    scratch: dict[str, Any] = field(default_factory=dict)

    def ending(self, text: str, stop_reason: StopReason) -> Ending:
        """The end of this turn."""
        return Ending(text, stop_reason, self.usage, tuple(dict.fromkeys(self.tools_used)))

    def context(self) -> TurnContext:
        """What hooks are told of this turn."""
        return TurnContext(
            self.key.session_id,
            self.key.run_id,
            self.prompt,
            self.history,
            self.references,
            by_machine=self.by_machine,
        )


class AgentLoop:
    """Runs prompts. Safe for many runs at once; runs of one session follow each other."""

    def __init__(
        self,
        *,
        provider: Provider,
        recorder: RunRecorder,
        tools: ToolDispatch,
        settings: LoopSettings,
        curated: MemoryService | None = None,
        gateway: MemoryGatewayService | None = None,
        skills: SkillLibrary | None = None,
        middleware: MiddlewareChain | None = None,
        clock: Clock = system_clock,
        ids: IdSource = new_id,
        traceparent: Callable[[], str] = current_traceparent,
    ) -> None:
        self._provider = provider
        self._recorder = recorder
        self._tools = tools
        self._settings = settings
        self._curated = curated
        self._gateway = gateway
        self._skills = skills or SkillLibrary({})
        self._middleware = middleware or MiddlewareChain()
        self._clock = clock
        self._ids = ids
        self._traceparent = traceparent
        self._tokens_max = history_budget(settings.context_tokens_max, settings.output_tokens_max, tools.specs)

    @property
    def provider(self) -> str:
        """Which kind of provider answers."""
        return self._provider.name

    def check(self, request: RunRequest) -> None:
        """Raise InvalidInput for a blank prompt, a bad session id or skills that do not exist: what will never be run."""
        if not request.prompt.strip():
            raise InvalidInput("prompt", "must not be blank")
        if request.session_id is not None:
            validate_session_id(request.session_id)
        self._skills.activate(request.skills)

    async def run(self, request: RunRequest, emit: Emit = tell_nobody) -> AgentRunResult:
        """Answer one prompt.

        Raises what `check` raises, Conflict when the session stays busy, NotFound when it is deleted while the run waits for
        it, and Unavailable when the session store cannot even be asked for it. After that, a failure of the world is a result
        with `error`. Cancelling it ends the run as cancelled, unless the answer is committed already.
        """
        self.check(request)
        prompt, session_id = replace_surrogates(request.prompt), request.session_id or self._ids("session")
        activated = self._skills.activate(request.skills)
        run_id = request.run_id or self._ids("run")
        tell = forgiving(emit, run_id)

        with span("beaver.run", run_id=run_id):
            opening = self._opening(run_id, session_id, prompt, is_queued=request.run_id is not None)
            async with self._recorder.held(opening, request.on_busy) as key:
                turn = Turn(
                    key,
                    prompt,
                    self._clock(),
                    self._traceparent(),
                    request.rules,
                    request.output_tokens_max,
                    request.by_machine,
                )
                result = await self._take(turn, opening, activated, tell)
            if result.error is None:
                await self._follow_up(turn, result)
        return result

    def _opening(self, run_id: str, session_id: str, prompt: str, *, is_queued: bool) -> Opening:
        said = PromptMessage("user", prompt, "prompt")
        return Opening(run_id, session_id, said, self._provider.name, self._provider.model, is_queued)

    async def _take(
        self, turn: Turn, opening: Opening, activated: tuple[PromptMessage, ...], emit: Emit
    ) -> AgentRunResult:
        """The turn under its lease, up to the committed answer."""
        try:
            async with cut_off_when(turn.key.held.lost, LeaseLost("another process took over the session")):
                ending = await self._answer(turn, opening, activated, emit)
            await self._recorder.complete(turn.key, ending, self._owed(turn, ending))
        except BeaverError as error:
            return await self._failed(turn, error)
        # Cancellation, or a bug: no run may stay "running" and no call open. Both go on their way afterwards.
        except BaseException as stop:
            await self._abandoned(turn, stop)
            raise
        get_logger().info("run.completed", run_id=turn.key.run_id, stop_reason=ending.stop_reason)
        await emit(Answered(ending.text))
        return self._result(turn, ending, error=None)

    async def _answer(self, turn: Turn, opening: Opening, activated: tuple[PromptMessage, ...], emit: Emit) -> Ending:
        """Gather, then rounds of the provider and its tools until it answers without asking for one."""
        parts = await self._gather(turn, opening, activated, emit)
        for _ in range(self._settings.tool_rounds_max):
            completion = await self._ask(turn, build_messages(parts, turn.added, tokens_max=self._tokens_max), emit)
            if not completion.tool_calls:
                finish = "stop" if completion.finish == "tool_calls" else completion.finish
                return turn.ending(replace_surrogates(completion.text), finish)
            await self._use_tools(turn, completion, emit)
            if turn.guard.exhausted:
                return await self._answer_without_tools(turn, parts, "loop_guard", emit)
        return await self._answer_without_tools(turn, parts, "tool_limit", emit)

    async def _gather(
        self, turn: Turn, opening: Opening, activated: tuple[PromptMessage, ...], emit: Emit
    ) -> PromptParts:
        turn.history = await self._recorder.history(opening, tokens_max=self._tokens_max)
        turn.user_event_id = opening.user_event_id
        await emit(RunStarted(turn.key.run_id, turn.key.session_id))
        snapshot = await self._curated.snapshot() if self._curated else MemorySnapshot()
        turn.references = await self._recall(turn)
        await self._ask_hooks(turn)
        return PromptParts(
            identity=self._settings.identity,
            prompt=turn.prompt,
            curated_memory=snapshot.memory,
            curated_user=snapshot.user,
            skills_catalogue=self._skills.catalogue(),
            untrusted_rule=UNTRUSTED_RULE if self._gateway or self._settings.untrusted_references else None,
            forget_rule=FORGET_RULE if self._gateway else None,
            run_rules=turn.rules,
            activated_skills=activated,
            references=turn.references,
            history=turn.history,
        )

    async def _ask_hooks(self, turn: Turn) -> None:
        context = await self._middleware.before_prompt(turn.context())
        turn.references = context.references
        for note in context.notes:
            self._recorder.note(turn.key, replace(note, context_visible=False))

    async def _recall(self, turn: Turn) -> tuple[PromptMessage, ...]:
        """One search of the Gateway; whatever it comes to, the run goes on, and its next write tells of it."""
        if self._gateway is None or self._settings.hooks_recall:
            return ()
        with span("beaver.recall", run_id=turn.key.run_id):
            outcome = await self._gateway.recall_before_run(
                turn.key.session_id, turn.prompt, traceparent=active_traceparent() or turn.traceparent
            )
        self._recorder.note(turn.key, recall_audit(outcome))
        message = reference_message(outcome.items) if isinstance(outcome, Recalled) else None
        return () if message is None else (message,)

    async def _ask(
        self, turn: Turn, messages: tuple[PromptMessage, ...], emit: Emit, tools: Sequence[ToolSpec] | None = None
    ) -> Completion:
        """One call of the provider; text goes out as it comes."""
        request = ProviderRequest(
            messages=messages,
            tools=self._tools.specs if tools is None else tuple(tools),
            output_tokens_max=lower(self._settings.output_tokens_max, turn.output_tokens_max),
            turn_metadata={"time": _iso(turn.asked_ms)},
        )
        async with closing(self._provider.stream(request)) as pieces:
            async for piece in pieces:
                match piece:
                    case TextDelta():
                        await emit(TextDelta(replace_surrogates(piece.text)))
                    case Completion():
                        turn.usage += piece.usage
                        return piece
        raise PeerFault("the provider ended without completing its answer")

    async def _use_tools(self, turn: Turn, completion: Completion, emit: Emit) -> None:
        """Store what the model asks for, then run each call and store its result, in order."""
        await self._add(turn, PromptMessage("assistant", completion.text, "history", completion.tool_calls))
        for call in completion.tool_calls:
            await emit(ToolStarted(call.name))
            result = await self._use_tool(turn, call)
            await self._add(turn, result_message(call, result.text), is_error=result.is_error)
            await emit(ToolFinished(call.name, not result.is_error))
            output = ToolOutput(call.name, result.text, result.is_error)
            await self._middleware.on_tool_result(turn.context(), output)

    async def _use_tool(self, turn: Turn, call: ToolCall) -> ToolResult:
        refusal = turn.guard.refusal(call)
        if refusal is not None:
            return refusal
        if self._tools.knows(call.name):
            turn.tools_used.append(call.name)
        context = ToolContext(turn.key.session_id, turn.key.run_id, turn.scratch)
        result = await self._tools.call(call, context)
        return result.with_note(turn.guard.observe(call, result))

    async def _add(self, turn: Turn, message: PromptMessage, *, is_error: bool = False) -> None:
        # In memory first: a cancellation during the write must find the call open.
        turn.added.append(message)
        await self._recorder.append(turn.key, to_event(message, is_error=is_error))

    async def _answer_without_tools(
        self, turn: Turn, parts: PromptParts, stop_reason: StopReason, emit: Emit
    ) -> Ending:
        """A last call that offers no tools; a fixed text where it fails, is blank or asks for one. A normal completion."""
        added = (*turn.added, PromptMessage("user", ANSWER_NOW, "rule"))
        messages = build_messages(parts, added, tokens_max=self._tokens_max)
        try:
            completion = await self._ask(turn, messages, tell_nobody, tools=())
        except BeaverError as error:
            get_logger().warning("run.last_call_failed", run_id=turn.key.run_id, code=error.code)
            completion = Completion("", (), Usage(), "stop")
        usable = completion.text.strip() and not completion.tool_calls
        text = replace_surrogates(completion.text) if usable else NO_ANSWER
        await emit(TextDelta(text))
        return turn.ending(text, stop_reason)

    def _owed(self, turn: Turn, ending: Ending) -> Owed | None:
        gateway = self._gateway
        if gateway is None:
            return None
        answer_at_ms = max(turn.asked_ms, self._clock())
        return Owed(
            lambda answer_event_id: gateway.new_turn(
                run_id=turn.key.run_id,
                session_id=turn.key.session_id,
                user_event_id=turn.user_event_id,
                answer_event_id=answer_event_id,
                user_at_ms=turn.asked_ms,
                answer_at_ms=answer_at_ms,
                traceparent=turn.traceparent,
            ),
            skip_reason=skip_reason(turn.prompt, ending.text),
        )

    async def _follow_up(self, turn: Turn, result: AgentRunResult) -> None:
        """After the answer is out and the session is free: ring the queue, then tell the hooks."""
        if self._gateway is not None and skip_reason(turn.prompt, result.text) is None:
            await self._gateway.persist_after_run(turn.key.run_id, turn.traceparent)
        output = TurnOutput(result.text, result.stop_reason, result.tools_used)
        await self._middleware.after_prompt(turn.context(), output)

    async def _failed(self, turn: Turn, error: BeaverError) -> AgentRunResult:
        ending = turn.ending(failure_text(error), "error")
        get_logger().warning("run.failed", run_id=turn.key.run_id, code=error.code)
        try:
            await self._recorder.fail(turn.key, error.code, ending, open_calls(turn.added))
        except (LeaseLost, NotFound, Unavailable) as second:
            get_logger().warning("run.end_not_stored", run_id=turn.key.run_id, error=type(second).__name__)
        return self._result(turn, ending, error=error.code)

    async def _abandoned(self, turn: Turn, stop: BaseException) -> None:
        if turn.key.held.given_back:
            # By the transaction that holds the answer.
            return
        calls = open_calls(turn.added)
        try:
            async with asyncio.timeout(CLEANUP_S):
                if isinstance(stop, asyncio.CancelledError):
                    await self._recorder.cancel(turn.key, turn.ending("", "interrupted"), calls)
                else:
                    await self._recorder.fail(turn.key, "internal", turn.ending("", "error"), calls)
        except (LeaseLost, NotFound, Unavailable, TimeoutError) as second:
            get_logger().warning("run.end_not_stored", run_id=turn.key.run_id, error=type(second).__name__)

    def _result(self, turn: Turn, ending: Ending, *, error: str | None) -> AgentRunResult:
        prompt = PromptMessage("user", turn.prompt, "prompt")
        answer = () if error else (PromptMessage("assistant", ending.text, "history"),)
        return AgentRunResult(
            run_id=turn.key.run_id,
            session_id=turn.key.session_id,
            text=ending.text,
            messages=(prompt, *turn.added, *answer),
            tools_used=ending.tools_used,
            usage=ending.usage,
            stop_reason=ending.stop_reason,
            error=error,
            provider=self.provider,
        )


def _iso(epoch_ms: int) -> str:
    return datetime.fromtimestamp(epoch_ms / 1000, UTC).isoformat(timespec="seconds")
