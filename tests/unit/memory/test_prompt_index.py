"""The prompt index: recent before relevant, nothing twice, within its budget, and what fails is left out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from beaver.errors import Unavailable
from beaver.memory.namespace import Namespace
from beaver.memory.observations.entries import token_count
from beaver.memory.observations.reading import ObservationReading
from beaver.memory.observations.records import FoundObservation, Observation, ObservationPage
from beaver.memory.prompt_index.rendering import TRUNCATED, Listed, merged, rendered
from beaver.memory.prompt_index.service import PromptIndexService
from beaver.memory.summaries.records import SessionSummary
from beaver.memory.summaries.service import SummaryService


def observation(number: int) -> Observation:
    return Observation(
        id=f"obs_{number}",
        store="private",
        type="preference",
        title=f"likes <b>tea</b> number {number}",
        narrative="",
        facts=(),
        tags=(),
        related_files=(),
        related_people=(),
        evidence=(),
        source="tool",
        min_trust="full",
        mention_count=1,
        token_count=5,
        pinned=False,
        session_id=None,
        created_ms=1_780_000_000_000,
        updated_ms=1_780_000_000_000,
    )


def found(number: int) -> FoundObservation:
    return FoundObservation(observation(number), 0.5, {})


def test_recent_ones_take_at_most_half_of_the_places_and_relevant_ones_fill() -> None:
    listed = merged([observation(n) for n in range(10)], [found(n) for n in (1, 20, 21, 22)], limit=6)
    assert [one.observation.id for one in listed] == ["obs_0", "obs_1", "obs_2", "obs_20", "obs_21", "obs_22"]


def test_what_changed_on_a_later_day_tells_that_day_too() -> None:
    later = replace(observation(1), updated_ms=1_780_000_000_000 + 30 * 86_400_000)
    same, changed = map(
        json.loads, rendered([Listed(observation(0)), Listed(later)], [], tokens_max=500).text.splitlines()
    )
    assert (same["created"], "changed" in same) == ("2026-05-28", False)
    assert (changed["created"], changed["changed"]) == ("2026-05-28", "2026-06-27")


def test_a_tiny_budget_truncates_with_a_line_that_says_so() -> None:
    made = rendered([Listed(observation(n)) for n in range(30)], [], tokens_max=120)
    assert made.text.splitlines()[-1] == TRUNCATED
    assert made.truncated
    assert 0 < made.observations < 30
    assert token_count(made.text) <= 120
    assert rendered([Listed(observation(0))], [], tokens_max=1).text == ""


def test_a_line_is_reference_data_without_angle_brackets() -> None:
    made = rendered([Listed(observation(1), 0.51)], [], tokens_max=3000)
    assert '"id": "obs_1"' in made.text
    assert "<" not in made.text
    assert not made.truncated


class Reading(ObservationReading):
    """Remembers one observation; what is `broken` cannot be read."""

    def __init__(self, broken: frozenset[str]) -> None:
        self.broken = broken

    async def list(self, *_args: Any, **_more: Any) -> ObservationPage:
        if "recent" in self.broken:
            raise Unavailable("the database is away")
        return ObservationPage((observation(1),), None)

    async def search(self, *_args: Any, **_more: Any) -> Sequence[FoundObservation]:
        if "relevant" in self.broken:
            raise Unavailable("the database is away")
        return [found(2)]


class Summaries(SummaryService):
    """Cannot be read."""

    def __init__(self) -> None:
        return None

    async def recent(self, *_args: Any, **_more: Any) -> list[SessionSummary]:
        raise Unavailable("the database is away")


@pytest.mark.parametrize(
    ("broken", "listed", "degraded"),
    [
        (set[str](), 2, ("sessions:unavailable",)),
        ({"relevant"}, 1, ("relevant:unavailable", "sessions:unavailable")),
        ({"recent"}, 1, ("recent:unavailable", "sessions:unavailable")),
        ({"recent", "relevant"}, 0, ("recent:unavailable", "relevant:unavailable", "sessions:unavailable")),
    ],
)
async def test_what_fails_is_left_out_and_named_and_the_rest_is_there(
    broken: set[str], listed: int, degraded: tuple[str, ...]
) -> None:
    service = PromptIndexService(lambda: 0, Reading(frozenset(broken)), Summaries())
    index = await service.build(Namespace("default", "default", "ada"), "tea", "owner")
    assert (index.observations, index.degraded) == (listed, degraded)
