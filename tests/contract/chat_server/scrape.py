"""What GET /metrics tells, as figures."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from tests.support.chat_server import RunningChatServer
from tests.support.waiting import wait_until

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


async def scraped(server: RunningChatServer) -> Samples:
    """Every sample by its name and labels."""
    text = (await server.client.get("/metrics")).text
    families = text_string_to_metric_families(text)
    return {(each.name, frozenset(each.labels.items())): each.value for family in families for each in family.samples}


async def figure(server: RunningChatServer, name: str, **labels: str) -> float | None:
    """One sample; None where there is none."""
    return (await scraped(server)).get((name, frozenset(labels.items())))


async def becomes(server: RunningChatServer, expected: float, name: str, **labels: str) -> None:
    """Wait until a sample stands at a figure: an answer's last byte leaves before its request has ended."""

    async def stands() -> bool:
        return await figure(server, name, **labels) == expected

    await wait_until(stands, what=f"{name} {labels} at {expected}")
