"""Files are replaced and created whole, for the owner alone."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from beaver.files import create_file, private_folder, replace_file


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_replaced_file_is_another_one_with_a_closed_mode(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_bytes(b"old")
    path.chmod(0o644)
    before = path.stat().st_ino

    replace_file(path, b"new")

    assert path.read_bytes() == b"new"
    assert (mode(path), path.stat().st_ino != before) == (0o600, True)
    assert names(tmp_path) == ["notes"]


def test_a_replacement_that_fails_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.mkdir()

    with pytest.raises(OSError):
        replace_file(path, b"new")

    assert names(tmp_path) == ["notes"]


def test_a_file_is_created_once(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    create_file(path, b"first")

    with pytest.raises(FileExistsError):
        create_file(path, b"second")

    assert path.read_bytes() == b"first"
    assert mode(path) == 0o600
    assert names(tmp_path) == ["notes"]


def test_a_dangling_link_counts_as_a_file_that_stands(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(FileExistsError):
        create_file(path, b"first")

    assert names(tmp_path) == ["notes"]


def test_a_private_folder_is_closed_whether_new_or_not(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    private_folder(folder)
    folder.chmod(0o755)

    private_folder(folder)

    assert mode(folder) == 0o700
