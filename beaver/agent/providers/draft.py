"""An answer while it arrives: text, tool calls piece by piece, usage and the reason it ended."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Final, Literal, TypeVar

from beaver.agent.messages import Completion, ProviderPiece, TextDelta, ToolCall, Usage
from beaver.errors import PeerFault, Unavailable

Finish = Literal["stop", "tool_calls", "length", "content_filter"]
ANSWER_CHARACTERS_MAX: Final = 4_000_000
Wire = TypeVar("Wire")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_HALF_AT_END: Final = re.compile("[\ud800-\udbff]\\Z")


async def drafted(
    wires: AsyncGenerator[Wire, None], draft: Draft, take: Callable[[Wire, Draft], str]
) -> AsyncIterator[ProviderPiece]:
    """What a provider yields for the messages of its API; `take` puts one in the draft and returns the text to show."""
    async with aclosing(wires):
        async for wire in wires:
            if text := take(wire, draft):
                yield TextDelta(text)
    if text := draft.rest_of_text():
        yield TextDelta(text)
    yield draft.completion()


class Draft:
    """Collects one answer of `provider`. Raises PeerFault once it passes 4,000,000 characters."""

    def __init__(self, provider: str) -> None:
        self.usage = Usage()
        self.finish: Finish | None = None
        self._provider = provider
        self._pieces: list[str] = []
        self._half = ""
        self._calls: list[_Call] = []
        self._characters = 0

    def add_text(self, text: str) -> str:
        """Take a delta; returns what of it can be shown now.

        Some servers cut an emoji's two `\\u` escapes into two deltas: the first half is held back until the second comes.
        """
        self._count(text)
        text = self._half + text
        found = _HALF_AT_END.search(text)
        self._half = found.group() if found else ""
        return self._keep(text.removesuffix(self._half))

    def rest_of_text(self) -> str:
        """What was held back, once no more text comes."""
        half, self._half = self._half, ""
        return self._keep(half)

    def add_call(self, index: int | None, call_id: str | None, name: str | None, arguments: str | None) -> None:
        """Take a piece of the tool call at `index`.

        Some servers do not count: a name without an index, or another id or name at a known index, opens another call.
        """
        self._count(arguments or "")
        call = self._open_call(index, call_id, name)
        if call is None:
            call = _Call(index)
            self._calls.append(call)
        call.id = call.id or call_id or ""
        call.name = call.name or name or ""
        call.arguments.append(arguments or "")

    def completion(self) -> Completion:
        """The whole answer. Raises Unavailable when the stream ended before the answer did."""
        if self.finish is None:
            raise Unavailable(f"{self._provider} broke off in the middle of the answer")
        calls = tuple(
            ToolCall(call.id or f"call_{number}", call.name, _paired("".join(call.arguments)) or "{}")
            for number, call in enumerate(self._calls, 1)
        )
        return Completion("".join(self._pieces), calls, self.usage, _agreeing(self.finish, bool(calls)))

    def _open_call(self, index: int | None, call_id: str | None, name: str | None) -> _Call | None:
        if index is None and name:
            return None
        call = next((call for call in reversed(self._calls) if index is None or call.index == index), None)
        if call is None or (call_id and call.id and call_id != call.id) or (name and call.name and name != call.name):
            return None
        return call

    def _keep(self, text: str) -> str:
        text = _paired(text)
        self._pieces.append(text)
        return text

    def _count(self, text: str) -> None:
        self._characters += len(text)
        if self._characters > ANSWER_CHARACTERS_MAX:
            raise PeerFault(f"{self._provider} sent an answer of more than {ANSWER_CHARACTERS_MAX} characters")


class _Call:
    def __init__(self, index: int | None) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []


def _paired(text: str) -> str:
    """Surrogate pairs become their character; a lone one becomes U+FFFD."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _agreeing(finish: Finish, has_calls: bool) -> Finish:
    # Servers say "stop" beside tool calls, and "tool_calls" beside none.
    if has_calls and finish == "stop":
        return "tool_calls"
    return "stop" if finish == "tool_calls" and not has_calls else finish
