"""The log of a test's own process, as it would leave on standard error."""

from __future__ import annotations

import io
import json
from typing import Any

from tests.support.waiting import wait_until


class LogLines:
    """Everything logged so far."""

    def __init__(self, stream: io.StringIO) -> None:
        self._stream = stream

    @property
    def text(self) -> str:
        """As it stands."""
        return self._stream.getvalue()

    def of(self, event: str, **fields: Any) -> list[dict[str, Any]]:
        """The lines of one event, in order, that have these fields."""
        lines = [json.loads(line) for line in self.text.splitlines()]
        return [line for line in lines if line["event"] == event and fields.items() <= line.items()]

    async def one(self, event: str, **fields: Any) -> dict[str, Any]:
        """Wait for the only such line."""

        async def found() -> list[dict[str, Any]]:
            return self.of(event, **fields)

        (line,) = await wait_until(found, what=f"a line {event} with {fields}")
        return line
