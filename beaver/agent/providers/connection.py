"""What the SDK providers share of a connection: the extra that must be there, its bounds, and faults without secrets."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final, TypeVar

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

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")
_CONNECT_TIMEOUT_S: Final = 10.0
_IDLE_CONNECTIONS_MAX: Final = 20
_LIMIT_STATUSES: Final = {402, 429}
_REFUSED_STATUSES: Final = {400, 413, 422}


def sdk(name: str) -> Any:
    """The SDK's module. Raises ConfigError that names the extra to install when it is absent."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        module = None
    if module is None:
        raise ConfigError("provider.kind", f"needs the extra `{name}`: install beaver-agent[{name}]")
    # An environment variable can make the SDK log whole requests; conversation text must not reach a log.
    logging.getLogger(name).setLevel(logging.WARNING)
    return module


def http_client(timeout_s: float, transport: httpx2.AsyncBaseTransport | None) -> httpx2.AsyncClient:
    """A client for an SDK: it follows no redirects (they would carry the prompt to another host) and connects within 10 s.

    Reading has no bound here: `guarded` gives each piece of an answer one. Nor has the number of calls at once, which is the
    runs' to bound: one that waited here for another's end would count as silence of the model.
    """
    import httpx2

    timeout = httpx2.Timeout(None, connect=min(timeout_s, _CONNECT_TIMEOUT_S))
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=_IDLE_CONNECTIONS_MAX)
    return httpx2.AsyncClient(timeout=timeout, limits=limits, transport=transport, follow_redirects=False)


async def guarded(
    events: AsyncGenerator[T, None],
    *,
    provider: str,
    idle_s: float,
    errors: tuple[type[Exception], ...],
    fault_of: Callable[[Exception], BeaverError],
) -> AsyncGenerator[T, None]:
    """The same events, each within `idle_s` of the one before; closes them at the end, whatever the end is.

    What is one of `errors` comes out as `fault_of` it, and what cannot be read (any ValueError) as PeerFault. It is raised
    outside the handler, so that the SDK's error, which holds the request with its key, does not hang on it.
    """
    async with aclosing(events):
        while True:
            fault: BeaverError
            try:
                async with asyncio.timeout(idle_s):
                    event = await anext(events)
            except StopAsyncIteration:
                return
            except TimeoutError:
                fault = DeadlineExceeded(f"{provider} sent nothing for {idle_s:g} s")
            except errors as error:
                fault = fault_of(error)
            except ValueError:
                fault = PeerFault(f"{provider} sent an answer that cannot be read")
            else:
                yield event
                continue
            raise fault


def status_fault(provider: str, status: int) -> BeaverError:
    """What an HTTP status of a model's API means for us."""
    if status in {401, 403}:
        return Unauthenticated(f"{provider} refused the credential (HTTP {status}); check provider.apiKey")
    if status in _LIMIT_STATUSES:
        return LimitExceeded(f"{provider} refused for rate or quota (HTTP {status}); try again later")
    if status in _REFUSED_STATUSES:
        return InvalidInput("prompt", f"was refused by {provider} (HTTP {status})")
    if status == 404:
        return PeerFault(
            f"{provider} knows no such model or address (HTTP 404); check provider.model and provider.baseUrl"
        )
    if status == 408 or status >= 500:
        return Unavailable(f"{provider} cannot serve now (HTTP {status}); try again later")
    return PeerFault(f"{provider} answered with HTTP {status}")


def connection_fault(provider: str) -> BeaverError:
    """The connection could not be made, or broke."""
    return Unavailable(f"{provider} cannot be reached or closed the connection; check the network and provider.baseUrl")
