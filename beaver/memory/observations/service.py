"""Writing observations: an exact copy, or candidates and their reconciliation; the check and the act are one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Final, assert_never

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.ids import IdSource
from beaver.logs import get_logger
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.idempotency.store import amend_receipt, claim_receipt
from beaver.memory.inference.port import Serving, no_encoder
from beaver.memory.namespace import Namespace
from beaver.memory.observations import applying
from beaver.memory.observations.entries import Entry, content_hash, entry_of, fact_hash, text_of
from beaver.memory.observations.finding import candidates_for
from beaver.memory.observations.history_store import find_tombstones, lift_tombstones
from beaver.memory.observations.meaning import Meaning, meaning_of
from beaver.memory.observations.reconcile import (
    Add,
    Decision,
    Ignore,
    Mention,
    Reconciler,
    RuleReconciler,
    Supersede,
    Update,
)
from beaver.memory.observations.records import Candidate, NewObservation, Observation, Trust, Written
from beaver.memory.observations.store import are_said, find_same
from beaver.memory.observations.trust import write_store
from beaver.memory.users.store import Standing, ensure_standing, find_namespace, find_standing

ROUNDS_MAX: Final = 3
"""How often a decision is asked for anew because what it was made on changed meanwhile; after that the write is an ADD."""


@dataclass(frozen=True)
class _Held:
    """What is held of an entry's very words: whether they were forgotten, and rows that say the same."""

    forgotten: bool
    same: Sequence[Observation]


@dataclass(frozen=True)
class _Seen:
    """What a decision is made on, and the revision of the namespace at which all of it stood so."""

    revision: int
    held: _Held
    candidates: Sequence[Candidate]


_NOTHING_SEEN: Final = _Seen(0, _Held(False, ()), ())
"""Where nothing was stored yet."""


class _ChangedMeanwhile(Exception):
    """Other candidates stand there now than those that were decided on. Undoes the transaction."""


class ObservationService:
    """Writes observations. Equal writes at the same time give one row; no model is asked inside a transaction."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        new_id: IdSource,
        *,
        reconciler: Reconciler | None = None,
        serving: Serving = no_encoder,
    ) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id
        self._reconciler = reconciler or RuleReconciler()
        self._serving = serving

    async def write(
        self,
        namespace: Namespace,
        new: NewObservation,
        trust: Trust = "owner",
        identity: RequestIdentity | None = None,
    ) -> Written:
        """Remember something, as far as it is new.

        `trust` is the effective one and alone decides the store; public writes nothing (`skipped`). What was forgotten is
        written again by an explicit source (`tool`, `person`) only. Raises InvalidInput for a field that breaks a rule,
        NotFound without the user, Conflict for a known key with another request.
        """
        store = write_store(trust)
        if store is None:
            return Written("skipped", None)
        entry = entry_of(new, store, trust, self._clock())
        meaning = await self._meaning(namespace, entry)
        for _ in range(ROUNDS_MAX):
            seen = await self._look(namespace, entry, meaning)
            decision = await self._decide(entry, seen)
            with suppress(_ChangedMeanwhile):
                return await self._act(namespace, entry, seen, decision, meaning, identity)
        return await self._act(namespace, entry, None, Add(), None, identity)

    async def _meaning(self, namespace: Namespace, entry: Entry) -> Meaning | None:
        """What repeats exactly is not encoded."""
        encoder = self._serving()
        if encoder is None:
            return None
        async with self._database.read_apart() as tx:  # a look alone: it is looked again before anything is written
            there = await find_namespace(tx, namespace)
            settled = there is None or _is_settled(entry, await _held(tx, there, entry))
        return None if settled else await meaning_of(encoder, text_of(entry.new))

    async def _look(self, namespace: Namespace, entry: Entry, meaning: Meaning | None) -> _Seen:
        async with self._database.read() as tx:
            there = await find_standing(tx, namespace)
            if there is None:
                return _NOTHING_SEEN
            held = await _held(tx, there.id, entry)
            alike = [] if _is_settled(entry, held) else await candidates_for(tx, there.id, entry, meaning)
            return _Seen(there.revision, held, alike)

    async def _decide(self, entry: Entry, seen: _Seen) -> Decision:
        if not seen.candidates:
            return Add()
        return await self._reconciler.decide(entry.new, entry.at_ms, seen.candidates)

    async def _act(
        self,
        namespace: Namespace,
        entry: Entry,
        seen: _Seen | None,
        decision: Decision,
        meaning: Meaning | None,
        identity: RequestIdentity | None,
    ) -> Written:
        """Without `seen` nothing is compared. Raises _ChangedMeanwhile when the decision was made on other candidates."""
        async with self._database.write() as tx:
            standing = await ensure_standing(tx, namespace, entry.now_ms)
            namespace_id = standing.id
            known = await claim_receipt(tx, identity, {}, entry.now_ms)
            if known is not None:
                return Written(known["outcome"], known["observation_id"])
            if entry.is_captured and not await are_said(tx, namespace_id, entry.new.evidence):
                return Written("skipped", None, evidence_gone=True)
            now = await _seen_now(tx, standing, entry, seen, meaning)
            written = await self._settle(tx, namespace_id, entry, now.held)
            if written is None:
                if seen is not None and _stamps(now.candidates) != _stamps(seen.candidates):
                    raise _ChangedMeanwhile
                written = await self._apply(tx, namespace_id, entry, decision, now.candidates)
            await amend_receipt(tx, identity, asdict(written))
        _trace(written, 0 if seen is None else len(seen.candidates))
        return written

    async def _settle(self, tx: Transaction, namespace_id: int, entry: Entry, there: _Held) -> Written | None:
        """What is done without a decision: something forgotten, known messages again, an exact copy."""
        if there.forgotten:
            return Written("skipped", None)
        for held in there.same:
            if held.ended_ms is None and _has_expired(held, entry.now_ms):
                await applying.end(tx, namespace_id, held, "expired", entry.at_ms, entry.now_ms)
            elif held.ended_ms is None:
                await applying.mention(tx, namespace_id, entry, held, touch=True)
                return Written("exact_dup", held.id)
            elif applying.is_known(entry.new.evidence, held):
                return Written("skipped", held.successor_id or held.id)
        if entry.is_explicit:
            await lift_tombstones(tx, namespace_id, _hashes(entry))
        return None

    async def _apply(
        self, tx: Transaction, namespace_id: int, entry: Entry, decision: Decision, candidates: Sequence[Candidate]
    ) -> Written:
        match decision:
            case Add():
                return await applying.add(tx, namespace_id, entry, self._new_id)
            case Update(index, merged):
                return await applying.change(tx, namespace_id, entry, candidates[index].observation, merged)
            case Supersede(index, replacement):
                held = candidates[index].observation
                return await applying.supersede(tx, namespace_id, entry, held, replacement, self._new_id)
            case Ignore():
                return Written("skipped", None)
            case Mention(index):
                held = candidates[index].observation
                await applying.mention(tx, namespace_id, entry, held, touch=False)
                return Written("skipped", held.id)
            case _ as other:
                assert_never(other)


async def _seen_now(
    tx: Transaction, standing: Standing, entry: Entry, seen: _Seen | None, meaning: Meaning | None
) -> _Seen:
    """What there is to see inside a write: where that is the first since, what was seen. Nothing is compared without `seen`."""
    if seen is not None and standing.revision == seen.revision + 1:
        return seen
    held = await _held(tx, standing.id, entry)
    if seen is None or _is_settled(entry, held):
        return _Seen(standing.revision, held, ())
    return _Seen(standing.revision, held, await candidates_for(tx, standing.id, entry, meaning))


async def _held(tx: Transaction, namespace_id: int, entry: Entry) -> _Held:
    if await _is_forgotten(tx, namespace_id, entry):
        return _Held(True, ())
    return _Held(False, await find_same(tx, namespace_id, entry.store, entry.new.type, entry.hash))


def _is_settled(entry: Entry, there: _Held) -> bool:
    """Whether nothing is to be decided."""
    return there.forgotten or any(
        applying.is_known(entry.new.evidence, held)
        if held.ended_ms is not None
        else not _has_expired(held, entry.now_ms)
        for held in there.same
    )


async def _is_forgotten(tx: Transaction, namespace_id: int, entry: Entry) -> bool:
    """Whether it was forgotten, as a whole or fact by fact, and nobody asks for it now."""
    if entry.is_explicit:
        return False
    known = await find_tombstones(tx, namespace_id, _hashes(entry))
    facts = set(map(fact_hash, entry.new.facts))
    return entry.hash in known or (bool(facts) and facts <= known)


def _hashes(entry: Entry) -> list[str]:
    return [content_hash(entry.new.title, entry.new.facts), *map(fact_hash, entry.new.facts)]


def _has_expired(held: Observation, now_ms: int) -> bool:
    return held.expires_ms is not None and held.expires_ms <= now_ms


def _stamps(candidates: Sequence[Candidate]) -> list[tuple[str, str]]:
    """A candidate and the words that it says."""
    return [(one.observation.id, content_hash(one.observation.title, one.observation.facts)) for one in candidates]


def _trace(written: Written, candidates: int) -> None:
    """Counts, ids and outcomes, never content."""
    get_logger().debug(
        "observations.written", outcome=written.outcome, observation_id=written.observation_id, candidates=candidates
    )
