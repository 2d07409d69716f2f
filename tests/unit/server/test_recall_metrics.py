"""The recall policy's metrics: decisions, waits and tokens, by labels that hold no content."""

from __future__ import annotations

from beaver.server.telemetry.registry import Telemetry


def test_decisions_waits_and_tokens_are_told_to_a_monitor() -> None:
    telemetry = Telemetry()
    telemetry.recall.decided("skip", "ack")
    telemetry.recall.asked("local", 0.004, "hit")
    telemetry.recall.injected(120)
    told = telemetry.exposition().decode()
    assert 'beaver_memory_recall_decisions_total{decision="skip",reason="ack"} 1.0' in told
    assert 'beaver_memory_recall_seconds_count{outcome="hit",store="local"} 1.0' in told
    assert "beaver_memory_recall_tokens_sum 120.0" in told
