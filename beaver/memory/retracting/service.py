"""Taking back what a user asks to be forgotten: observations end with history, and what told them is told no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.ids import IdSource
from beaver.logs import get_logger
from beaver.memory.capture.forget_requests import ForgetRequest
from beaver.memory.capture.matching import END_MARKS
from beaver.memory.capture.rules import SENTENCES_LEARNED
from beaver.memory.capture.sentences import sentences_of
from beaver.memory.inference.port import Serving
from beaver.memory.namespace import Namespace
from beaver.memory.observations import applying
from beaver.memory.observations.attributes import stated_in
from beaver.memory.observations.entries import FACT_LENGTH_MAX, clipped_list
from beaver.memory.observations.finding import near_statement
from beaver.memory.observations.history_store import append_history
from beaver.memory.observations.meaning import Meaning, meaning_of
from beaver.memory.observations.reconcile import content_of
from beaver.memory.observations.records import Evidence, Observation
from beaver.memory.observations.store import add_observation, are_said, resting_on
from beaver.memory.retracting import store
from beaver.memory.retracting.meant import asked_attribute, meant_by, meant_by_attribute, without
from beaver.memory.retrieval.beside.taken_back_store import REQUEST_SOURCE
from beaver.memory.retrieval.beside.telling import tells
from beaver.memory.summaries.summarising import summarise
from beaver.memory.users.store import ensure_namespace

MEANT_MAX: Final = 5
"""A request that means more observations than this is not clear: it means none."""
TITLE: Final = "asked to be forgotten"


@dataclass(frozen=True)
class _Meant:
    """An observation, and which of its statements, title and facts, a request means."""

    held: Observation
    said: Sequence[str]


class TakingBack:
    """Acts on requests. No model is asked, and nothing is encoded inside a transaction."""

    def __init__(self, database: Database, clock: Clock, new_id: IdSource, *, serving: Serving) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id
        self._serving = serving

    async def take_back(self, namespace: Namespace, session_id: str, request: ForgetRequest) -> int:
        """End what the request clearly means and was said before it; how many observations that changed.

        The same request again does nothing, whatever was said since. Its own words are told no more, whether or not anything was
        known of them.
        """
        if not (request.statements or request.attributes or request.last):
            get_logger().info("forget_request.passed_over", reason="too_much")
            return 0
        meanings = {one: await meaning_of(self._serving(), one) for one in request.statements}
        now_ms = self._clock()
        async with self._database.write() as tx:
            namespace_id = await ensure_namespace(tx, namespace, now_ms)
            asked = Evidence(request.message.turn_id, request.message.message_id)
            is_known = await store.was_heard(tx, namespace_id, asked.message_id)
            if is_known or not await are_said(tx, namespace_id, [asked]):
                return 0
            at_ms = min(request.message.observed_ms, now_ms)
            if request.last:
                request = await _with_last(tx, namespace_id, request)
            meant = _clear(await self._meant(tx, namespace_id, request, meanings, at_ms))
            act = _Act(tx, namespace_id, self._new_id, at_ms, now_ms, f"taken back by {asked.message_id}")
            await act.on(request, asked, session_id, meant)
        get_logger().info("forget_request.heard", observations=len(meant), statements=len(request.statements))
        return len(meant)

    async def _meant(
        self,
        tx: Transaction,
        namespace_id: int,
        request: ForgetRequest,
        meanings: Mapping[str, Meaning | None],
        at_ms: int,
    ) -> list[_Meant]:
        found: dict[str, _Meant] = {}
        now_ms = self._clock()
        for statement in request.statements:
            attributes = stated_in(statement)
            near = await near_statement(tx, namespace_id, statement, attributes, meanings.get(statement), now_ms)
            _note(found, [_Meant(held, meant_by(statement, held, cosine)) for held, cosine in near], at_ms)
        for phrase in request.attributes:
            asked = asked_attribute(phrase)
            if asked is not None:
                near = await near_statement(tx, namespace_id, "", asked.looked_for(), None, now_ms)
                _note(found, [_Meant(held, meant_by_attribute(asked, held)) for held, _ in near], at_ms)
        return list(found.values())


async def _with_last(tx: Transaction, namespace_id: int, request: ForgetRequest) -> ForgetRequest:
    """With the statements of the message before; of a longer one, which tells a story or was pasted, none."""
    before = await store.said_before(tx, namespace_id, request.message.message_id)
    said = [] if before is None else [one.text.strip(END_MARKS) for one in sentences_of(before.content)]
    if not 0 < len(said) <= SENTENCES_LEARNED:
        return request
    stated = tuple(one for one in said if one and not one.endswith(("?", "？")))
    return replace(request, statements=tuple(dict.fromkeys((*request.statements, *stated))))


def _note(found: dict[str, _Meant], some: Sequence[_Meant], at_ms: int) -> None:
    """Those of which anything is meant. What was said anew later holds."""
    for one in some:
        if one.said and one.held.updated_ms <= at_ms:
            before = found.get(one.held.id)
            found[one.held.id] = one if before is None else _Meant(one.held, [*before.said, *one.said])


def _clear(meant: Sequence[_Meant]) -> Sequence[_Meant]:
    if len(meant) <= MEANT_MAX:
        return meant
    get_logger().info("forget_request.passed_over", reason="means_many", observations=len(meant))
    return ()


@dataclass(frozen=True)
class _Act:
    """One request's act, in a transaction that has the namespace's turn."""

    tx: Transaction
    namespace_id: int
    new_id: IdSource
    at_ms: int
    now_ms: int
    why: str

    async def on(self, request: ForgetRequest, asked: Evidence, session_id: str, meant: Sequence[_Meant]) -> None:
        """End or lessen what is meant, note the request, and take it out of what quotes it."""
        lessened, kept = list[str](), list[Evidence]()
        for one in meant:
            taken = await self._take_back(one)
            lessened += taken
            kept += one.held.evidence if taken else ()
        statements = list(dict.fromkeys([*request.statements, *(said for one in meant for said in one.said)]))
        sources = {each.message_id for one in meant for each in one.held.evidence}
        await self._note(asked, session_id, (*request.statements, *lessened), kept)
        await self._quote_no_more(statements, sources)
        places = await store.conversations_of(self.tx, self.namespace_id, sources)
        places |= await store.conversations_summed_up_with(self.tx, self.namespace_id, statements)
        for place in sorted(places):
            await summarise(self.tx, self.namespace_id, place, self.new_id, self.now_ms)

    async def _take_back(self, one: _Meant) -> Sequence[str]:
        """End it, or take from it what is meant; returns what was taken from one that stays."""
        left = without(content_of(one.held), set(one.said))
        if left is None:
            await applying.end(self.tx, self.namespace_id, one.held, "deleted", self.at_ms, self.now_ms, why=self.why)
            return ()
        changed = applying.with_content(one.held, left)
        await applying.rewrite(self.tx, self.namespace_id, one.held, changed, self.why, self.now_ms)
        return [said for said in (one.held.title, *one.held.facts) if said not in (left.title, *left.facts)]

    async def _note(
        self, asked: Evidence, session_id: str, statements: Sequence[str], sources: Sequence[Evidence]
    ) -> None:
        """A row that was never active stands for the request: it is told from a new one by its message, and keeps its words."""
        noted = Observation(
            id=self.new_id("obs"),
            store="private",
            type="event",
            title=TITLE,
            narrative="",
            facts=clipped_list(statements, FACT_LENGTH_MAX),
            tags=(),
            related_files=(),
            related_people=(),
            evidence=tuple(dict.fromkeys((asked, *sources))),
            source=REQUEST_SOURCE,
            min_trust="full",
            mention_count=1,
            token_count=0,
            pinned=False,
            session_id=session_id,
            created_ms=self.at_ms,
            updated_ms=self.at_ms,
            ended_ms=self.at_ms,
            end_reason="deleted",
        )
        await add_observation(self.tx, self.namespace_id, noted)
        await append_history(self.tx, self.namespace_id, noted.id, "DELETE", reason=self.why, at_ms=self.now_ms)

    async def _quote_no_more(self, statements: Sequence[str], sources: set[str]) -> None:
        """What else was learned from the same messages does not tell it beside its own."""
        for held in await resting_on(self.tx, self.namespace_id, sources) if sources else ():
            if any(tells(held.narrative, one) for one in statements):
                changed = applying.with_content(held, replace(content_of(held), narrative=""))
                await applying.rewrite(self.tx, self.namespace_id, held, changed, self.why, self.now_ms)
