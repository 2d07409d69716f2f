"""What an instance does without although each of its parts serves: a person who is told "ready" relies on all of it."""

from __future__ import annotations

from beaver.cli.gateway_probe import look_at_memory_gateway
from beaver.cli.part_finding import PartFinding
from beaver.config.memory import DegradedHybrid
from beaver.config.settings import Settings


async def shortfalls(settings: Settings) -> list[PartFinding]:
    """What is missing of a running instance, and the next step for each; the deadline is that of a call of the Gateway."""
    if isinstance(settings.memory, DegradedHybrid):
        return [_no_worker(settings.memory)]
    gateway = await look_at_memory_gateway(settings)
    return [gateway] if gateway.severity == "warning" else []


def _no_worker(plan: DegradedHybrid) -> PartFinding:
    missing = ", ".join(plan.missing)
    return PartFinding(
        "warning",
        "worker",
        f"does not run, and the Memory Gateway is not asked: {missing} missing from config.json",
        "`beaver gateway users add ID --configure` makes a user of this folder's Gateway and puts what is missing into "
        ".beaver/config.json; then start Beaver again.",
    )
