"""What a turn's recall came to, and the hidden event that tells of it: ids, scores and origins, no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from beaver.agent.gateway_memory import origin_of, recall_audit
from beaver.agent.policy.blocks import Block
from beaver.agent.policy.gate import Decision, Reuse, Run
from beaver.agent.policy.observer import StoreName
from beaver.agent.policy.ranking import Ranked
from beaver.agent.policy.searched import Asked, Found
from beaver.schemas.audit import AuditEvent
from beaver.sessions.records import NewEvent

NOTHING: Final = Block(None, (), 0)


@dataclass(frozen=True)
class Recollection:
    """The decision, what was found, how the stores that were asked did, and the blocks for the prompt."""

    decision: Decision
    found: Found = field(default_factory=Found)
    asked: dict[StoreName, Asked] = field(default_factory=dict)
    local: Block = NOTHING
    remote: Block = NOTHING

    @property
    def tokens(self) -> int:
        """Tokens added to the prompt."""
        return self.local.tokens + self.remote.tokens


def decision_name(decision: Decision) -> str:
    """`run`, `reuse` or `skip`."""
    return "run" if isinstance(decision, Run) else "reuse" if isinstance(decision, Reuse) else "skip"


def audit_events(recalled: Recollection) -> tuple[NewEvent, ...]:
    """The decision with what was injected, and, where the Gateway answered in time, its own event as of any run."""
    gateway = [asked.gateway for asked in recalled.asked.values() if asked.gateway is not None]
    decided = NewEvent(AuditEvent.RECALL_DECIDED.value, payload=_payload(recalled), context_visible=False)
    return (decided, *map(recall_audit, gateway))


def _payload(recalled: Recollection) -> dict[str, Any]:
    return {
        "decision": decision_name(recalled.decision),
        "reason": recalled.decision.reason,
        "stores": {
            store: {"outcome": asked.outcome, "ms": round(asked.seconds * 1000, 1)}
            for store, asked in recalled.asked.items()
        },
        "tokens": recalled.tokens,
        "local": [_item(one) for one in _at(recalled.found.local, recalled.local)],
        "remote": [origin_of(one) for one in _at(recalled.found.remote, recalled.remote)],
    }


def _at(found: Sequence[Any], block: Block) -> list[Any]:
    return [found[place] for place in block.places] if block.message is not None else []


def _item(one: Ranked) -> dict[str, Any]:
    item = one.item
    return {
        "id": item.id,
        "type": item.type,
        "scope": item.scope,
        "session": item.session,
        "learned_ms": item.created_at,
        "score": round(one.score, 4),
        "why": one.reason,
    }
