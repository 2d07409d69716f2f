"""A provider that plays a script: the model of tests, in one process or in a real server.

A script file is a JSON list of steps, one a call, the last one repeating:
`{"text": "…"}`, `{"tool_calls": [{"name": "…", "arguments": {…}}]}` (with `text` if both), or `{"error": "unavailable"}`.
A step may also hold `finish`, `usage` (`{"input_tokens": 1, "output_tokens": 1}`) and `delay_ms`, the pause before each piece.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from beaver.agent.messages import Completion, ProviderPiece, ProviderRequest, TextDelta, ToolCall, Usage
from beaver.agent.providers.pieces import in_pieces
from beaver.errors import (
    BeaverError,
    ConfigError,
    DeadlineExceeded,
    InvalidInput,
    LimitExceeded,
    PeerFault,
    Unauthenticated,
    Unavailable,
)


@dataclass(frozen=True)
class Pause:
    """Nothing comes for so many seconds."""

    seconds: float


Act = ProviderPiece | Pause | Exception
Step = Completion | Exception | Sequence[Act] | Callable[[ProviderRequest], "Completion | Exception | Sequence[Act]"]


class ScriptedProvider:
    """Plays `steps`, one a call; the last step repeats. `requests` holds every request so far, in order.

    A step is a Completion (streamed about a word at a time), an exception (raised), a sequence of pieces, pauses and
    exceptions played as they stand (closed with a Completion of the joined deltas where it has none), or a function of
    the request that gives one of those.
    """

    name = "scripted"

    def __init__(self, steps: Iterable[Step], *, delay_s: float = 0, model: str = "script") -> None:
        """`delay_s` passes before every piece."""
        self.model = model
        self.requests: list[ProviderRequest] = []
        self._steps = tuple(steps)
        self._delay_s = delay_s
        if not self._steps:
            raise ValueError("a script needs a step")

    @classmethod
    def from_file(cls, path: Path) -> ScriptedProvider:
        """A provider that plays the script file. Raises ConfigError where the file cannot be read as one."""
        return cls(_read_script(path), model=path.name)

    async def stream(self, request: ProviderRequest) -> AsyncIterator[ProviderPiece]:
        """Play the next step."""
        step = self._steps[min(len(self.requests), len(self._steps) - 1)]
        self.requests.append(request)
        for act in _acts(step(request) if callable(step) else step):
            if isinstance(act, Pause):
                await asyncio.sleep(act.seconds)
                continue
            await asyncio.sleep(self._delay_s)
            if isinstance(act, Exception):
                raise act
            yield act

    async def aclose(self) -> None:
        """Nothing is open."""


def _acts(step: Completion | Exception | Sequence[Act]) -> Iterator[Act]:
    match step:
        case Completion():
            yield from in_pieces(step)
        case Exception():
            yield step
        case _:
            yield from step
            if not any(isinstance(act, Completion | Exception) for act in step):
                text = "".join(act.text for act in step if isinstance(act, TextDelta))
                yield Completion(text, (), Usage(), "stop")


class _FileModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class _FileCall(_FileModel):
    name: str
    arguments: dict[str, Any] | str = Field(default_factory=dict)
    id: str | None = None


class _FileUsage(_FileModel):
    input_tokens: int = 0
    output_tokens: int = 0


class _FileStep(_FileModel):
    text: str = ""
    tool_calls: tuple[_FileCall, ...] = ()
    error: Literal[
        "unavailable", "deadline_exceeded", "limit_exceeded", "unauthenticated", "invalid_input", "peer_fault", None
    ] = None
    finish: Literal["stop", "tool_calls", "length", "content_filter", None] = None
    usage: _FileUsage = _FileUsage()
    delay_ms: Annotated[int, Field(ge=0)] = 0


_SCRIPT: Final = TypeAdapter(Annotated[list[_FileStep], Field(min_length=1)])


def _read_script(path: Path) -> list[Step]:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError("provider.script", f"must name a readable UTF-8 JSON file ({type(error).__name__})") from None
    try:
        steps = _SCRIPT.validate_python(raw)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"])) or "the file"
        raise ConfigError("provider.script", f"must be a list of steps; {where} is not right") from None
    return [_step(step, number) for number, step in enumerate(steps, 1)]


def _step(step: _FileStep, number: int) -> list[Act]:
    pause = Pause(step.delay_ms / 1000)
    if step.error is not None:
        return [pause, _error(step.error)]
    calls = tuple(_call(call, f"call_{number}_{index}") for index, call in enumerate(step.tool_calls, 1))
    usage = Usage(step.usage.input_tokens, step.usage.output_tokens)
    finish = step.finish or ("tool_calls" if calls else "stop")
    acts = in_pieces(Completion(step.text, calls, usage, finish))
    return [either for act in acts for either in (pause, act)]


def _call(call: _FileCall, default_id: str) -> ToolCall:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    return ToolCall(call.id or default_id, call.name, arguments)


def _error(code: str) -> BeaverError:
    if code == "invalid_input":
        return InvalidInput("prompt", "was refused by the script")
    kinds = (Unavailable, DeadlineExceeded, LimitExceeded, Unauthenticated, PeerFault)
    return next(kind for kind in kinds if kind.code == code)(f"the script says {code}")
