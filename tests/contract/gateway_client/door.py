"""A client of a Gateway that is either a socket or a stand-in transport."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from beaver.client.gateway import MemoryGatewayClient


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


class Door:
    """A client, what it asked for, and the answer it will get."""

    client: MemoryGatewayClient
    answer: Callable[[int, bytes, Mapping[str, str]], None]
    asked: Callable[[], list[Asked]]
