"""What became of a turn's candidates: counted as they are considered, held against the quotas, told in the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, Literal

from beaver.agent.policy.stores import NewItem, Owner, Written
from beaver.agent.policy.write_gate import Rejection
from beaver.sessions.memory.turn_store import GatedTurn, Spent

WriteMode = Literal["write", "shadow"]
TURN_WRITES_MAX: Final = 3
DAY_WRITES_MAX: Final = 30


@dataclass
class Tally:
    """The counts so far.

    `sent`: the items, by id, that are to go to the Gateway; `replaced`: those whose words hold no more; `seen`: the digests of
    what was kept.
    """

    attempted: int = 0
    accepted: int = 0
    deduped: int = 0
    superseded: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    sent: dict[str, NewItem] = field(default_factory=dict)
    replaced: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)

    def over_quota(self, spent: Spent) -> Rejection | None:
        """Which quota leaves no room for one more; None where each has."""
        if self.accepted >= TURN_WRITES_MAX:
            return "quota_turn"
        return "quota_day" if spent.today + self.accepted >= DAY_WRITES_MAX else None

    def count(self, written: Written, new: NewItem) -> Rejection | None:
        """Count what a write came to; the reason where it kept nothing."""
        match written.outcome:
            case "forgotten":
                return "forgotten"
            case "merged" | "unchanged":
                self.deduped += 1
            case "added" | "superseded":
                self.accepted += 1
                self.superseded += written.outcome == "superseded"
                if written.replaced_id is not None:
                    self.replaced.add(written.replaced_id)
                if written.item_id is not None:
                    self.sent[written.item_id] = new
        return None

    def of(self, owner: Owner, run_id: str, mode: WriteMode, remote: int) -> GatedTurn:
        """The counts as a turn's own. `remote`: how many items are on their way to the Gateway."""
        return GatedTurn(
            run_id=run_id,
            tenant=owner.tenant,
            user=owner.user,
            mode=mode,
            attempted=self.attempted,
            accepted=self.accepted,
            deduped=self.deduped,
            superseded=self.superseded,
            remote=remote,
            rejected=dict(self.rejected),
        )


def counts(gated: GatedTurn) -> dict[str, object]:
    """For a log line."""
    names = ("mode", "attempted", "accepted", "deduped", "superseded", "remote", "rejected")
    return {name: getattr(gated, name) for name in names}
