"""A recall middleware over stores that answer as they are told, and clocks that stand until they are moved."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from beaver.agent.gateway_memory import Recalled, RecallOutcome
from beaver.agent.messages import PromptMessage
from beaver.agent.middleware import TurnContext
from beaver.agent.policy.blocks import Filter
from beaver.agent.policy.cache import RecallCache
from beaver.agent.policy.denylist import Denylist
from beaver.agent.policy.hybrid import HybridRecall, HybridTerms
from beaver.agent.policy.observer import StoreName, StoreOutcome
from beaver.agent.policy.privacy import redact
from beaver.agent.policy.quota import ReadQuota
from beaver.agent.policy.ranking import Thresholds
from beaver.agent.policy.recall import RecallMiddleware, RecallTerms
from beaver.agent.policy.searched import Found
from beaver.agent.policy.stores import Hit, MemoryItem, NewItem, Owner, Selection, Switched, Written
from beaver.client.gateway import RecalledItem
from tests.unit.agent.policy.recalled_items import NOW_MS, OWNER

GENEROUS_S = 30.0


class Items:
    """A local store that holds its hits; it can be made to wait, or to fail."""

    def __init__(self, *hits: Hit) -> None:
        self.hits: tuple[Hit, ...] = hits
        self.state = "1"
        self.searched: list[tuple[Owner, str]] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.answered = asyncio.Event()
        self.failure: Exception | None = None

    async def search(self, owner: Owner, text: str, *, limit: int) -> Sequence[Hit]:
        self.searched.append((owner, text))
        await self.may_answer.wait()
        if self.failure is not None:
            raise self.failure
        self.answered.set()
        return self.hits[:limit]

    async def generation(self, owner: Owner) -> str:
        if self.failure is not None:
            raise self.failure
        return self.state

    async def recent(self, owner: Owner, *, limit: int) -> Sequence[MemoryItem]:
        return [hit.item for hit in self.hits[:limit]]

    async def count(self, owner: Owner) -> int:
        return len(self.hits)

    async def find(self, owner: Owner, item_id: str) -> MemoryItem | None:
        return next((hit.item for hit in self.hits if hit.item.id == item_id), None)

    async def write(self, owner: Owner, new: NewItem) -> Written:
        raise NotImplementedError

    async def merge(self, owner: Owner, item_id: str) -> MemoryItem | None:
        raise NotImplementedError

    async def supersede(self, owner: Owner, item_id: str, new: NewItem) -> Written:
        raise NotImplementedError

    async def pin(self, owner: Owner, item_id: str, *, pinned: bool) -> MemoryItem | None:
        raise NotImplementedError

    async def select(self, owner: Owner, selection: Selection) -> Sequence[MemoryItem]:
        raise NotImplementedError

    async def forget(self, owner: Owner, selection: Selection) -> Sequence[MemoryItem]:
        raise NotImplementedError

    async def end_session(self, owner: Owner) -> None:
        raise NotImplementedError

    async def erased(self) -> None:
        return

    async def close(self) -> None:
        return


class Meanings:
    """An encoder for which texts mean which of these words they hold. It can be made to wait, or to fail."""

    def __init__(self, *words: str) -> None:
        self._words = words
        self.asked: list[str] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.failure: Exception | None = None

    async def __call__(self, text: str) -> Sequence[float]:
        self.asked.append(text)
        await self.may_answer.wait()
        if self.failure is not None:
            raise self.failure
        return [float(word in text) for word in self._words]


class Gateway:
    """A Gateway's search that answers as it is told, when it may."""

    def __init__(self, *texts: str) -> None:
        items = tuple(RecalledItem(f"m-{n}", "s-9", text, 0.9, "all_user_memory", None) for n, text in enumerate(texts))
        self.outcome: RecallOutcome = Recalled(items, ("all_user_memory",))
        self.asked: list[str] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.answered = asyncio.Event()

    async def recall_before_run(self, session_id: str, prompt: str, *, traceparent: str | None = None) -> RecallOutcome:
        self.asked.append(prompt)
        await self.may_answer.wait()
        self.answered.set()
        return self.outcome


class Switch:
    """A switch a test sets."""

    def __init__(self) -> None:
        self.state = Switched()

    async def read(self, session_id: str) -> Switched:
        return self.state


class Watch:
    """Seconds that stand still."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


class Counts:
    """An observer that keeps what it was told."""

    def __init__(self) -> None:
        self.decisions: list[tuple[str, str]] = []
        self.stores: list[tuple[StoreName, StoreOutcome]] = []
        self.tokens: list[int] = []

    def decided(self, decision: str, reason: str) -> None:
        self.decisions.append((decision, reason))

    def asked(self, store: StoreName, seconds: float, outcome: StoreOutcome) -> None:
        self.stores.append((store, outcome))

    def injected(self, tokens: int) -> None:
        self.tokens.append(tokens)


class RecallScene:
    """One chat's turns before the middleware."""

    def __init__(
        self,
        items: Items | None = None,
        gateway: Gateway | None = None,
        *,
        embed: Meanings | None = None,
        gated: bool = True,
        deadline_s: float = GENEROUS_S,
        denylist: Denylist = Denylist(),  # noqa: B008 - frozen
        context_tokens: int = 100_000,
        **terms: Any,
    ) -> None:
        self.items, self.gateway = items, gateway
        self.switch, self.watch, self.told = Switch(), Watch(), Counts()
        self.history: list[PromptMessage] = []
        cache = RecallCache[Found](entries_max=256, ttl_s=180, empty_ttl_s=60, clock=self.watch)
        hybrid = HybridRecall(
            items,
            gateway,
            cache,
            thresholds=Thresholds(),
            terms=HybridTerms(deadline_s, deadline_s),
            observer=self.told,
            clock=lambda: NOW_MS,
            embed=embed,
        )
        self.middleware = RecallMiddleware(
            OWNER,
            hybrid,
            cache,
            self.switch,
            Filter(redact, denylist, OWNER.project),
            recall_terms=RecallTerms(gated=gated, context_tokens=context_tokens, **terms),
            quota=ReadQuota(40),
            observer=self.told,
            clock=self.watch,
        )

    async def say(self, prompt: str, session: str = "s-1", *, by_machine: bool = False) -> TurnContext:
        """One turn: what the hook makes of it. It becomes history."""
        context = TurnContext(session, "r-1", prompt, tuple(self.history), by_machine=by_machine)
        seen = await self.middleware.before_prompt(context)
        self.history += [PromptMessage("user", prompt, "history"), PromptMessage("assistant", "Noted.", "history")]
        return seen

    def reasons(self) -> list[str]:
        """Why each turn did what it did."""
        return [reason for _, reason in self.told.decisions]


def shown(context: TurnContext) -> str:
    """All that was put before the model."""
    return "\n".join(message.text for message in context.references)
