"""A log line is an event with fields, and no known secret or quoted text ever stands in one."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from beaver.logs import FOREIGN_LENGTH_MAX, configure_logs, get_logger
from beaver.redaction import Redactor
from tests.support.kept_logging import kept_logging

CANARY = 'canary-"key\\7431'
STORY = "the otter told nobody"


class Log:
    """What was written so far."""

    def __init__(self, stream: io.StringIO) -> None:
        self._stream = stream
        self._handlers = list(logging.getLogger().handlers)

    def alone(self) -> None:
        """Keep out the handlers that pytest has added since, which raise on a broken line."""
        logging.getLogger().handlers[:] = self._handlers

    @property
    def text(self) -> str:
        return self._stream.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture(params=[True, False], ids=["json", "console"])
def either_log(request: pytest.FixtureRequest) -> Iterator[Log]:
    yield from _log(as_json=request.param)


@pytest.fixture
def log() -> Iterator[Log]:
    yield from _log(as_json=True)


def _log(*, as_json: bool) -> Iterator[Log]:
    with kept_logging():
        stream = io.StringIO()
        configure_logs("worker", Redactor([CANARY]), as_json=as_json, stream=stream)
        yield Log(stream)


class Holder:
    def __repr__(self) -> str:
        return f"Holder({CANARY})"


def raise_it() -> None:
    try:
        raise ValueError(f"first {CANARY} {STORY}")
    except ValueError as error:
        raise RuntimeError(f"second {CANARY} {STORY}") from error


def log_exception() -> None:
    try:
        raise_it()
    except RuntimeError:
        get_logger().exception("turn.failed", detail=CANARY)


def log_library_exception() -> None:
    try:
        raise_it()
    except RuntimeError:
        logging.getLogger("some.library").exception("it broke")


def log_broken_line() -> None:
    logging.getLogger("some.library").error("%d of %s", CANARY, STORY)


LEAKS: dict[str, Callable[[], None]] = {
    "event": lambda: get_logger().info(f"turn {CANARY}"),
    "field": lambda: get_logger().info("turn", key=CANARY),
    "nested": lambda: get_logger().info("turn", body={"a": [{"b": (CANARY,)}, {CANARY}]}),
    "object": lambda: get_logger().info("turn", holder=Holder()),
    "bytes": lambda: get_logger().info("turn", body=CANARY.encode()),
    "path": lambda: get_logger().info("turn", path=Path(f"/x/{CANARY.replace('/', '')}")),
    "secret": lambda: get_logger().info("turn", key=SecretStr(CANARY)),
    "exception as a field": lambda: get_logger().info("turn", error=ValueError(CANARY)),
    "exception": log_exception,
    "library": lambda: logging.getLogger("some.library").warning("calling with %s", CANARY),
    "library object": lambda: logging.getLogger("some.library").warning("calling with %r", Holder()),
    "library exception": log_library_exception,
    "broken line": log_broken_line,
    "bearer": lambda: logging.getLogger("httpx").warning("Authorization: Bearer %s", "abc-0123456789"),
}


@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS.keys())
def test_a_known_secret_is_in_no_line(
    either_log: Log, capsys: pytest.CaptureFixture[str], leak: Callable[[], None]
) -> None:
    either_log.alone()
    leak()

    written = either_log.text + "".join(capsys.readouterr())
    assert either_log.text
    for form in (CANARY, json.dumps(CANARY)[1:-1], repr(CANARY)[1:-1], "canary", "0123456789"):
        assert form not in written


@pytest.mark.parametrize("leak", [log_exception, log_library_exception, log_broken_line])
def test_the_message_of_an_exception_is_in_no_line(
    log: Log, capsys: pytest.CaptureFixture[str], leak: Callable[[], None]
) -> None:
    log.alone()
    leak()

    assert STORY not in log.text + "".join(capsys.readouterr())


def test_an_exception_is_its_type_and_place(log: Log) -> None:
    log_exception()

    (line,) = log.lines
    assert line["event"] == "turn.failed"
    assert line["exception"] == "RuntimeError"
    assert [place.rpartition(":")[2] for place in line["at"]] == ["log_exception", "raise_it"]
    assert line["at"][-1].startswith("test_logs.py:")


@pytest.fixture
def no_garbage() -> None:
    """Of earlier tests, whose forgotten tasks would be told of too."""
    gc.collect()


@pytest.mark.usefixtures("no_garbage")
async def test_the_error_of_a_forgotten_task_is_in_no_line(log: Log) -> None:
    async def fail() -> None:
        raise ValueError(STORY)

    task = asyncio.ensure_future(fail())
    await asyncio.wait([task])
    del task
    gc.collect()

    (line,) = log.lines
    assert line["event"] == "Task exception was never retrieved"
    assert STORY not in log.text


def test_a_line_is_an_event_with_role_level_time_and_fields(log: Log) -> None:
    get_logger().info("turn.completed", run_id="run_1", attempt=2, ok=True, waited_s=0.5, error=None)

    (line,) = log.lines
    moment = line.pop("timestamp")
    assert moment.endswith("Z")
    assert line == {
        "event": "turn.completed",
        "level": "info",
        "role": "worker",
        "run_id": "run_1",
        "attempt": 2,
        "ok": True,
        "waited_s": 0.5,
        "error": None,
    }


def test_a_field_of_any_characters_leaves_the_screen_of_whoever_reads_the_log_in_order(log: Log) -> None:
    get_logger().warning("persist.unreadable_job", job_id="a\x1b[2J\x9b2J\u202e\nb")

    (line,) = log.lines
    assert line["job_id"] == "a\x1b[2J\x9b2J\u202e\nb"
    assert log.text.rstrip("\n").isprintable()


def test_libraries_speak_in_the_same_form_from_warnings_on(log: Log) -> None:
    logging.getLogger("httpx").info("HTTP Request: POST http://x")
    logging.getLogger("httpx").warning("slow")
    logging.getLogger("some.library").debug("noise")

    assert [(line["event"], line["level"], line["role"]) for line in log.lines] == [("slow", "warning", "worker")]


def test_a_library_cannot_write_at_length(log: Log) -> None:
    logging.getLogger("some.library").warning("x" * 10_000)

    assert len(log.lines[0]["event"]) == FOREIGN_LENGTH_MAX


def test_configuring_twice_writes_once(log: Log) -> None:
    stream = io.StringIO()
    configure_logs("chat", Redactor(), stream=stream)

    get_logger().info("turn.completed")

    assert log.text == ""
    assert json.loads(stream.getvalue())["role"] == "chat"


def test_what_an_event_loop_repeats_is_written_once(log: Log) -> None:
    for number in range(1_000):
        logging.getLogger("asyncio").error(f"no file is free\nsocket {number}")
    logging.getLogger("asyncio").error("another matter")
    assert [line["event"] for line in log.lines] == ["no file is free", "another matter"]
