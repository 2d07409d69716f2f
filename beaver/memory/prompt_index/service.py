"""Building the prompt index: reads, decides, renders; a part that fails is left out and named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from beaver.clock import Clock
from beaver.config.prompt_index import PromptIndexSettings
from beaver.errors import BeaverError
from beaver.logs import get_logger
from beaver.memory.namespace import Namespace
from beaver.memory.observations.reading import ObservationReading
from beaver.memory.observations.records import (
    FoundObservation,
    Observation,
    ObservationFilter,
    ObservationQuestion,
    Trust,
)
from beaver.memory.observations.trust import readable_stores
from beaver.memory.prompt_index.rendering import merged, rendered
from beaver.memory.summaries.records import SessionSummary
from beaver.memory.summaries.service import SummaryService

DAY_MS: Final = 86_400_000
SESSIONS_MAX: Final = 5


@dataclass(frozen=True)
class PromptIndex:
    """The index's text, which may be empty; how many observations it lists; whether the budget cut it; and what is missing from
    it and why (`recent:unavailable`), in the order of the parts."""

    text: str
    observations: int = 0
    truncated: bool = False
    degraded: tuple[str, ...] = ()


class PromptIndexService:
    """Builds prompt indexes. Never writes, and raises no BeaverError: whoever asks goes on without what failed."""

    def __init__(
        self,
        clock: Clock,
        reading: ObservationReading,
        summaries: SummaryService,
        settings: PromptIndexSettings = PromptIndexSettings(),  # noqa: B008 - frozen
    ) -> None:
        self._clock = clock
        self._reading = reading
        self._summaries = summaries
        self._settings = settings

    async def build(self, namespace: Namespace, text: str, trust: Trust) -> PromptIndex:
        """What this trust may see, recent before relevant to the text, within the settings' bounds."""
        if not readable_stores(trust):
            return PromptIndex("", degraded=("trust:reads_nothing",))
        faults: list[str] = []
        recent = await self._recent(namespace, trust, faults)
        relevant = await self._relevant(namespace, text, trust, faults)
        sessions = await self._sessions(namespace, trust, faults)
        listed = merged(recent, relevant, limit=self._settings.limit)
        made = rendered(listed, sessions, tokens_max=self._settings.tokens_max)
        get_logger().debug("prompt_index.built", observations=made.observations, degraded=faults)
        return PromptIndex(made.text, made.observations, made.truncated, tuple(faults))

    async def _recent(self, namespace: Namespace, trust: Trust, faults: list[str]) -> Sequence[Observation]:
        where = ObservationFilter(
            stores=readable_stores(trust), since_ms=self._clock() - self._settings.recent_days * DAY_MS
        )
        try:
            return (await self._reading.list(namespace, where, limit=self._settings.limit, trust=trust)).observations
        except BeaverError as fault:
            faults.append(f"recent:{fault.code}")
            return ()

    async def _relevant(
        self, namespace: Namespace, text: str, trust: Trust, faults: list[str]
    ) -> Sequence[FoundObservation]:
        where = ObservationFilter(stores=readable_stores(trust))
        question = ObservationQuestion(text, where, limit=self._settings.limit)
        try:
            return await self._reading.search(namespace, question, trust)
        except BeaverError as fault:
            faults.append(f"relevant:{fault.code}")
            return ()

    async def _sessions(self, namespace: Namespace, trust: Trust, faults: list[str]) -> Sequence[SessionSummary]:
        """A session may hold anything: only who reads all stores sees them."""
        if "private" not in readable_stores(trust):
            return ()
        try:
            return await self._summaries.recent(namespace, limit=SESSIONS_MAX)
        except BeaverError as fault:
            faults.append(f"sessions:{fault.code}")
            return ()
