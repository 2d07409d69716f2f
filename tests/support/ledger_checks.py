"""The invariants of the persist pipeline: what must hold once every turn has come to its end, whatever happened on the way."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import select

from beaver.db.tables import events, outbox, outbox_timeline, runs
from beaver.outbox.states import ENDS, State, audit_owed, may_move
from beaver.schemas.audit import AuditEvent
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH, chat_session
from tests.support.gateway_stub import GatewayStub
from tests.support.ledger import Ledger
from tests.support.valkey import ValkeyServer

ADDED: Final = "memory_gateway_add_succeeded"
NOT_ADDED: Final = "memory_gateway_add_failed"
FLUSHED: Final = "memory_gateway_flush_succeeded"
NOT_FLUSHED: Final = "memory_gateway_flush_failed"

TOLD: Final[Mapping[State, list[str]]] = {
    State.FLUSHED: [ADDED, FLUSHED],
    State.FLUSH_FAILED: [ADDED, NOT_FLUSHED],
    State.FLUSH_UNKNOWN: [ADDED, NOT_FLUSHED],
    State.ADD_REFUSED: [NOT_ADDED],
    State.ADD_UNKNOWN: [NOT_ADDED],
    State.SKIPPED: ["memory_gateway_add_skipped"],
}
SENT: Final = frozenset({State.FLUSHED, State.FLUSH_FAILED, State.FLUSH_UNKNOWN})


@dataclass(frozen=True)
class Picture:
    """The whole ledger at one moment."""

    turns: dict[str, Any]
    timelines: dict[str, list[Any]]
    audits: dict[str, list[Any]]
    completed: set[str]


async def check_invariants(
    ledger: Ledger, stub: GatewayStub, *, ordered: bool = True
) -> Counter[tuple[State, str | None]]:
    """Raise AssertionError at the first promise that does not hold; else count the ends, each with its category.

    Order within a session is not asked for where a worker stood still between its word and its request.
    """
    picture = await _picture(ledger)
    assert picture.completed <= set(picture.turns), "a completed run has no row in the ledger"
    for run_id, turn in picture.turns.items():
        assert turn.state in ENDS, f"{run_id} has not ended: {turn.state}"
        _check_timeline(run_id, turn, picture.timelines[run_id])
        _check_audit(run_id, turn, picture.timelines[run_id], picture.audits[run_id])
    _check_adds(picture, stub)
    _check_flushes(picture, stub)
    if ordered:
        _check_order(picture, stub)
    return Counter((State(turn.state), turn.error_category) for turn in picture.turns.values())


def left_in_queue(valkey: ValkeyServer) -> list[bytes]:
    """Every key in the queue server but the health keys of live workers."""
    return sorted(key for key in valkey.client().scan_iter() if b":health:" not in key)


async def check_nothing_leaked(
    ledger: Ledger, valkey: ValkeyServer, logs: Iterable[Path], secrets: Iterable[str]
) -> None:
    """None of the secrets stands in the queue server (its keys and its files), in a log, or in what the ledger tells."""
    inside = valkey.client()
    places: dict[str, Any] = {repr(key): inside.dump(key) or b"" for key in inside.scan_iter()}
    places |= {str(path): path.read_bytes() for path in valkey.files()}
    places |= {str(path): path.read_bytes() for path in logs}
    picture = await _picture(ledger)
    places |= {run_id: repr(told).encode() for run_id, told in (picture.timelines | picture.audits).items()}
    for place, content in places.items():
        for secret in secrets:
            assert secret.encode() not in content, f"leaked into {place}"


async def _picture(ledger: Ledger) -> Picture:
    async with ledger.database.read() as tx:
        turns = {row.run_id: row for row in await tx.execute(select(outbox))}
        told = (await tx.execute(select(outbox_timeline).order_by(outbox_timeline.c.id))).all()
        heard = (await tx.execute(select(events).where(~events.c.context_visible).order_by(events.c.id))).all()
        completed = set((await tx.execute(select(runs.c.id).where(runs.c.status == "completed"))).scalars())
    return Picture(turns, _by_run(told), _by_run(heard), completed)


def _by_run(rows: Iterable[Any]) -> dict[str, list[Any]]:
    grouped: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        grouped[row.run_id].append(row)
    return grouped


def _check_timeline(run_id: str, turn: Any, timeline: list[Any]) -> None:
    path = [entry.to_state for entry in timeline]
    assert path[-1] == turn.state, f"{run_id} stands in {turn.state}, its timeline ends in {path[-1]}"
    assert [entry.from_state for entry in timeline] == [None, *path[:-1]], f"{run_id}: the timeline has a gap: {path}"
    for entry in timeline[1:]:
        source, target = State(entry.from_state), State(entry.to_state)
        taken_over = source is target is State.ADDED
        assert taken_over or may_move(source, target), f"{run_id}: no such move: {source} to {target}"


def _check_audit(run_id: str, turn: Any, timeline: list[Any], audits: list[Any]) -> None:
    told = [(event.kind, event.payload) for event in audits if event.kind in set(AuditEvent)]
    told = [one for one in told if "recall" not in one[0]]
    moves = [(State(entry.from_state) if entry.from_state else None, State(entry.to_state)) for entry in timeline]
    owed = [
        (str(kind), entry.detail)
        for entry, move in zip(timeline, moves, strict=True)
        if (kind := audit_owed(*move)) is not None
    ]
    assert told == owed, f"{run_id}: audit events {told}, owed {owed}"
    # A late owner turns an unknown into the truth: then, and only then, the unknown was told before.
    path = [entry.to_state for entry in timeline]
    corrected = [
        NOT_ADDED if state == State.ADD_UNKNOWN else NOT_FLUSHED
        for state in path[:-1]
        if state in {State.ADD_UNKNOWN, State.FLUSH_UNKNOWN}
    ]
    assert Counter(kind for kind, _ in told) == Counter(TOLD[State(turn.state)] + corrected), f"{run_id}: {told}"


def _check_adds(picture: Picture, stub: GatewayStub) -> None:
    adds = stub.seen(ADD_PATH)
    keys = Counter(add.headers["idempotency-key"] for add in adds)
    texts = Counter(add.body["messages"][0]["content"] for add in adds)
    assert max(keys.values(), default=0) <= 1, f"added twice by key: {keys.most_common(3)}"
    assert max(texts.values(), default=0) <= 1, f"added twice by content: {texts.most_common(3)}"
    for run_id, turn in picture.turns.items():
        state = State(turn.state)
        # A refusal without a status comes from this side of the wire: nothing had left.
        if state in SENT or (state is State.ADD_REFUSED and turn.error_status is not None):
            assert keys[run_id] == 1, f"{run_id} is {state}, yet the Gateway never saw it"
        elif state is not State.ADD_UNKNOWN:
            assert keys[run_id] == 0, f"{run_id} is {state} ({turn.error_category}), yet the Gateway saw it"


def _check_flushes(picture: Picture, stub: GatewayStub) -> None:
    ends: dict[str, Counter[State]] = defaultdict(Counter)
    for turn in picture.turns.values():
        ends[chat_session(turn.session_id)][State(turn.state)] += 1
    balance: Counter[str] = Counter()
    flushes: Counter[str] = Counter()
    for request in stub.requests:
        if request.path == ADD_PATH:
            balance[request.body["session_id"]] += 1
        elif request.path == FLUSH_PATH:
            session = request.body["session_id"]
            flushes[session] += 1
            balance[session] -= 1
            assert balance[session] >= 0, f"{session}: a flush without an add before it"
    for session, count in ends.items():
        added = sum(count[state] for state in SENT)
        assert count[State.FLUSHED] <= flushes[session] <= added, f"{session}: {flushes[session]} flushes for {count}"


def _check_order(picture: Picture, stub: GatewayStub) -> None:
    arrived: dict[str, list[int]] = defaultdict(list)
    for add in stub.seen(ADD_PATH):
        arrived[add.body["session_id"]].append(picture.turns[add.headers["idempotency-key"]].position)
    for session, positions in arrived.items():
        assert positions == sorted(positions), f"{session}: turns arrived out of order: {positions}"
