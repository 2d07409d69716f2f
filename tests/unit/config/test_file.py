"""The configuration as a file: what is read, what is refused, and how a first one is written."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from beaver.config.loader import CONFIG_BYTES_MAX, load_settings
from beaver.config.memory import CuratedOnly, DegradedHybrid, Hybrid
from beaver.config.paths import InstancePaths
from beaver.config.write import write_new_config
from beaver.errors import ConfigError, Conflict
from tests.unit.config.samples import WHOLE, parsed


@pytest.fixture
def paths(tmp_path: Path) -> InstancePaths:
    return InstancePaths.at(tmp_path)


def put(paths: InstancePaths, content: bytes | str) -> None:
    paths.home.mkdir(exist_ok=True)
    paths.config.write_bytes(content.encode() if isinstance(content, str) else content)


def error_of(paths: InstancePaths, content: bytes | str) -> ConfigError:
    put(paths, content)
    with pytest.raises(ConfigError) as caught:
        load_settings(paths, {})
    return caught.value


def test_no_file_means_the_defaults(paths: InstancePaths) -> None:
    assert isinstance(load_settings(paths, {}).memory, DegradedHybrid)


def test_a_file_is_read(paths: InstancePaths) -> None:
    put(paths, json.dumps(WHOLE))

    settings = load_settings(paths, {})

    assert isinstance(settings.memory, Hybrid)
    assert settings.paths == paths


def test_a_byte_order_mark_is_no_harm(paths: InstancePaths) -> None:
    put(paths, b"\xef\xbb\xbf" + b'{"memory": {"mode": "curated"}}')

    assert load_settings(paths, {}).memory == CuratedOnly()


@pytest.mark.parametrize("content", ["", "  \n\t", b"\xef\xbb\xbf".decode()])
def test_an_empty_file_is_not_an_absent_one(paths: InstancePaths, content: str) -> None:
    assert error_of(paths, content).field == "config.json"


@pytest.mark.parametrize("content", ["[]", "7", '"text"', "null", "true", "NaN"])
def test_the_file_is_an_object(paths: InstancePaths, content: str) -> None:
    assert str(error_of(paths, content)) == "config.json: must be a JSON object"


def test_a_syntax_error_is_placed_and_not_quoted(paths: InstancePaths) -> None:
    error = error_of(paths, '{\n  "provider": {"apiKey": "pk-visible",}\n}')

    # The column differs between versions of Python.
    assert str(error).startswith("config.json: must be valid JSON (see line 2, column ")
    assert "pk-visible" not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None


def test_a_file_that_is_not_utf8_is_refused(paths: InstancePaths) -> None:
    error = error_of(paths, b'{"provider": {"apiKey": "\xff\xfe"}}')

    assert str(error) == "config.json: must be UTF-8"
    assert error.__context__ is None


def test_a_folder_in_its_place_is_an_error(paths: InstancePaths) -> None:
    paths.config.mkdir(parents=True)

    with pytest.raises(ConfigError, match=r"^config\.json: must be a file that can be read \(IsADirectoryError\)$"):
        load_settings(paths, {})


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        ("[" * 200_000, "must not nest so deep"),
        ('{"a": ' + "9" * 5000 + "}", "must not hold a number of thousands of digits"),
        ("{" + " " * CONFIG_BYTES_MAX + "}", f"must be at most {CONFIG_BYTES_MAX} bytes"),
    ],
)
def test_a_monstrous_file_is_refused(paths: InstancePaths, content: str, rule: str) -> None:
    assert error_of(paths, content).rule == rule


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ('{"memory": {}, "memory": {}}', "memory"),
        ('{"memory": {"mode": "curated", "mode": "hybrid"}}', "memory.mode"),
        ('{"memory": {"gateway": {"topK": 1, "userKey": "a", "topK": 1}}}', "memory.gateway.topK"),
        ('{"memory": {"gateway": {"scope": [{"a": 1, "a": 2}]}}}', "memory.gateway.scope.0.a"),
    ],
)
def test_a_key_stands_once(paths: InstancePaths, content: str, field: str) -> None:
    error = error_of(paths, content)

    assert (error.field, error.rule) == (field, "must not stand twice in the same object")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_python_reads_beyond_json_is_no_number(paths: InstancePaths, number: str) -> None:
    error = error_of(paths, f'{{"worker": {{"drainSeconds": {number}}}}}')

    assert (error.field, error.rule) == ("worker.drainSeconds", "must be finite")


def test_a_secret_in_the_place_of_a_key_is_not_named(paths: InstancePaths) -> None:
    error = error_of(paths, '{"provider": {"uk_live_0123456789abcdef": "userKey"}}')

    assert str(error) == "provider.(a key that is not shown): is not a known key"


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_first_file_is_written_for_the_owner_alone(paths: InstancePaths) -> None:
    write_new_config(paths, WHOLE)

    assert load_settings(paths, {}).memory == parsed(WHOLE).memory
    assert (mode(paths.config), mode(paths.home)) == (0o600, 0o700)
    assert names(paths.home) == ["config.json"]


def test_an_open_home_is_closed(paths: InstancePaths) -> None:
    paths.home.mkdir(mode=0o755)

    write_new_config(paths, {})

    assert mode(paths.home) == 0o700


@pytest.mark.parametrize("standing", [b"", b"{}", b"not json"])
def test_a_file_that_stands_is_never_overwritten(paths: InstancePaths, standing: bytes) -> None:
    put(paths, standing)

    with pytest.raises(Conflict):
        write_new_config(paths, WHOLE)

    assert paths.config.read_bytes() == standing
    assert names(paths.home) == ["config.json"]


def test_of_many_first_writers_one_wins_whole(paths: InstancePaths) -> None:
    def write(number: int) -> bool:
        try:
            write_new_config(paths, {"server": {"port": number}})
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        wins = list(pool.map(write, range(1, 33)))

    assert wins.count(True) == 1
    assert load_settings(paths, {}).server.port == wins.index(True) + 1


def test_a_document_that_is_no_json_leaves_nothing_behind(paths: InstancePaths) -> None:
    with pytest.raises(ValueError):
        write_new_config(paths, {"worker": {"drainSeconds": float("nan")}})

    assert names(paths.home) == []
