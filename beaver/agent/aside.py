"""An answer beside all sessions: one call of the provider with the caller's own messages. Nothing is recalled or stored.

For what chat front ends ask on the side (a title, tags, what to ask next), which must never become anybody's memory.
"""

from __future__ import annotations

from beaver.agent.interruption import closing
from beaver.agent.messages import Completion, PromptMessage, ProviderRequest, TextDelta, Usage
from beaver.agent.providers.base import Provider
from beaver.agent.results import AgentRunResult, Answered, Emit, RunStarted, failure_text, forgiving, lower
from beaver.errors import BeaverError, PeerFault
from beaver.ids import IdSource, new_id
from beaver.logs import get_logger
from beaver.text import replace_surrogates


class Aside:
    """Answers without tools, memory or session. Safe for many calls at once."""

    def __init__(self, provider: Provider, *, output_tokens_max: int, ids: IdSource = new_id) -> None:
        self._provider = provider
        self._output_tokens_max = output_tokens_max
        self._ids = ids

    async def run(
        self, messages: tuple[PromptMessage, ...], emit: Emit, *, output_tokens_max: int | None = None
    ) -> AgentRunResult:
        """Answer, with no more tokens than wanted; a failure of the world is a result with `error`.

        The result's session id is blank.
        """
        run_id = self._ids("aside")
        tell = forgiving(emit, run_id)
        await tell(RunStarted(run_id, ""))
        try:
            completion = await self._ask(messages, lower(self._output_tokens_max, output_tokens_max), tell)
        except BeaverError as error:
            get_logger().warning("aside.failed", run_id=run_id, code=error.code)
            said = Completion(failure_text(error), (), Usage(), "stop")
            return self._result(run_id, messages, said, error=error.code)
        await tell(Answered(completion.text))
        return self._result(run_id, messages, completion)

    async def _ask(self, messages: tuple[PromptMessage, ...], tokens_max: int, emit: Emit) -> Completion:
        request = ProviderRequest(messages, output_tokens_max=tokens_max)
        async with closing(self._provider.stream(request)) as pieces:
            async for piece in pieces:
                match piece:
                    case TextDelta():
                        await emit(TextDelta(replace_surrogates(piece.text)))
                    case Completion():
                        return piece
        raise PeerFault("the provider ended without completing its answer")

    def _result(
        self, run_id: str, messages: tuple[PromptMessage, ...], completion: Completion, *, error: str | None = None
    ) -> AgentRunResult:
        text = replace_surrogates(completion.text)
        finish = "stop" if completion.finish == "tool_calls" else completion.finish
        answer = () if error else (PromptMessage("assistant", text, "history"),)
        return AgentRunResult(
            run_id=run_id,
            session_id="",
            text=text,
            messages=(*messages, *answer),
            tools_used=(),
            usage=completion.usage,
            stop_reason="error" if error else finish,
            error=error,
            provider=self._provider.name,
        )
