"""`beaver queue`: looking with filters and pages, sending again, settling, purging; each act told with its actor."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar, get_args

import pytest

from beaver.cli.queue.filters import duration_ms
from beaver.client.answers import Category
from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from beaver.errors import InvalidInput
from beaver.outbox.audit import IDENTITY_MISMATCH, WORKER_LOST
from beaver.outbox.states import State
from tests.support.command_line import Outcome
from tests.support.ledger import Ledger
from tests.support.valkey import ValkeyServer
from tests.unit.cli.conftest import CommandLine
from worker.messages import CONTENT_MISSING
from worker.persist import INTERRUPTED

T = TypeVar("T")

KEY = "uk_0123456789abcdef"
FLUSHING = (State.ADDING, State.ADDED, State.FLUSHING)
WAYS = {
    State.ADD_REFUSED: (State.ADD_REFUSED,),
    State.ADD_UNKNOWN: (State.ADDING, State.ADD_UNKNOWN),
    State.FLUSH_FAILED: (*FLUSHING, State.FLUSH_FAILED),
    State.FLUSH_UNKNOWN: (*FLUSHING, State.FLUSH_UNKNOWN),
    State.FLUSHED: (*FLUSHING, State.FLUSHED),
}


@asynccontextmanager
async def opened(root: Path) -> AsyncIterator[Ledger]:
    database = Database.open(f"sqlite:///{root / '.beaver' / 'sessions.db'}")
    try:
        await ensure_schema(database, "beaver.db.migrations")
        yield Ledger(database)
    finally:
        await database.close()


class Turns:
    """Puts turns into the instance's ledger, and looks at it past the commands."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __call__(self, state: State, session_id: str, *, status: int | None = None, category: str = "timeout") -> str:
        """A turn of a session, brought to this state; the run id."""
        return self._run(lambda ledger: _bring(ledger, state, session_id, status, category))

    def audit(self, session_id: str) -> list[tuple[str, dict[str, Any]]]:
        return self._run(lambda ledger: ledger.audit(session_id))

    def state(self, run_id: str) -> State:
        return self._run(lambda ledger: ledger.state(run_id))

    def _run(self, act: Callable[[Ledger], Awaitable[T]]) -> T:
        async def within() -> T:
            async with opened(self._root) as ledger:
                return await act(ledger)

        return asyncio.run(within())


async def _bring(ledger: Ledger, state: State, session_id: str, status: int | None, category: str) -> str:
    run_id = await ledger.complete_turn(session_id, prompt="What do beavers build?", answer="Dams\x1b[2J.")
    detail = {"category": "http_status" if status else category, **({"http_status": status} if status else {})}
    if state is not State.PENDING:
        async with ledger.database.write() as tx:
            claim = await ledger.claims.claim(tx, run_id, "worker-1", claim_ms=60_000)
            assert claim is not None
            for target in WAYS.get(state, ()):
                assert await ledger.claims.move(tx, claim, target, detail=detail)
    return run_id


@pytest.fixture
def turns(beaver: CommandLine) -> Turns:
    beaver.configure({"memory": {"mode": "curated"}})
    return Turns(beaver.root)


def run_ids(listed: Any) -> list[str]:
    return [turn["run_id"] for turn in listed]


def after_answer(outcome: Outcome) -> Any:
    """The JSON that follows a question: the runner writes the answer typed to standard output, as a terminal shows it."""
    return json.loads(outcome.out.splitlines()[-1])


class TestList:
    @pytest.mark.parametrize("command", ["list", "requeue"])
    def test_the_help_names_every_way_to_fail(self, beaver: CommandLine, command: str) -> None:
        told = "".join(beaver("queue", command, "--help").out.split())
        known = {*get_args(Category), WORKER_LOST, INTERRUPTED, IDENTITY_MISMATCH, CONTENT_MISSING}
        assert {each for each in known if each not in told} == set()

    def test_filters_all_must_hold(self, beaver: CommandLine, turns: Turns) -> None:
        refused = turns(State.ADD_REFUSED, "s-1", status=401)
        unknown = turns(State.ADD_UNKNOWN, "s-2", status=503)
        late = turns(State.ADD_UNKNOWN, "s-3")
        waiting = turns(State.PENDING, "s-1")

        def listed(*options: str) -> list[str]:
            return run_ids(beaver("queue", "list", "--json", *options).json)

        assert listed() == [waiting, late, unknown, refused]
        assert listed("--state", "add_refused", "--state", "pending") == [waiting, refused]
        assert listed("--session", "s-1", "--state", "add_refused") == [refused]
        assert listed("--error", "timeout") == [late]
        assert listed("--http-status", "503") == [unknown]
        assert listed("--older-than", "2h") == []
        assert listed("--newer-than", "2h", "--error", "http_status") == [unknown, refused]

    def test_pages_follow_each_other_even_when_new_turns_come(self, beaver: CommandLine, turns: Turns) -> None:
        runs = [turns(State.PENDING, f"s-{number}") for number in range(4)]
        first = beaver("queue", "list", "--json", "--limit", "2").json
        turns(State.PENDING, "newer")
        second = beaver("queue", "list", "--json", "--limit", "2", "--after", first[-1]["cursor"]).json
        assert run_ids(first) + run_ids(second) == runs[::-1]
        assert f"--after {first[-1]['cursor']}" not in beaver("queue", "list").out
        assert "--after" in beaver("queue", "list", "--limit", "2").out

    @pytest.mark.parametrize("words", [("--older-than", "soon"), ("--newer-than", "10")])
    def test_what_cannot_be_read_is_refused_by_name(self, beaver: CommandLine, words: tuple[str, str]) -> None:
        refused = beaver("queue", "list", "--json", *words)
        assert (refused.code, words[0] in refused.error["message"]) == (2, True)


@pytest.mark.parametrize(("text", "ms"), [("30s", 30_000), ("10m", 600_000), ("2h", 7_200_000), ("1w", 604_800_000)])
def test_durations_are_a_number_and_a_unit(text: str, ms: int) -> None:
    assert duration_ms(text, "--older-than") == ms


@pytest.mark.parametrize("text", ["", "10", "h", "-1h", "1.5h", "10 m", "9999999d", "٣h"])
def test_anything_else_is_no_duration(text: str) -> None:
    with pytest.raises(InvalidInput):
        duration_ms(text, "--older-than")


class TestShow:
    def test_words_are_shown_only_when_asked_for_and_that_is_told(self, beaver: CommandLine, turns: Turns) -> None:
        run_id = turns(State.ADD_UNKNOWN, "s-1")
        assert "beavers" not in beaver("queue", "show", run_id).out
        told = len(turns.audit("s-1"))
        shown = beaver("queue", "show", run_id, "--content", "--actor", "anna", "--reason", "ticket 7")
        assert "What do beavers build?" in shown.out
        assert "\x1b" not in shown.out
        [(kind, payload)] = turns.audit("s-1")[told:]
        assert kind == "memory_gateway_operator_acted"
        assert (payload["action"], payload["actor"], payload["reason"]) == ("view_content", "operator:anna", "ticket 7")
        as_json = beaver("queue", "show", run_id, "--content", "--json").json
        assert as_json["content"] == {"prompt": "What do beavers build?", "answer": "Dams\x1b[2J."}

    def test_the_timeline_names_the_worker_of_each_move(self, beaver: CommandLine, turns: Turns) -> None:
        run_id = turns(State.ADD_UNKNOWN, "s-1")
        timeline = beaver("queue", "show", run_id, "--json").json["timeline"]
        assert [(entry["to_state"], entry["actor"]) for entry in timeline] == [
            ("pending", "chat"),
            ("claimed", "worker-1"),
            ("adding", "worker-1"),
            ("add_unknown", "worker-1"),
        ]
        assert "adding → add_unknown" in beaver("queue", "show", run_id).out


class TestRequeue:
    def test_a_refused_turn_is_rung_for(self, beaver: CommandLine, turns: Turns, valkey: ValkeyServer) -> None:
        beaver.configure({"memory": {"mode": "curated"}, "queue": {"redisUrl": valkey.url}})
        run_id = turns(State.ADD_REFUSED, "s-1")
        requeued = beaver("queue", "requeue", run_id, "--json").json
        assert requeued["refused"] == []
        [moved] = requeued["requeued"]
        assert (moved["from_state"], moved["to_state"], moved["attempt"], moved["rung"]) == (
            "add_refused",
            "pending",
            2,
            True,
        )
        [(_, payload)] = [told for told in turns.audit("s-1") if told[0] == "memory_gateway_operator_acted"]
        assert payload["actor"].startswith("operator:")
        assert "@" in payload["actor"]

    def test_a_queue_that_is_down_is_told_and_stops_nothing(self, beaver: CommandLine, turns: Turns) -> None:
        run_id = turns(State.FLUSH_FAILED, "s-1")
        requeued = beaver("queue", "requeue", run_id)
        assert requeued.code == 0
        assert f"Requeued {run_id}: flush_failed → added, attempt 2." in requeued.out
        assert "The queue did not answer" in requeued.out
        assert requeued.err == ""

    def test_an_unknown_add_needs_consent_and_a_reason(self, beaver: CommandLine, turns: Turns) -> None:
        run_id = turns(State.ADD_UNKNOWN, "s-1")
        refused = beaver("queue", "requeue", run_id, "--json")
        assert (refused.code, refused.error["code"]) == (4, "conflict")
        assert "--accept-duplicate" in refused.error["message"]
        assert beaver("queue", "requeue", run_id, "--accept-duplicate").code == 2
        assert beaver("queue", "requeue", run_id, "--accept-duplicate", "--reason", "looked").code == 0
        assert turns.state(run_id) is State.PENDING

    def test_an_unknown_add_goes_through_where_the_gateway_honours_keys(
        self, beaver: CommandLine, turns: Turns
    ) -> None:
        gateway = {"baseUrl": "http://127.0.0.1:1", "userId": "ada", "userKey": KEY, "honoursIdempotencyKey": True}
        beaver.configure({"memory": {"mode": "hybrid", "gateway": gateway}})
        run_id = turns(State.ADD_UNKNOWN, "s-1")
        assert beaver("queue", "requeue", run_id, "--reason", "looked").code == 0

    def test_a_turn_in_a_workers_hands_is_left_to_it(self, beaver: CommandLine, turns: Turns) -> None:
        run_id = turns(State.CLAIMED, "s-1")
        refused = beaver("queue", "requeue", run_id)
        assert (refused.code, "worker-1" in refused.err) == (4, True)
        assert turns.state(run_id) is State.CLAIMED

    def test_of_several_those_that_can_are_requeued_and_the_others_named(
        self, beaver: CommandLine, turns: Turns
    ) -> None:
        able, done = turns(State.ADD_REFUSED, "s-1"), turns(State.FLUSHED, "s-1")
        told = beaver("queue", "requeue", "nope", able, done, "--json")
        assert told.code == 3
        assert run_ids(told.json["requeued"]) == [able]
        assert told.json["requeued"][0]["later_delivered"] is True
        assert [(one["run_id"], one["error"]["code"]) for one in told.json["refused"]] == [
            ("nope", "not_found"),
            (done, "conflict"),
        ]

    def test_all_takes_what_is_safe_once_confirmed(self, beaver: CommandLine, turns: Turns) -> None:
        safe = [turns(State.ADD_REFUSED, "s-1"), turns(State.FLUSH_FAILED, "s-2")]
        unknown = turns(State.ADD_UNKNOWN, "s-3")
        declined = beaver("queue", "requeue", "--all", stdin="n\n")
        assert (declined.code, "Requeue 2 turns (add_refused, flush_failed)?" in declined.err) == (1, True)
        assert turns.state(safe[0]) is State.ADD_REFUSED
        requeued = after_answer(beaver("queue", "requeue", "--all", "--json", stdin="y\n"))
        assert run_ids(requeued["requeued"]) == safe
        assert turns.state(unknown) is State.ADD_UNKNOWN
        assert beaver("queue", "requeue", "--all").out == "No turns were requeued.\n"

    def test_all_obeys_filters_and_its_bound(self, beaver: CommandLine, turns: Turns) -> None:
        runs = [turns(State.ADD_REFUSED, f"s-{number}", status=401) for number in range(3)]
        turns(State.ADD_REFUSED, "other", status=404)
        asked = beaver("queue", "requeue", "--all", "--http-status", "401", "--limit", "2", "--json", stdin="y\n")
        assert "Requeue the oldest 2 of 3 turns" in asked.err
        assert run_ids(after_answer(asked)["requeued"]) == runs[:2]

    @pytest.mark.parametrize(
        "words",
        [
            (),
            ("run", "--all"),
            ("run", "--state", "add_refused"),
            ("--state", "add_refused"),
            ("--all", "--state", "flushed"),
            ("--all", "--state", "add_unknown", "--accept-duplicate"),
        ],
    )
    def test_a_choice_that_says_too_little_or_too_much_is_refused(
        self, beaver: CommandLine, turns: Turns, words: tuple[str, ...]
    ) -> None:
        assert beaver("queue", "requeue", *words).code == 2


class TestAnotherUser:
    """Turns that were made for a Gateway user whom the configuration does not name (any more)."""

    def test_they_are_told_what_they_are_and_not_sent_again(self, beaver: CommandLine, turns: Turns) -> None:
        beaver.configure({"memory": {"gateway": {"baseUrl": "http://127.0.0.1:1", "userId": "bob", "userKey": KEY}}})
        run_id = turns(State.ADD_REFUSED, "s-1", category=IDENTITY_MISMATCH)
        assert "no worker was configured for: 1 (list" in beaver("queue", "stats").out
        assert beaver("queue", "stats", "--json").json["identity_mismatches"] == 1
        assert "`beaver queue show RUN` says for whom" in beaver("queue", "list").out
        shown = beaver("queue", "show", run_id)
        assert "Made for the Gateway user ada, app default, project default." in shown.out
        assert "memory.gateway.earlierUsers" in shown.out
        assert beaver("queue", "show", run_id, "--json").json["gateway_user_id"] == "ada"
        refused = beaver("queue", "requeue", "--all", "--yes", "--json")
        assert refused.code == 4
        assert "'ada'" in refused.json["refused"][0]["error"]["message"]
        assert turns.state(run_id) is State.ADD_REFUSED

    def test_they_go_once_the_user_is_named(self, beaver: CommandLine, turns: Turns) -> None:
        earlier = [{"userId": "ada", "userKey": KEY}]
        gateway = {"baseUrl": "http://127.0.0.1:1", "userId": "bob", "userKey": KEY, "earlierUsers": earlier}
        beaver.configure({"memory": {"gateway": gateway}})
        run_id = turns(State.ADD_REFUSED, "s-1", category=IDENTITY_MISMATCH)
        assert beaver("queue", "requeue", run_id).code == 0
        assert turns.state(run_id) is State.PENDING


class TestDrop:
    def test_turns_are_given_up_once_confirmed(self, beaver: CommandLine, turns: Turns) -> None:
        run_id = turns(State.ADD_REFUSED, "s-1")
        declined = beaver("queue", "drop", run_id, stdin="n\n")
        assert (declined.code, turns.state(run_id)) == (1, State.ADD_REFUSED)
        dropped = beaver("queue", "drop", run_id, "--yes", "--reason", "the user left", "--json")
        assert [(one["run_id"], one["to_state"]) for one in dropped.json["dropped"]] == [(run_id, "skipped")]
        assert turns.audit("s-1")[-1][1]["reason"] == "the user left"
        assert beaver("queue", "drop", run_id, "--yes").code == 4

    def test_all_takes_what_matches(self, beaver: CommandLine, turns: Turns) -> None:
        runs = [turns(State.ADD_REFUSED, "s-1", category=IDENTITY_MISMATCH), turns(State.FLUSH_FAILED, "s-2")]
        told = beaver("queue", "drop", "--all", "--error", "identity_mismatch", "--yes").out
        assert told == "Dropped 1 turns.\n"
        assert [turns.state(run_id) for run_id in runs] == [State.SKIPPED, State.FLUSH_FAILED]
        assert beaver("queue", "drop", "--all", "--state", "add_unknown").code == 2
        assert beaver("queue", "drop").code == 2


class TestResolve:
    def test_an_unknown_turn_is_settled(self, beaver: CommandLine, turns: Turns) -> None:
        stored, lost = turns(State.ADD_UNKNOWN, "s-1"), turns(State.FLUSH_UNKNOWN, "s-2")
        assert beaver("queue", "resolve", stored, "--applied", "--json").json["to_state"] == "added"
        assert f"Settled {lost}: flush_unknown → flush_failed" in beaver("queue", "resolve", lost, "--lost").out

    @pytest.mark.parametrize("words", [(), ("--applied", "--lost")])
    def test_it_must_be_one_of_the_two(self, beaver: CommandLine, turns: Turns, words: tuple[str, ...]) -> None:
        assert beaver("queue", "resolve", turns(State.ADD_UNKNOWN, "s-1"), *words).code == 2

    def test_what_is_known_or_not_there_is_refused(self, beaver: CommandLine, turns: Turns) -> None:
        assert beaver("queue", "resolve", turns(State.FLUSHED, "s-1"), "--lost").code == 4
        assert beaver("queue", "resolve", "nope", "--lost").code == 3


class TestPurge:
    def test_delivered_turns_go_once_confirmed_and_failed_ones_stay(self, beaver: CommandLine, turns: Turns) -> None:
        turns(State.FLUSHED, "s-1")
        kept = turns(State.ADD_UNKNOWN, "s-2")
        assert beaver("queue", "purge", "--flushed-older-than", "1h", "--json").json == {"purged": 0}
        assert beaver("queue", "purge", "--flushed-older-than", "0s", stdin="n\n").code == 1
        assert beaver("queue", "purge", "--flushed-older-than", "0s", "--yes").out == "Purged 1 turns.\n"
        assert run_ids(beaver("queue", "list", "--json").json) == [kept]
        assert turns.audit("s-1")[-1][1]["action"] == "purge"

    def test_how_old_must_be_said(self, beaver: CommandLine) -> None:
        assert beaver("queue", "purge").code == 2
        assert beaver("queue", "purge", "--flushed-older-than", "long").code == 2


@pytest.mark.parametrize("as_json", [True, False])
def test_watch_tells_each_change_in_one_line_until_it_is_interrupted(
    beaver: CommandLine, turns: Turns, as_json: bool
) -> None:
    turns(State.PENDING, "s-1")
    command = [sys.executable, "-m", "beaver", "queue", "watch", "--interval", "0.1", *(["--json"] if as_json else [])]
    environment = {**os.environ, "BEAVER_ROOT": str(beaver.root)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watch:
        assert watch.stdout is not None
        first = watch.stdout.readline()
        turns(State.FLUSHED, "s-2")
        # The turn is seen on its way there too, as often as there was time to look.
        later = next(line for line in watch.stdout if _tells_a_flushed_turn(line, as_json=as_json))
        watch.send_signal(signal.SIGINT)
        _, err = watch.communicate(timeout=30)
    if as_json:
        assert json.loads(first)["counts"]["pending"] == 1
    else:
        assert first == "pending 1\n"
    assert later != first
    assert (watch.returncode, err) == (0, "")


def _tells_a_flushed_turn(line: str, *, as_json: bool) -> bool:
    return bool(json.loads(line)["counts"]["flushed"] == 1) if as_json else "flushed 1" in line
