"""Host names whose name server is silent: a lookup hangs until it is told to fail."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.waiting import wait_until

DOMAIN = "silent.example"


class SilentNames:
    """The lookups under one domain."""

    def __init__(self) -> None:
        self.asked = 0
        self._answer = threading.Event()

    @staticmethod
    def host(number: int = 0) -> str:
        """A name that nobody resolves."""
        return f"host-{number}.{DOMAIN}"

    async def are_asked_for(self, count: int) -> None:
        """Wait until so many lookups have begun."""

        async def asked() -> bool:
            return self.asked >= count

        await wait_until(asked, what=f"{count} lookups, not {self.asked}")

    def refuse(self) -> None:
        """End every lookup, now and later, as a resolver does that has given up."""
        self._answer.set()

    def look_up(self) -> None:
        """One lookup, in its thread."""
        self.asked += 1
        self._answer.wait()
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")


@contextmanager
def silent_names(monkeypatch: pytest.MonkeyPatch) -> Iterator[SilentNames]:
    """For the length of the block; all other names are looked up as ever."""
    names, real = SilentNames(), socket.getaddrinfo

    def getaddrinfo(host: Any, *arguments: Any, **named: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else str(host)
        if name.endswith(DOMAIN):
            names.look_up()
        return real(host, *arguments, **named)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    try:
        yield names
    finally:
        names.refuse()
