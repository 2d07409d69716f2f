"""Makes the recall middleware that the configuration asks for out of the stores it is given."""

from __future__ import annotations

import time
from typing import Literal

from beaver.agent.gateway_memory import Bar, MemoryGatewayService
from beaver.agent.policy.blocks import Filter
from beaver.agent.policy.cache import RecallCache
from beaver.agent.policy.denylist import Denylist
from beaver.agent.policy.hybrid import HybridRecall, HybridTerms
from beaver.agent.policy.local import LocalMemory
from beaver.agent.policy.observer import RecallObserver
from beaver.agent.policy.privacy import redact
from beaver.agent.policy.quota import ReadQuota
from beaver.agent.policy.ranking import Thresholds
from beaver.agent.policy.recall import RecallMiddleware, RecallTerms
from beaver.agent.policy.searched import Found
from beaver.agent.policy.stores import Owner, SessionSwitch
from beaver.clock import Clock
from beaver.config.memory import MemoryPlan, gateway_of
from beaver.config.memory_policy import DenylistSettings, MemoryPolicySettings
from beaver.redaction import Redactor


def owner_of(plan: MemoryPlan) -> Owner:
    """Whose memory this process works with: the Gateway's namespace, or the usual one without a Gateway."""
    gateway = gateway_of(plan)
    if gateway is None:
        return Owner("default", "default", "local", "")
    return Owner(gateway.app_id, gateway.project_id, gateway.user_id, "")


def denylist_of(settings: DenylistSettings) -> Denylist:
    """The denylist as configured."""
    return Denylist(settings.paths, settings.tags, settings.projects)


def recall_bar(policy: MemoryPolicySettings, owner: Owner, switch: SessionSwitch) -> Bar | None:
    """Keeps the loop from searching the Gateway for a session whose memory is off, or for a denied project.

    None with `gated`: the recall middleware has looked before it asks the Gateway.
    """
    if policy.recall_policy == "gated":
        return None
    denied = denylist_of(policy.denylist).blocks("", project=owner.project) is not None

    async def bar(session_id: str) -> Literal["off", "denied"] | None:
        if denied:
            return "denied"
        return "off" if (await switch.read(session_id)).off else None

    return bar


def recall_middleware(
    policy: MemoryPolicySettings,
    owner: Owner,
    *,
    local: LocalMemory | None,
    gateway: MemoryGatewayService | None,
    switch: SessionSwitch,
    context_tokens: int,
    credentials: Redactor,
    observer: RecallObserver,
    clock: Clock,
) -> RecallMiddleware | None:
    """The middleware, or None where the loop's own search of the Gateway is all there is to recall.

    With `always` the Gateway stays the loop's; with `gated` it is searched here. What it is given stays the caller's to close.
    """
    gated = policy.recall_policy == "gated"
    remote = gateway if gated else None
    if local is None and remote is None:
        return None
    cache = RecallCache[Found](
        entries_max=policy.cache_entries,
        ttl_s=policy.cache_seconds,
        empty_ttl_s=policy.empty_cache_seconds,
        clock=time.monotonic,
    )
    hybrid = HybridRecall(
        None if local is None else local.items,
        remote,
        cache,
        thresholds=_thresholds(policy),
        terms=HybridTerms(policy.local_deadline_ms / 1000, policy.remote_deadline_ms / 1000, policy.remote_below_score),
        observer=observer,
        clock=clock,
        embed=None if local is None else local.embed,
    )
    return RecallMiddleware(
        owner,
        hybrid,
        cache,
        switch,
        Filter(lambda text: redact(text, credentials), denylist_of(policy.denylist), owner.project),
        recall_terms=_recall_terms(policy, gated, context_tokens),
        quota=ReadQuota(policy.remote_reads_max),
        observer=observer,
    )


def _thresholds(policy: MemoryPolicySettings) -> Thresholds:
    return Thresholds(
        score_min=policy.score_min,
        semantic_min=policy.semantic_min,
        keyword_min=policy.keyword_min,
        confidence_min=policy.confidence_min,
        top_k=policy.top_k,
        pinned_max=policy.pinned_max,
    )


def _recall_terms(policy: MemoryPolicySettings, gated: bool, context_tokens: int) -> RecallTerms:
    return RecallTerms(
        gated=gated,
        context_tokens=context_tokens,
        idle_s=policy.idle_minutes * 60,
        topic_turns=policy.topic_turns,
        tokens_max=policy.tokens_max,
        context_share=policy.context_share,
    )
