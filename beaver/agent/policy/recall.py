"""The middleware that recalls: gate, cache, stores, budget, and a hidden event that says what it did and why."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from beaver.agent.middleware import Middleware, TurnContext
from beaver.agent.policy.blocks import Filter, local_block, remote_block
from beaver.agent.policy.budget import allowance
from beaver.agent.policy.cache import RecallCache, fingerprint
from beaver.agent.policy.gate import Reuse, Run, Standing, barred, decide, needless
from beaver.agent.policy.hybrid import HybridRecall
from beaver.agent.policy.observer import RecallObserver
from beaver.agent.policy.question import Question, terms_of
from beaver.agent.policy.quota import ReadQuota
from beaver.agent.policy.recollection import Recollection, audit_events, decision_name
from beaver.agent.policy.searched import Found, Meaning
from beaver.agent.policy.stores import Owner, SessionSwitch
from beaver.agent.policy.topic import TopicWindow

SESSIONS_MAX: Final = 1_000


@dataclass(frozen=True)
class RecallTerms:
    """When a turn recalls, and how much of it reaches the prompt. Times in seconds, `context_tokens` as a prompt may hold."""

    gated: bool
    context_tokens: int
    idle_s: float = 1800
    topic_turns: int = 4
    tokens_max: int = 600
    context_share: float = 0.10


@dataclass
class _Session:
    """What this process knows of a session."""

    seen_s: float
    window: TopicWindow | None = None


class RecallMiddleware(Middleware):
    """Recalls before a prompt, for one owner's sessions. It owns `hybrid`."""

    order: ClassVar[int] = -100

    def __init__(
        self,
        owner: Owner,
        hybrid: HybridRecall,
        cache: RecallCache[Found],
        switch: SessionSwitch,
        allowed: Filter,
        *,
        recall_terms: RecallTerms,
        quota: ReadQuota,
        observer: RecallObserver,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`owner` without its session: that is the run's. `clock` counts seconds and never steps back."""
        self._owner = owner
        self._hybrid = hybrid
        self._cache = cache
        self._switch = switch
        self._allowed = allowed
        self._terms = recall_terms
        self._quota = quota
        self._observer = observer
        self._clock = clock
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    async def before_prompt(self, context: TurnContext) -> TurnContext:
        """Add what is worth knowing, a message for each store, and the event that tells of it."""
        self._quota.begin_turn()
        recalled = self._in_blocks(await self._recall(context), context)
        self._observer.decided(decision_name(recalled.decision), recalled.decision.reason)
        self._observer.injected(recalled.tokens)
        messages = [block.message for block in (recalled.local, recalled.remote) if block.message is not None]
        return replace(
            context,
            references=(*context.references, *messages),
            notes=(*context.notes, *audit_events(recalled)),
        )

    async def aclose(self) -> None:
        """Break off what is late."""
        await self._hybrid.aclose()

    async def _recall(self, context: TurnContext) -> Recollection:
        switched = await self._switch.read(context.session_id)
        denied = self._allowed.denylist.blocks("", project=self._allowed.project) is not None
        skip = barred(off=switched.off, denied=denied)
        if self._terms.gated:
            skip = skip or needless(context.prompt, by_machine=context.by_machine)
        if skip is not None:
            self._seen(context.session_id)
            return Recollection(skip)
        question = await self._question(context, switched.changes)
        session = self._sessions.get(context.session_id)
        decision = decide(context.prompt, self._standing(question, session)) if self._terms.gated else Run("always")
        session = self._seen(context.session_id)
        recalled = await self._found(question, decision, session)
        session.window = question.window_after(decision, session.window)
        return recalled

    async def _question(self, context: TurnContext, switches: int) -> Question:
        owner = replace(self._owner, session=context.session_id)
        asked = terms_of(context.prompt)
        state = await self._hybrid.state(owner)
        meant = await self._meaning(context.prompt, state.seconds)
        generation = f"{state.generation}/{switches}"
        key = None if state.generation is None else fingerprint(owner, generation, asked)
        return Question(owner, context, asked, meant.vector, generation, key, state.seconds + meant.seconds)

    async def _meaning(self, prompt: str, waited_s: float) -> Meaning:
        """For the topic, which only a gate asks about."""
        if not self._terms.gated:
            return Meaning(None, 0.0)
        return await self._hybrid.meaning(prompt, waited_s=waited_s)

    def _standing(self, question: Question, session: _Session | None) -> Standing:
        """A session that this process has not seen begins: nobody can tell here how long it was silent."""
        idle = session is None or self._clock() - session.seen_s > self._terms.idle_s
        window = None if session is None else session.window
        return Standing(
            begins=idle or not question.context.history,
            cached=question.key is not None and self._cache.find(question.key) is not None,
            shifted=window is not None and question.leaves(window),
            window_open=window is not None and self._is_open(window, question),
        )

    def _is_open(self, window: TopicWindow, question: Question) -> bool:
        """While it is young, nothing was written, and what was found is still kept."""
        young = window.turns < self._terms.topic_turns and window.generation == question.generation
        return young and self._cache.find(window.key) is not None

    async def _found(self, question: Question, decision: Run | Reuse, session: _Session) -> Recollection:
        if isinstance(decision, Run):
            searched = await self._hybrid.search(
                question.owner, question.context.prompt, question.key, self._quota, waited_s=question.waited_s
            )
            return Recollection(decision, searched.found, searched.asked)
        at = question.key if decision.reason == "cache_hit" or session.window is None else session.window.key
        kept = None if at is None else self._cache.find(at)
        return Recollection(decision, kept or Found())

    def _seen(self, session_id: str) -> _Session:
        session = self._sessions.setdefault(session_id, _Session(self._clock()))
        session.seen_s = self._clock()
        self._sessions.move_to_end(session_id)
        while len(self._sessions) > SESSIONS_MAX:
            self._sessions.popitem(last=False)
        return session

    def _in_blocks(self, recalled: Recollection, context: TurnContext) -> Recollection:
        """Each store's part, within its own budget."""
        used = sum(message.tokens for message in (*context.history, *context.references))
        allowed = allowance(
            context_tokens=self._terms.context_tokens,
            used_tokens=used,
            tokens_max=self._terms.tokens_max,
            share=self._terms.context_share,
        )
        return replace(
            recalled,
            local=local_block(recalled.found.local, self._allowed, allowed),
            remote=remote_block(recalled.found.remote, self._allowed, allowed),
        )
