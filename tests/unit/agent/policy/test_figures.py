"""Figures out of what hidden events tell."""

from __future__ import annotations

from typing import Any

from beaver.agent.policy.figures import percentile, recall_figures


def decided(decision: str, reason: str, tokens: int = 0, **stores: tuple[str, float]) -> dict[str, Any]:
    asked = {store: {"outcome": outcome, "ms": ms} for store, (outcome, ms) in stores.items()}
    return {"decision": decision, "reason": reason, "tokens": tokens, "stores": asked}


def test_turns_hits_tokens_and_waits_are_summed() -> None:
    figures = recall_figures(
        [
            decided("run", "session_start", 100, local=("hit", 4.0)),
            decided("run", "topic_change", 0, local=("empty", 6.0), remote=("late", 300.0)),
            decided("reuse", "topic_reuse", 50),
            decided("skip", "ack"),
        ]
    )
    assert figures.turns == 4
    assert (figures.recalled, figures.hits, figures.tokens) == (3, 2, 150)
    assert figures.hit_rate == 2 / 3
    assert figures.decisions["skip ack"] == 1
    local, remote = figures.stores["local"], figures.stores["remote"]
    assert (local.asked, local.hits, local.p50_ms) == (2, 1, 5.0)
    assert (remote.asked, remote.late, remote.p95_ms) == (1, 1, 300.0)


def test_of_nothing_there_are_no_figures_but_zero() -> None:
    figures = recall_figures([])
    assert (figures.turns, figures.hit_rate, figures.stores["local"].p95_ms) == (0, None, None)


def test_a_percentile_lies_between_its_neighbours() -> None:
    assert percentile([1, 2, 3, 4, 5], 50) == 3
    assert percentile(list(range(101)), 95) == 95
