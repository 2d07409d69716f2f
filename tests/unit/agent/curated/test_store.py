"""The memory files on disk, shared with other processes and with a person's editor."""

from __future__ import annotations

import multiprocessing
import os
import stat
from pathlib import Path

import pytest
from filelock import FileLock

from beaver.agent.curated.entries import Add, Refusal, Remove, Replace, Target, split_entries
from beaver.agent.curated.store import FILE_BYTES_MAX, Changed, MemoryStore, Unreadable

NOON = 1_780_000_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "memory"


@pytest.fixture
def store(folder: Path) -> MemoryStore:
    return MemoryStore(folder, clock=lambda: NOON, lock_wait_s=0.2)


def put(store: MemoryStore, content: str | bytes, target: Target = Target.MEMORY) -> Path:
    path = store.path(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(outcome: Changed | Refusal) -> str:
    assert isinstance(outcome, Refusal)
    return outcome.reason


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob("*.bak.*"))


def test_no_file_is_an_empty_memory_and_reading_creates_nothing(store: MemoryStore, folder: Path) -> None:
    assert store.read(Target.MEMORY) == ""
    assert not folder.exists()


def test_a_change_is_on_disk_with_its_usage(store: MemoryStore) -> None:
    store.change(Target.MEMORY, (Add("one"),))

    assert store.change(Target.MEMORY, (Add("two"),)) == Changed(entries=2, used=9, characters_max=2200)
    assert store.path(Target.MEMORY).read_text() == "one\n§\ntwo"


def test_the_two_memories_are_apart(store: MemoryStore) -> None:
    store.change(Target.USER, (Add("likes tea"),))

    assert store.read(Target.MEMORY) == ""
    assert store.read(Target.USER) == "likes tea"


def test_files_and_folder_are_for_the_owner_alone(store: MemoryStore, folder: Path) -> None:
    path = put(store, "one")
    path.chmod(0o644)
    folder.chmod(0o755)

    store.change(Target.MEMORY, (Add("two"),))

    assert mode(folder) == 0o700
    assert {mode(file) for file in folder.iterdir()} == {0o600}


def test_nothing_temporary_stays_behind(store: MemoryStore, folder: Path) -> None:
    store.change(Target.MEMORY, (Add("one"),))
    store.change(Target.MEMORY, (Add("x" * 3000),))

    assert sorted(file.name for file in folder.iterdir()) == ["MEMORY.md", "MEMORY.md.lock"]


def test_what_a_killed_process_was_writing_goes_with_the_next_change(store: MemoryStore, folder: Path) -> None:
    store.change(Target.MEMORY, (Add("one"),))
    cut_off, others = folder / ".MEMORY.md.x7_k2.tmp", folder / ".USER.md.x7_k2.tmp"
    for left in (cut_off, others):
        left.write_text("a secret that was removed since")

    store.change(Target.MEMORY, (Add("two"),))

    assert not cut_off.exists()
    assert others.exists(), "the lock of MEMORY.md says nothing of USER.md"


def test_a_duplicate_does_not_touch_the_file(store: MemoryStore) -> None:
    path = put(store, "one\n")

    assert store.change(Target.MEMORY, (Add("one"),)) == Changed(1, 3, 2200)
    assert path.read_text() == "one\n"


def test_several_identical_entries_count_as_the_first(store: MemoryStore) -> None:
    path = put(store, "one\n§\none\n§\ntwo")

    assert store.change(Target.MEMORY, (Replace("one", "three"),)) == Changed(2, 11, 2200)
    assert path.read_text() == "three\n§\ntwo"


def test_a_reader_sees_the_old_file_or_the_new_one_never_a_part(store: MemoryStore) -> None:
    path = put(store, "old")

    with path.open() as reader:
        store.change(Target.MEMORY, (Replace("old", "new and longer"),))

        assert reader.read() == "old"
    assert path.read_text() == "new and longer"


@pytest.mark.parametrize("operation", [Add("mine"), Replace("two", "mine"), Remove("two")])
def test_an_external_edit_is_not_erased(store: MemoryStore, operation: Add | Replace | Remove) -> None:
    store.change(Target.MEMORY, (Add("one"), Add("two")))
    put(store, "one\n§\ntwo\n§\nwritten by hand")

    store.change(Target.MEMORY, (operation,))

    assert "written by hand" in split_entries(store.path(Target.MEMORY).read_text())


@pytest.mark.parametrize("operation", [Add("mine"), Replace("one", "mine"), Remove("one")])
def test_a_file_that_does_not_round_trip_is_backed_up_and_left(
    store: MemoryStore, operation: Add | Replace | Remove
) -> None:
    drifted = "one\n\n§\n\n# Title\r\n§\r\n- two\n"
    path = put(store, drifted)

    reason = refusal(store.change(Target.MEMORY, (operation,)))

    assert path.read_bytes() == drifted.encode()
    assert [backup.name for backup in backups(path)] == ["MEMORY.md.bak.20260528T202640.000000Z"]
    assert backups(path)[0].read_bytes() == drifted.encode()
    assert mode(backups(path)[0]) == 0o600
    assert backups(path)[0].name in reason


def test_a_drifted_file_is_backed_up_once_for_each_content(folder: Path) -> None:
    now = [NOON]
    store = MemoryStore(folder, clock=lambda: now[0])
    path = put(store, "one\n§")
    for _ in range(3):
        store.change(Target.MEMORY, (Add("x"),))
        now[0] += 1000
    put(store, "two\n§")
    store.change(Target.MEMORY, (Add("x"),))

    assert [backup.read_text() for backup in backups(path)] == ["one\n§", "two\n§"]


def test_mending_a_drifted_file_by_hand_is_enough(store: MemoryStore) -> None:
    put(store, "one\n§")
    store.change(Target.MEMORY, (Add("two"),))
    put(store, "one")

    assert store.change(Target.MEMORY, (Add("two"),)) == Changed(2, 9, 2200)


@pytest.mark.parametrize("content", [b"caf\xe9 au lait", b"\xff\xfeo\x00n\x00e\x00", b"one\n\xa7\ntwo"])
@pytest.mark.parametrize("operation", [Add("mine"), Replace("one", "mine"), Remove("one")])
def test_a_file_that_is_not_utf8_is_not_an_empty_one(
    store: MemoryStore, content: bytes, operation: Add | Replace | Remove
) -> None:
    path = put(store, content)

    assert store.read(Target.MEMORY) == Unreadable("it is not UTF-8")
    assert "not UTF-8" in refusal(store.change(Target.MEMORY, (operation,)))
    assert path.read_bytes() == content


def test_a_huge_file_is_neither_read_nor_written(store: MemoryStore) -> None:
    path = put(store, b"x" * (FILE_BYTES_MAX + 1))

    assert isinstance(store.read(Target.MEMORY), Unreadable)
    assert "larger than" in refusal(store.change(Target.MEMORY, (Remove("x"),)))
    assert path.stat().st_size == FILE_BYTES_MAX + 1


def test_a_byte_order_mark_is_no_part_of_an_entry(store: MemoryStore) -> None:
    put(store, b"\xef\xbb\xbfone")

    assert store.read(Target.MEMORY) == "one"
    assert store.change(Target.MEMORY, (Add("one"),)) == Changed(1, 3, 2200)


def test_half_a_surrogate_pair_can_be_stored(store: MemoryStore) -> None:
    store.change(Target.MEMORY, (Add("a\ud800b"),))

    assert store.read(Target.MEMORY) == "a\ufffdb"


def test_a_held_lock_is_waited_for_and_then_named(store: MemoryStore, folder: Path) -> None:
    path = put(store, "one")

    with FileLock(folder / "MEMORY.md.lock"):
        assert "another process" in refusal(store.change(Target.MEMORY, (Add("two"),)))
        assert store.read(Target.MEMORY) == "one"
        assert isinstance(store.change(Target.USER, (Add("two"),)), Changed)
    assert path.read_text() == "one"


def test_a_folder_that_cannot_be_made_is_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("a file in its place")

    store = MemoryStore(tmp_path / "memory")

    assert "could not be written" in refusal(store.change(Target.MEMORY, (Add("one"),)))
    assert isinstance(store.read(Target.MEMORY), Unreadable)


def add_many(folder: str, name: str, count: int, go: str) -> None:
    """In a process of its own: wait for the start file, then add entries one by one."""
    store = MemoryStore(Path(folder), lock_wait_s=60)
    while not Path(go).exists():
        os.sched_yield()
    for number in range(count):
        outcome = store.change(Target.MEMORY, (Add(f"{name} {number}"),))
        assert isinstance(outcome, Changed), outcome


def test_processes_that_add_at_the_same_time_lose_nothing(folder: Path, tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    go = tmp_path / "go"
    names = ["ant", "bee", "cat"]
    processes = [spawn.Process(target=add_many, args=(str(folder), name, 20, str(go))) for name in names]
    for process in processes:
        process.start()
    go.touch()
    for process in processes:
        process.join(60)

    assert [process.exitcode for process in processes] == [0, 0, 0]
    entries = split_entries(MemoryStore(folder).path(Target.MEMORY).read_text())
    assert sorted(entries) == sorted(f"{name} {number}" for name in names for number in range(20))
