"""Asks each part of an instance whether it answers: in plain words, with the next step, and never with a value of a secret."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from typing import Final
from urllib.parse import urlsplit

from beaver.apart import look_names_up_apart
from beaver.cli.gateway_parts import has_own_gateway, look_at_gateway
from beaver.cli.gateway_probe import STARTED_BY_UP, look_at_memory_gateway
from beaver.cli.idempotency_probe import honours_idempotency_key
from beaver.cli.part_finding import PartFinding, database_step
from beaver.client.jobs import PersistQueue
from beaver.client.redis_urls import queue_place
from beaver.config.chat_needs import needs_keys
from beaver.config.memory import gateway_of
from beaver.config.settings import Settings
from beaver.db.engine import Database
from beaver.db.migrate import schema_revision
from beaver.db.migrations import HEAD
from beaver.embedded.probes import answers_http
from beaver.errors import BeaverError
from beaver.sessions.key_store import KeyStore

_QUEUE_TIMEOUT_MS: Final = 1000


async def look_at_parts(settings: Settings) -> list[PartFinding]:
    """One finding a part, all asked at once. The provider is not called: that may cost money."""
    look_names_up_apart()
    looks = (
        _sessions(settings),
        _keys(settings),
        _queue(settings),
        _limits(settings),
        look_at_memory_gateway(settings),
        _idempotency(settings),
        _server(settings),
    )
    found = [finding for finding in await asyncio.gather(*looks) if finding is not None]
    own_gateway = await look_at_gateway(settings) if has_own_gateway(settings) else []
    return [*found, *own_gateway, _provider(settings)]


async def _sessions(settings: Settings) -> PartFinding:
    part = "session database"
    if _is_missing_file(settings):
        return PartFinding("ok", part, "is not there yet; the first start makes it")
    database = Database.open(settings.sessions_url)
    try:
        revision = await schema_revision(database)
    except BeaverError as error:
        return PartFinding("warning", part, str(error), database_step("sessions.databaseUrl"))
    finally:
        await database.close()
    if revision != HEAD:
        stands = "has no schema yet" if revision is None else f"has schema {revision}, and this release {HEAD}"
        return PartFinding("warning", part, stands, "`beaver migrate` brings it up to date; a start does so too.")
    return PartFinding("ok", part, f"answers, schema {revision}")


def _is_missing_file(settings: Settings) -> bool:
    file = settings.sessions_url.removeprefix("sqlite:///")
    return file != settings.sessions_url and not settings.paths.root.joinpath(file).exists()


async def _keys(settings: Settings) -> PartFinding | None:
    """Only where a chat server asks for them: without one it could answer nobody, and does not start."""
    if not needs_keys(settings.server):
        return None
    active = await _active_keys(settings)
    if active is None:
        return None
    if not active:
        step = "Make the first with `beaver keys create NAME`."
        return PartFinding("error", "API keys", "there is none, so that no chat server starts", step)
    return PartFinding("ok", "API keys", f"{active} open the chat server")


async def _active_keys(settings: Settings) -> int | None:
    """How many there are; None where the database, of which more is told, does not say."""
    if _is_missing_file(settings):
        return 0
    database = Database.open(settings.sessions_url)
    try:
        revision = await schema_revision(database)
        if revision is None:
            return 0
        async with database.read() as tx:
            return await KeyStore(database.dialect).count_active(tx) if revision == HEAD else None
    except BeaverError:
        return None
    finally:
        await database.close()


async def _queue(settings: Settings) -> PartFinding:
    part = "queue"
    try:
        queue = PersistQueue.open(settings.redis_url, timeout_ms=_QUEUE_TIMEOUT_MS)
    except BeaverError as error:
        return PartFinding("error", part, str(error), "Mend queue.redisUrl in .beaver/config.json.")
    try:
        look = await queue.look()
    finally:
        await queue.aclose()
    place = queue_place(settings.redis_url)
    if look.trouble is not None:
        step = STARTED_BY_UP if settings.embeds_queue else "Check queue.redisUrl, and the server."
        message = f"cannot be used at {place}: {look.trouble}; turns wait in the ledger meanwhile"
        return PartFinding("warning", part, message, step)
    if look.warnings:
        return PartFinding("warning", part, f"answers at {place}, but {'; '.join(look.warnings)}")
    return PartFinding("ok", part, f"answers at {place}")


async def _limits(settings: Settings) -> PartFinding | None:
    """Only where one is set: they ask Redis for what no turn needs."""
    part, server = "limits", settings.server
    is_limited = server.rate_limit_per_minute is not None or server.runs_per_key is not None
    # Where no chat server can run, none keeps a limit.
    if not is_limited or find_spec("limits") is None or find_spec("fastapi") is None:
        return None
    from beaver.server.guard.limit_trial import limits_trouble

    try:
        trouble = await limits_trouble(settings)
    except BeaverError:
        # The queue has the same URL, and tells of it.
        return None
    place = queue_place(settings.redis_url)
    if trouble is not None:
        step = "Check queue.redisUrl, and what its user may do there (README, Deploy)."
        return PartFinding("warning", part, f"cannot be kept at {place}: {trouble}; all is answered meanwhile", step)
    return PartFinding("ok", part, f"are kept at {place}")


async def _idempotency(settings: Settings) -> PartFinding | None:
    """Only where the configuration relies on it: a requeue of an unknown add then goes through without a question."""
    gateway = gateway_of(settings.memory)
    if gateway is None or not gateway.honours_idempotency_key:
        return None
    part = "Idempotency-Key"
    match await honours_idempotency_key(gateway.base_url):
        case True:
            return PartFinding("ok", part, "the Memory Gateway says that it honours it")
        case False:
            step = "Set memory.gateway.honoursIdempotencyKey to false, else a requeue may store a turn twice."
            return PartFinding("warning", part, "the Memory Gateway says that it does not honour it", step)
        case None:
            return PartFinding(
                "ok", part, "configured as honoured, not probed: no word of it from the Memory Gateway's /health"
            )


async def _server(settings: Settings) -> PartFinding:
    part, server = "chat server", settings.server
    place = f"{server.host}:{server.port}"
    if not await answers_http(server.host, server.port, "/health"):
        step = f"{STARTED_BY_UP} `beaver chat` works without it."
        return PartFinding("warning", part, f"does not answer at {place}", step)
    if not await answers_http(server.host, server.port, "/ready"):
        return PartFinding("warning", part, f"lives at {place} but takes no runs", "Look in .beaver/logs/server.log.")
    return PartFinding("ok", part, f"answers at {place}")


def _provider(settings: Settings) -> PartFinding:
    part, provider = "model", settings.provider
    if provider.kind == "offline":
        return PartFinding(
            "ok",
            part,
            "none is configured: answers are put together from what is remembered",
            "Set provider.kind, provider.model and provider.apiKey for a model.",
        )
    host = urlsplit(provider.base_url).hostname if provider.base_url else f"{provider.kind}'s own API"
    return PartFinding("ok", part, f"{provider.kind}, {provider.model or 'its default model'}, at {host} (not called)")
