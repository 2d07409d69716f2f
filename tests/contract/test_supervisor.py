"""The supervisor over real child processes: what it promises about starts, restarts, drains and its own death."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from beaver.embedded.logfiles import LOG_BYTES_MAX
from beaver.embedded.supervisor import Life, Part, PartStatus, Patience, Probe, Supervisor
from beaver.errors import DeadlineExceeded
from tests.support.waiting import wait_until

QUICK = Patience(probe_every_s=0.01, backoff_first_s=0.05, backoff_most_s=0.2, stable_s=30)

WAITS = "import signal; open('{0}/{1}.up', 'w').close(); signal.pause()"
NOTES_ITS_END = """
import os, signal, sys
def end(*_):
    with open('{0}/ends', 'a') as ends: ends.write('{1} ')
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
open('{0}/{1}.up', 'w').close()
while True: signal.pause()
"""
IGNORES_SIGTERM = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open('{0}/{1}.up', 'w').close()
while True: signal.pause()
"""
TELLS_MUCH = """
import signal, sys
signal.signal(signal.SIGUSR1, lambda *_: print('still here', file=sys.stderr, flush=True))
for _ in range(6): print('x' * 1_000_000, file=sys.stderr, flush=True)
open('{0}/{1}.up', 'w').close()
while True: signal.pause()
"""
DIES = "import sys; print('no luck', file=sys.stderr); sys.exit(3)"


def part(
    folder: Path, name: str, script: str = WAITS, *, probe: Probe | None = None, stop_within_s: float = 10
) -> Part:
    """A part that is ready once its file `<name>.up` stands."""

    async def is_up(_life: Life) -> bool:
        return (folder / f"{name}.up").exists()

    command = (sys.executable, "-S", "-c", script.format(folder, name))
    return Part(name, command, probe or is_up, address=f"at {name}", stop_within_s=stop_within_s)


class Seen:
    """Everything a supervisor reported."""

    def __init__(self) -> None:
        self.changes: list[PartStatus] = []

    def states(self, name: str) -> list[str]:
        return [status.state for status in self.changes if status.name == name]


@asynccontextmanager
async def supervised(folder: Path, *parts: Part, patience: Patience = QUICK) -> AsyncIterator[tuple[Supervisor, Seen]]:
    seen = Seen()
    async with Supervisor(folder / "logs", os.environ, seen.changes.append, patience) as supervisor:
        for each in parts:
            supervisor.start(each)
        yield supervisor, seen


def pid_of(supervisor: Supervisor, name: str) -> int:
    pid = next(status.pid for status in supervisor.statuses if status.name == name)
    assert pid is not None
    return pid


def lives(pid: int) -> bool:
    """Whether the process runs; one that only waits to be reaped does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


async def test_a_part_is_ready_when_its_probe_says_so(tmp_path: Path) -> None:
    async with supervised(tmp_path, part(tmp_path, "one")) as (supervisor, seen):
        await supervisor.wait_ready(within_s=15)
        assert seen.states("one") == ["starting", "ready"]
        assert lives(pid_of(supervisor, "one"))
    assert seen.states("one") == ["starting", "ready", "stopping", "stopped"]


async def test_a_part_that_is_killed_starts_again_and_becomes_ready(tmp_path: Path) -> None:
    async with supervised(tmp_path, part(tmp_path, "one")) as (supervisor, seen):
        await supervisor.wait_ready(within_s=15)
        first = pid_of(supervisor, "one")
        os.kill(first, signal.SIGKILL)

        async def is_back() -> bool:
            return seen.states("one")[-3:] == ["restarting", "starting", "ready"]

        await wait_until(is_back, what="the part's second life")
        assert pid_of(supervisor, "one") != first
        assert "was ended by SIGKILL" in next(s.detail for s in seen.changes if s.state == "restarting")


@pytest.mark.parametrize("command", ["beaver", "worker"])
async def test_why_a_part_ended_is_told_in_its_own_last_words(tmp_path: Path, command: str) -> None:
    log = tmp_path / "logs" / "one.log"
    log.parent.mkdir()
    log.write_text("beaver: of an earlier life\n")
    words = f"{command}: server.requireKeys: needs an active API key\n  Mend it, then try again.\n"
    dies = f"import sys; sys.stderr.write({words!r}); sys.exit(78)"
    async with supervised(tmp_path, part(tmp_path, "one", dies), part(tmp_path, "two", DIES)) as (_, seen):

        async def both_died() -> bool:
            return all("restarting" in seen.states(name) for name in ("one", "two"))

        await wait_until(both_died, what="the ends of both parts")
        told = {each.name: each.detail for each in seen.changes if each.state == "restarting"}
    assert told["one"].startswith(
        "ended with exit code 78: server.requireKeys: needs an active API key; starts again in "
    )
    assert told["two"].startswith("ended with exit code 3; starts again in ")


async def test_parts_are_ready_once_all_of_them_serve_at_the_same_time(tmp_path: Path) -> None:
    serving = {"one"}

    def probe(name: str) -> Probe:
        async def serves(_life: Life) -> bool:
            return name in serving

        return serves

    parts = [part(tmp_path, name, probe=probe(name)) for name in ("one", "two")]
    async with supervised(tmp_path, *parts) as (supervisor, seen):

        async def stands(name: str, state: str) -> None:
            async def does() -> bool:
                return seen.states(name)[-1:] == [state]

            await wait_until(does, what=f"{name} to be {state}")

        waiting = asyncio.create_task(supervisor.wait_ready(within_s=15))
        await stands("one", "ready")
        serving.clear()
        os.kill(pid_of(supervisor, "one"), signal.SIGKILL)
        await stands("one", "starting")
        serving.add("two")
        await stands("two", "ready")
        serving.add("one")
        await waiting
        assert [status.state for status in supervisor.statuses] == ["ready", "ready"]


async def test_a_part_that_keeps_dying_is_started_ever_more_rarely_up_to_a_bound(tmp_path: Path) -> None:
    async with supervised(tmp_path, part(tmp_path, "bad", DIES)) as (_, seen):

        async def died_often() -> bool:
            return seen.states("bad").count("restarting") >= 5

        await wait_until(died_often, what="five deaths")
    details = [status.detail for status in seen.changes if status.state == "restarting"][:5]
    waits = [detail.split("starts again in ")[1].split(" s")[0] for detail in details]
    assert waits == ["0.05", "0.1", "0.2", "0.2", "0.2"]
    assert all(detail.startswith("ended with exit code 3") for detail in details)


async def test_the_backoff_is_forgotten_after_a_stable_life(tmp_path: Path) -> None:
    always_stable = Patience(probe_every_s=0.01, backoff_first_s=0.05, backoff_most_s=5, stable_s=0)
    async with supervised(tmp_path, part(tmp_path, "bad", DIES), patience=always_stable) as (_, seen):

        async def died_often() -> bool:
            return seen.states("bad").count("restarting") >= 4

        await wait_until(died_often, what="four deaths")
    details = [status.detail for status in seen.changes if status.state == "restarting"]
    assert all("starts again in 0.05 s" in detail for detail in details)


async def test_what_a_part_writes_stands_in_its_log(tmp_path: Path) -> None:
    async with supervised(tmp_path, part(tmp_path, "bad", DIES)):
        log = tmp_path / "logs" / "bad.log"

        async def is_told() -> bool:
            return log.exists() and "no luck" in log.read_text()

        await wait_until(is_told, what="the part's last words")
        assert log.stat().st_mode & 0o077 == 0


async def test_a_log_over_its_bound_is_set_aside_at_the_start(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "one.log"
    log.parent.mkdir()
    log.write_bytes(b"x" * (LOG_BYTES_MAX + 1))
    async with supervised(tmp_path, part(tmp_path, "one")) as (supervisor, _):
        await supervisor.wait_ready(within_s=15)
    assert log.stat().st_size < LOG_BYTES_MAX
    assert (tmp_path / "logs" / "one.log.1").stat().st_size == LOG_BYTES_MAX + 1


async def test_a_log_that_outgrows_its_bound_begins_anew_while_its_part_lives(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "one.log"
    patience = replace(QUICK, log_looked_at_every_s=0.05)
    async with supervised(tmp_path, part(tmp_path, "one", TELLS_MUCH), patience=patience) as (supervisor, _):
        await supervisor.wait_ready(within_s=15)

        async def began_anew() -> bool:
            return log.stat().st_size == 0

        await wait_until(began_anew, what="the log's new beginning")
        os.kill(pid_of(supervisor, "one"), signal.SIGUSR1)

        async def is_told() -> bool:
            return log.read_text() == "still here\n"

        await wait_until(is_told, what="the first line of the new log")
    former = tmp_path / "logs" / "one.log.1"
    assert (former.stat().st_size, former.stat().st_mode & 0o777) == (LOG_BYTES_MAX, 0o600)


async def test_parts_are_drained_one_after_the_other_the_last_first(tmp_path: Path) -> None:
    parts = [part(tmp_path, name, NOTES_ITS_END) for name in ("queue", "gateway", "worker")]
    async with supervised(tmp_path, *parts) as (supervisor, _):
        await supervisor.wait_ready(within_s=15)
    assert (tmp_path / "ends").read_text().split() == ["worker", "gateway", "queue"]


async def test_a_part_that_does_not_stop_within_its_bound_is_killed_and_it_is_said_so(tmp_path: Path) -> None:
    deaf = part(tmp_path, "deaf", IGNORES_SIGTERM, stop_within_s=0.2)
    async with supervised(tmp_path, deaf) as (supervisor, seen):
        await supervisor.wait_ready(within_s=15)
        pid = pid_of(supervisor, "deaf")
    assert not lives(pid)
    assert "was killed" in seen.changes[-1].detail


async def test_a_person_in_a_hurry_does_not_wait_for_the_drain(tmp_path: Path) -> None:
    deaf = part(tmp_path, "deaf", IGNORES_SIGTERM, stop_within_s=120)
    async with supervised(tmp_path, deaf) as (supervisor, seen):
        await supervisor.wait_ready(within_s=15)
        stopping = asyncio.create_task(supervisor.stop())

        async def is_stopping() -> bool:
            return seen.states("deaf")[-1] == "stopping"

        await wait_until(is_stopping, what="the drain")
        supervisor.hurry()
        await asyncio.wait_for(stopping, 15)
    assert seen.states("deaf")[-1] == "stopped"


async def test_leaving_while_a_part_waits_to_be_restarted_starts_nothing_more(tmp_path: Path) -> None:
    slow = Patience(probe_every_s=0.01, backoff_first_s=60, backoff_most_s=60)
    async with supervised(tmp_path, part(tmp_path, "bad", DIES), patience=slow) as (_, seen):

        async def has_died() -> bool:
            return seen.states("bad")[-1:] == ["restarting"]

        await wait_until(has_died, what="its death")
    assert seen.states("bad") == ["starting", "restarting", "stopped"]


async def test_a_part_that_never_becomes_ready_is_named_with_its_log(tmp_path: Path) -> None:
    async def never(_life: Life) -> bool:
        return False

    async with supervised(tmp_path, part(tmp_path, "shy", probe=never)) as (supervisor, _):
        with pytest.raises(DeadlineExceeded, match=r"shy did not become ready within 0.1 s; its log is .*shy\.log"):
            await supervisor.wait_ready(within_s=0.1)


async def test_children_have_a_session_of_their_own_so_that_ctrl_c_reaches_the_supervisor_alone(tmp_path: Path) -> None:
    async with supervised(tmp_path, part(tmp_path, "one")) as (supervisor, _):
        await supervisor.wait_ready(within_s=15)
        assert os.getsid(pid_of(supervisor, "one")) == pid_of(supervisor, "one") != os.getsid(0)


SUPERVISOR = """
import asyncio, os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.contract.test_supervisor import part, supervised
async def main():
    folder = Path(sys.argv[1])
    async with supervised(folder, part(folder, "one"), part(folder, "two")) as (supervisor, _):
        await supervisor.wait_ready(within_s=30)
        (folder / "pids").write_text(" ".join(str(status.pid) for status in supervisor.statuses))
        await asyncio.Event().wait()
asyncio.run(main())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux ties a child's life to its parent's")
async def test_no_child_survives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    root = str(Path(__file__).parents[2])
    process = subprocess.Popen([sys.executable, "-c", SUPERVISOR, str(tmp_path), root], cwd=root)  # noqa: ASYNC220
    try:

        async def told() -> list[int]:
            pids = tmp_path / "pids"
            return [int(pid) for pid in pids.read_text().split()] if pids.exists() else []

        children = await wait_until(told, within_s=60, what="the supervisor's children")
        assert len(children) == 2
    finally:
        process.kill()
        process.wait()

    async def all_gone() -> bool:
        return not any(lives(pid) for pid in children)

    await wait_until(all_gone, what="the children's end")
