"""The Gateway's clients: one for each user that this worker delivers as, the one of now and earlier ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from beaver.client.gateway import MemoryGatewayClient
from beaver.config.memory import GatewaySettings, MemoryOwner
from beaver.outbox.claim_store import Sendable
from beaver.outbox.turns import NewTurn
from worker.messages import has_content


@dataclass(frozen=True)
class GatewayClients:
    """Whoever builds them closes them."""

    by_owner: Mapping[MemoryOwner, MemoryGatewayClient]

    @classmethod
    def of(cls, gateway: GatewaySettings) -> GatewayClients:
        """A client for each user of the settings; none connects before its first call."""
        return cls({each.owner: MemoryGatewayClient(each) for each in gateway.of_each_user()})

    def find(self, owner: MemoryOwner) -> MemoryGatewayClient | None:
        """The client that calls as this user in this namespace; None where the settings name no such user."""
        return self.by_owner.get(owner)

    @property
    def sendable(self) -> Sendable:
        """Whether a turn may be sent: made for one of these users, and with words. It is asked within a transaction."""

        def may_be_sent(turn: NewTurn, texts: Mapping[int, str]) -> bool:
            return turn.owner in self.by_owner and has_content(turn, texts)

        return may_be_sent

    async def aclose(self) -> None:
        """Close them all; idempotent."""
        for client in self.by_owner.values():
            await client.aclose()
