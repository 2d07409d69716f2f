"""From a request to the run that answers it, and from a run to its end: what both of OpenAI's APIs share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from fastapi import Request

from beaver.agent.messages import PromptMessage
from beaver.agent.results import AgentRunResult, RunRequest
from beaver.errors import BeaverError
from beaver.schemas.chat import SESSION_HEADER, RunOutcome
from beaver.schemas.problems import ProblemBody, problem_body, problem_of
from beaver.server.guard.asker import asker_of
from beaver.server.guard.auth import caller_of
from beaver.server.openai.models import is_without_memory
from beaver.server.openai.questions import Question
from beaver.server.problems import RunFailed, of_this_request
from beaver.server.runs.elsewhere import AnyRun
from beaver.server.runs.idempotency import RUN
from beaver.server.sessions.identity import identify, to_header
from beaver.sessions.resent import resent_turns


@dataclass(frozen=True)
class Asked:
    """A question and the run that answers it, in a session or, without memory, in none."""

    run: AnyRun
    session_id: str | None

    @property
    def headers(self) -> dict[str, str]:
        """The session, said back."""
        return {} if self.session_id is None else {SESSION_HEADER: to_header(self.session_id)}

    def let_go(self) -> None:
        """Nobody listens any more: what belongs to no session is of no use to anybody then."""
        if self.session_id is None:
            self.run.stop()


async def ask(request: Request, question: Question, *, prefix: str = RUN) -> Asked:
    """Begin to answer, in a run whose id begins with `prefix`. Raises InvalidInput, and what the start of a run raises."""
    state = request.app.state
    if is_without_memory(question.model):
        return Asked(await _aside(request, question), None)
    identity = identify(
        request.headers,
        question.hints,
        front_end=caller_of(request).front_end,
        session_headers=state.session_headers,
    )

    asked = RunRequest(
        question.prompt, skills=question.skills, rules=question.rules, output_tokens_max=question.output_tokens_max
    )

    async def placed() -> RunRequest:
        state.runs.check(asked)
        return replace(asked, session_id=await state.placement.place(identity, resent_turns(question.earlier)))

    run = await state.quotas.during(
        asker_of(request.scope), placed, partial(state.starter.once, request, prefix=prefix)
    )
    return Asked(run, run.session_id)


async def _aside(request: Request, question: Question) -> AnyRun:
    state = request.app.state

    async def told() -> tuple[PromptMessage, ...]:
        return question.messages()

    async def begun(wanted: Callable[[], Awaitable[tuple[PromptMessage, ...]]]) -> AnyRun:
        run: AnyRun = state.asides.start(await wanted(), output_tokens_max=question.output_tokens_max)
        return run

    answering: AnyRun = await state.quotas.during(asker_of(request.scope), told, begun)
    return answering


async def answer(run: AnyRun) -> AgentRunResult:
    """The result of a run that succeeded. Raises RunFailed for one that began and failed, else what refused it."""
    try:
        result = await run.result()
    except BeaverError as error:
        if run.run_id is None:
            raise
        raise RunFailed(error.code, str(error)) from None
    if result.error is not None:
        raise RunFailed(result.error, result.text)
    return result


async def end_of(run: AnyRun) -> AgentRunResult | ProblemBody:
    """How a run ended, for a stream: its status line is out, so only its last event can say what went wrong."""
    try:
        return await answer(run)
    except RunFailed as failure:
        return of_this_request(problem_of(failure.code, failure.text))
    except BeaverError as error:
        return of_this_request(problem_body(error))
    # The edge of this process; the registry has logged it.
    except Exception:
        return of_this_request(problem_of("internal", "the run ended by a fault of the server"))


def outcome_of(result: AgentRunResult) -> RunOutcome:
    """Our own extension of an answer."""
    return RunOutcome(
        session_id=result.session_id or None,
        run_id=result.run_id,
        stop_reason=result.stop_reason,
        tools_used=list(result.tools_used),
        provider=result.provider,
    )
