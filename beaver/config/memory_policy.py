"""The `memory.policy` section: when the host recalls, from where, and how much of it reaches a prompt."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from beaver.config.rules import DatabaseUrl, Number, Section, Whole

Share = Annotated[Number, Field(ge=0, le=1)]


class DenylistSettings(Section):
    """What is neither recalled nor kept."""

    paths: Annotated[tuple[str, ...], Field(description="Globs of paths; what names one is left out.")] = ()
    tags: Annotated[tuple[str, ...], Field(description="Tags of items that are left out.")] = ()
    projects: Annotated[tuple[str, ...], Field(description="Projects without memory.")] = ()


class MemoryPolicySettings(Section):
    """The host's memory policy. With its defaults a run searches the Gateway each time, and the host keeps nothing."""

    recall_policy: Annotated[
        Literal["always", "gated"], Field(description="`always`: every run searches; `gated`: when it helps.")
    ] = "always"
    local_store: Annotated[
        bool, Field(strict=True, description="Whether the host has a store of its own for distilled items.")
    ] = False
    database_url: Annotated[
        DatabaseUrl | None,
        Field(
            description="The local store: `sqlite:///file` or `postgresql://…`; without it, `.beaver/items.db`. "
            "May hold a secret."
        ),
    ] = None
    embedding: Annotated[
        Literal["none", "local"],
        Field(description="`local`: the local store finds by meaning too; `none`: by words alone."),
    ] = "none"
    write_policy: Annotated[
        Literal["off", "shadow", "write"],
        Field(description="Whether items are made of turns; `shadow` only counts what would be kept."),
    ] = "off"
    extraction: Annotated[
        Literal["rules", "model"], Field(description="What finds items in a turn: rules, or rules and the provider.")
    ] = "rules"
    extraction_timeout_seconds: Annotated[
        Number, Field(gt=0, le=60, description="Most seconds for the model to find items; after that, rules alone.")
    ] = 5
    denylist: DenylistSettings = DenylistSettings()
    top_k: Annotated[Whole, Field(ge=3, le=8, description="Most items of the local store in a prompt.")] = 5
    tokens_max: Annotated[Whole, Field(ge=1, le=32_000, description="Most tokens of each store's items.")] = 600
    context_share: Annotated[
        Share, Field(description="Most of what is left of the context that each store's items may take.")
    ] = 0.10
    score_min: Annotated[Share, Field(description="Lowest score of an item that is not pinned.")] = 0.30
    semantic_min: Annotated[Share, Field(description="Likeness of meaning from which an item is relevant.")] = 0.35
    keyword_min: Annotated[Share, Field(description="Share of the words from which an item is relevant.")] = 0.20
    confidence_min: Annotated[Share, Field(description="Lowest confidence of an item in a prompt.")] = 0.5
    pinned_max: Annotated[Whole, Field(ge=0, le=8, description="Most pinned items in a prompt.")] = 3
    local_deadline_ms: Annotated[
        Whole, Field(ge=1, le=10_000, description="Most milliseconds a turn waits for the local store.")
    ] = 80
    remote_deadline_ms: Annotated[
        Whole, Field(ge=1, le=10_000, description="Most milliseconds a gated turn waits for the Gateway.")
    ] = 300
    remote_below_score: Annotated[
        Share, Field(description="A gated turn asks the Gateway too when the best local score is below this.")
    ] = 0.45
    remote_reads_max: Annotated[
        Whole, Field(ge=0, le=100, description="Most searches of the Gateway in any 100 gated turns of one process.")
    ] = 40
    cache_seconds: Annotated[
        Whole, Field(ge=120, le=300, description="Seconds for which the same question is answered from the cache.")
    ] = 180
    empty_cache_seconds: Annotated[
        Whole, Field(ge=1, le=300, description="The same for a question that nothing answered.")
    ] = 60
    cache_entries: Annotated[Whole, Field(ge=1, le=100_000, description="Most questions in the cache.")] = 256
    topic_turns: Annotated[Whole, Field(ge=3, le=5, description="Turns of one topic that share what was recalled.")] = 4
    idle_minutes: Annotated[Number, Field(gt=0, le=10_080, description="A session idle for longer recalls anew.")] = 30
