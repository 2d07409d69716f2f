"""What the recall policy decides, how long its stores take, what they add to prompts; and what the write gate keeps."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

from beaver.agent.policy.observer import StoreName, StoreOutcome

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.6)
_TOKENS = (0, 50, 100, 200, 400, 600, 1200)


class RecallMetrics:
    """The families of recall: a RecallObserver that counts. They stay empty where no policy recalls."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._decisions = Counter(
            "beaver_memory_recall_decisions",
            "Turns by what the recall gate decided (run, reuse, skip) and why.",
            ["decision", "reason"],
            registry=registry,
        )
        self._asked = Histogram(
            "beaver_memory_recall_seconds",
            "How long turns waited for a store, by store and outcome (hit, empty, late, failed).",
            ["store", "outcome"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._tokens = Histogram(
            "beaver_memory_recall_tokens",
            "Estimated tokens that recall added to a prompt.",
            buckets=_TOKENS,
            registry=registry,
        )

        self._candidates = Counter(
            "beaver_memory_candidates",
            "Candidates of the write gate by what they came to: kept, deduped, sent, or why they were not kept.",
            ["outcome"],
            registry=registry,
        )

    def decided(self, decision: str, reason: str) -> None:
        """The gate decided."""
        self._decisions.labels(decision, reason).inc()

    def asked(self, store: StoreName, seconds: float, outcome: StoreOutcome) -> None:
        """A store was asked."""
        self._asked.labels(store, outcome).observe(seconds)

    def injected(self, tokens: int) -> None:
        """So many tokens were added."""
        self._tokens.observe(tokens)

    def gated(self, outcome: str, count: int) -> None:
        """Candidates came to something."""
        self._candidates.labels(outcome).inc(count)
