"""What maintenance may do and what it did; and how observations of one subject become one, pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from beaver.errors import InvalidInput
from beaver.memory.observations.entries import (
    FACT_LENGTH_MAX,
    LIST_LENGTH_MAX,
    clipped_list,
    merged_evidence,
    text_of,
    token_count,
)
from beaver.memory.observations.records import Observation
from beaver.memory.observations.trust import narrowest_store, parse_trust, weakest

DAY_MS: Final = 86_400_000
AGELESS: Final = ("preference", "decision")
"""Types that are not archived for age. Rules are written as preferences."""
AGELESS_TAGS: Final = ("profile", "remember")
"""What capture says of who somebody is, and of what they asked to be remembered: neither grows old by not being asked for, and
only what is active is put right by what is learned later.
"""


@dataclass(frozen=True)
class RetentionPolicy:
    """Ages in days, sizes in rows. Raises InvalidInput for ages that do not rise, or a bound that allows nothing."""

    compress_after_days: int = 14
    archive_after_days: int = 30
    delete_after_days: int = 365
    cluster_min: int = 3
    cluster_max: int = LIST_LENGTH_MAX
    rows_a_run_max: int = 200

    def __post_init__(self) -> None:
        """Check each against the others."""
        if not 0 < self.compress_after_days <= self.archive_after_days <= self.delete_after_days:
            raise InvalidInput(
                "compressAfterDays", "must be at most archiveAfterDays, and that at most deleteAfterDays"
            )
        if not 2 <= self.cluster_min <= self.cluster_max <= self.rows_a_run_max:
            raise InvalidInput("clusterMin", "must be at least 2, and at most maxRowsPerRun")


@dataclass(frozen=True)
class UpkeepReport:
    """What a run did. `ran` is False where another runner was at it. `compressed` rows became `summaries`; `leftovers`: of how
    many restores that were killed what they had written was removed."""

    ran: bool
    compressed: int = 0
    summaries: int = 0
    archived: int = 0
    deleted: int = 0
    leftovers: int = 0
    duration_ms: int = 0


@dataclass(frozen=True)
class Archived:
    """An observation that was put away, why (`unused`, `expired`) and when, UTC epoch milliseconds."""

    observation: Observation
    reason: str
    archived_ms: int


def split(cluster: Sequence[Observation], at_most: int, at_least: int) -> list[Sequence[Observation]]:
    """A cluster in parts of a size that can be compressed; the rest of too few waits."""
    parts = [cluster[start : start + at_most] for start in range(0, len(cluster), at_most)]
    return [part for part in parts if len(part) >= at_least]


def summary_of(cluster: Sequence[Observation], new_id: str) -> Observation:
    """One observation for several of a subject, the newest last: its facts are theirs; nobody reads it who could not read all."""
    newest = cluster[-1]
    facts = clipped_list(
        dict.fromkeys(fact for one in reversed(cluster) for fact in (one.facts or (one.narrative,)) if fact),
        FACT_LENGTH_MAX,
    )
    first, *others = (parse_trust(one.min_trust) for one in cluster)
    summary = replace(
        newest,
        id=new_id,
        store=narrowest_store(one.store for one in cluster),
        facts=facts,
        tags=_joined(cluster, "tags"),
        related_files=_joined(cluster, "related_files"),
        related_people=_joined(cluster, "related_people"),
        evidence=merged_evidence((), [ref for one in cluster for ref in one.evidence]),
        source="compression",
        min_trust=weakest(first, *others),
        mention_count=sum(one.mention_count for one in cluster),
        created_ms=min(one.created_ms for one in cluster),
        updated_ms=newest.updated_ms,
        used_ms=max((one.used_ms for one in cluster if one.used_ms is not None), default=None),
        expires_ms=_latest_expiry(cluster),
    )
    return replace(summary, token_count=token_count(text_of(summary)))


def _joined(cluster: Sequence[Observation], name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(member for one in cluster for member in getattr(one, name)))[:LIST_LENGTH_MAX]


def _latest_expiry(cluster: Sequence[Observation]) -> int | None:
    known = [one.expires_ms for one in cluster if one.expires_ms is not None]
    return max(known) if len(known) == len(cluster) else None
