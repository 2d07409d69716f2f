"""Makes the writing middleware that the configuration asks for out of the stores it is given."""

from __future__ import annotations

from beaver.agent.policy.candidates import Candidate, RuleCapture
from beaver.agent.policy.composing import denylist_of
from beaver.agent.policy.lane import DistilledLane
from beaver.agent.policy.local import LocalMemory
from beaver.agent.policy.model_extraction import ModelExtraction
from beaver.agent.policy.observer import WriteObserver
from beaver.agent.policy.stores import Owner, SessionSwitch
from beaver.agent.policy.writer import ItemWriter
from beaver.agent.policy.writing import Extract, WritingMiddleware
from beaver.agent.providers.base import Provider
from beaver.client.jobs import PersistQueue
from beaver.clock import Clock
from beaver.config.memory import gateway_of
from beaver.config.memory_policy import MemoryPolicySettings
from beaver.config.settings import Settings
from beaver.db.engine import Database
from beaver.redaction import Redactor


def writing_middleware(
    settings: Settings,
    owner: Owner,
    local: LocalMemory | None,
    *,
    database: Database,
    provider: Provider,
    switch: SessionSwitch,
    credentials: Redactor,
    observer: WriteObserver,
    clock: Clock,
) -> WritingMiddleware | None:
    """The middleware, or None where nothing is to be kept or there is nowhere to keep it. What it is given stays the caller's."""
    policy = settings.memory_policy
    if policy.write_policy == "off" or local is None:
        return None
    lane = _lane(settings, database, clock) if policy.write_policy == "write" else None
    writer = ItemWriter(
        local.items,
        database,
        mode=policy.write_policy,
        denylist=denylist_of(policy.denylist),
        credentials=credentials,
        attributes=local.attributes,
        lane=lane,
        clock=clock,
    )
    extract = _extract(policy, local.capture, provider)
    close = None if lane is None else lane.aclose
    return WritingMiddleware(owner, writer, extract, switch, credentials=credentials, observer=observer, close=close)


def _lane(settings: Settings, database: Database, clock: Clock) -> DistilledLane | None:
    gateway = gateway_of(settings.memory)
    if gateway is None:
        return None
    queue = PersistQueue.open(settings.redis_url, timeout_ms=settings.queue.enqueue_timeout_ms)
    return DistilledLane(database.dialect, queue, gateway, clock)


def _extract(policy: MemoryPolicySettings, capture: RuleCapture, provider: Provider) -> Extract:
    if policy.extraction == "model":
        return ModelExtraction(provider, capture, policy.extraction_timeout_seconds).candidates

    async def by_rules(said: str, _answer: str) -> list[Candidate]:
        return capture(said)

    return by_rules
