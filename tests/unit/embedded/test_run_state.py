"""Who runs a folder's parts: one process at a time, and what it says of itself."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from beaver.config.paths import InstancePaths
from beaver.embedded.run_state import InstanceLock, Kind, read_run_state, write_run_state
from beaver.errors import Conflict

PARTS = {"server": "http://127.0.0.1:8000"}


@pytest.fixture
def paths(tmp_path: Path) -> InstancePaths:
    return InstancePaths.at(tmp_path)


def test_the_lock_is_one_holders_at_a_time(paths: InstancePaths) -> None:
    with InstanceLock(paths) as first:
        first.take()
        assert not InstanceLock(paths).try_take()
    second = InstanceLock(paths)
    assert second.try_take()
    second.release()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("up", "`beaver up` already runs in this folder"),
        ("chat", "a `beaver chat` .* runs this folder's parts; leave it"),
    ],
)
def test_a_second_starter_is_told_who_holds_the_folder_and_what_to_do(
    paths: InstancePaths, kind: Kind, words: str
) -> None:
    with InstanceLock(paths) as first:
        first.take()
        write_run_state(paths, kind, PARTS)
        with pytest.raises(Conflict, match=words) as refusal:
            InstanceLock(paths).take()
        assert str(os.getpid()) in str(refusal.value)


def test_a_starter_that_has_not_said_who_it_is_yet_is_waited_for(paths: InstancePaths) -> None:
    with InstanceLock(paths) as first:
        first.take()
        with pytest.raises(Conflict, match="another Beaver is starting in this folder"):
            InstanceLock(paths).take()


def test_the_lock_of_a_process_that_was_killed_is_free(paths: InstancePaths) -> None:
    script = (
        "import os, sys, signal; from beaver.config.paths import InstancePaths; "
        "from beaver.embedded.run_state import InstanceLock; "
        "lock = InstanceLock(InstancePaths.at(sys.argv[1])); lock.take(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(paths.root)], timeout=60)
    assert killed.returncode == -9
    lock = InstanceLock(paths)
    assert lock.try_take()
    lock.release()


def test_the_run_state_is_for_the_owner_only_and_goes_with_the_lock(paths: InstancePaths) -> None:
    with InstanceLock(paths) as lock:
        lock.take()
        write_run_state(paths, "up", PARTS)
        assert stat.S_IMODE(paths.run_state.stat().st_mode) == 0o600
        state = read_run_state(paths)
        assert state is not None
        assert (state.pid, state.kind, dict(state.parts)) == (os.getpid(), "up", PARTS)
    assert not paths.run_state.exists()


def test_the_run_state_of_a_process_that_is_gone_does_not_count(paths: InstancePaths) -> None:
    gone = subprocess.Popen([sys.executable, "-S", "-c", ""])
    gone.wait()
    paths.home.mkdir()
    paths.run_state.write_text(json.dumps({"pid": gone.pid, "kind": "up", "parts": PARTS}))
    assert read_run_state(paths) is None


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"pid": "x", "kind": "up", "parts": {}}', '{"pid": 1, "parts": 3}']
)
def test_a_run_state_that_cannot_be_read_does_not_count(paths: InstancePaths, content: str) -> None:
    paths.home.mkdir()
    paths.run_state.write_text(content)
    assert read_run_state(paths) is None
