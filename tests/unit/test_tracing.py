"""A trace is carried as a W3C traceparent, and a span says ids and types, never what was said."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from opentelemetry import trace

from beaver.tracing import (
    Origin,
    active_traceparent,
    current_traceparent,
    fresh_traceparent,
    known_traceparent,
    note,
    read_origin,
    request_span,
    span,
)
from tests.support.tracing import RecordingTracing

GIVEN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def tracing(monkeypatch: pytest.MonkeyPatch) -> RecordingTracing:
    recording = RecordingTracing()
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", recording)
    return recording


def test_a_new_trace_has_a_valid_traceparent_of_its_own() -> None:
    made = {current_traceparent() for _ in range(50)}

    assert len(made) == 50
    assert all(re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01", each) for each in made)


def test_the_random_bytes_stand_in_the_traceparent() -> None:
    assert fresh_traceparent(b"\x01" * 16, b"\xff" * 8) == f"00-{'01' * 16}-{'ff' * 8}-01"


def test_inside_a_span_the_traceparent_is_the_spans(tracing: RecordingTracing) -> None:
    with span("outer", run_id="run_1"):
        assert current_traceparent() == active_traceparent() == tracing.named("outer").traceparent
    assert active_traceparent() is None
    assert tracing.named("outer").attributes == {"beaver.run_id": "run_1"}


def test_a_span_hangs_under_the_traceparent_it_is_given(tracing: RecordingTracing) -> None:
    with span("far", parent=GIVEN), span("near"):
        pass

    assert f"{tracing.named('far').parent.trace_id:032x}-{tracing.named('far').parent.span_id:016x}" in GIVEN
    assert tracing.named("near").parent == tracing.named("far").get_span_context()


@pytest.mark.parametrize("garbage", ["", "00-zz", "00-" + "0" * 32 + "-" + "0" * 16 + "-01"])
def test_a_traceparent_that_is_none_starts_a_trace(tracing: RecordingTracing, garbage: str) -> None:
    with span("alone", parent=garbage):
        pass

    assert not tracing.named("alone").parent.is_valid


def test_without_a_configured_tracer_a_span_carries_the_parent_on_unchanged() -> None:
    with span("nothing", parent=GIVEN):
        assert active_traceparent() == GIVEN


def test_a_span_names_the_type_of_an_error_and_never_its_message(tracing: RecordingTracing) -> None:
    with pytest.raises(ValueError, match="canary"), span("failing"):
        raise ValueError("canary words")

    failed = tracing.named("failing")
    assert failed.attributes == {"error.type": "ValueError"}
    assert failed.told == [(trace.StatusCode.ERROR, None)]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (GIVEN, GIVEN),
        (f"  {GIVEN}\t", GIVEN),
        (GIVEN[:-2] + "00", GIVEN[:-2] + "00"),
        (GIVEN[:-2] + "ff", GIVEN[:-2] + "03"),
        ("cc" + GIVEN[2:], GIVEN),
        ("cc" + GIVEN[2:] + "-what-comes-later", GIVEN),
    ],
)
def test_a_traceparent_of_any_version_is_read_as_one_of_ours(given: str, read: str) -> None:
    assert read_origin([given]) == Origin(read)


@pytest.mark.parametrize(
    "given",
    [
        [],
        [""],
        [GIVEN, GIVEN],
        [GIVEN.upper()],
        ["ff" + GIVEN[2:]],
        [f"{GIVEN}-more"],
        ["cc" + GIVEN[2:] + "more"],
        [f"00-{'0' * 32}-{'1' * 16}-01"],
        [f"00-{'1' * 32}-{'0' * 16}-01"],
        [GIVEN + "\n"],
        ["00-" + "\u0661" * 32 + "-" + "1" * 16 + "-01"],
    ],
)
def test_what_is_no_traceparent_is_no_origin(given: list[str]) -> None:
    assert read_origin(given, ["vendor=words"]) is None


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (["vendor=words"], "vendor=words"),
        (["a=1, b=2", "", "1c@t=3,"], "a=1,b=2,1c@t=3"),
        (["canary words"], None),
        (["a=1,canary"], None),
        (["1a=canary"], None),
        (["a=caf\xe9"], None),
        (["a=1,a=2=3"], None),
        ([f"a={'x' * 257}"], None),
        ([",".join(f"a{number}=1" for number in range(33))], None),
        ([f"a={'x' * 250},b={'x' * 250},c={'x' * 50}"], None),
    ],
)
def test_a_tracestate_goes_along_whole_or_not_at_all_and_is_never_logged(
    given: list[str], read: str | None, tracing: RecordingTracing, caplog: pytest.LogCaptureFixture
) -> None:
    origin = read_origin([GIVEN], given)
    assert origin == Origin(GIVEN, read)
    with request_span("request", origin, {}):
        pass
    assert tracing.named("request").parent.trace_state.to_header() == (read or "")
    assert caplog.text == ""


def test_a_request_without_spans_lends_its_callers_trace_to_what_it_begins() -> None:
    with request_span("request", Origin(GIVEN), {}):
        assert known_traceparent() == current_traceparent() == GIVEN
    assert known_traceparent() is None


def test_what_is_noted_stands_in_the_span_that_runs(tracing: RecordingTracing) -> None:
    with span("run"):
        note({"status": 503}, failed=True)
    assert tracing.named("run").attributes == {"status": 503}
    assert tracing.named("run").told == [(trace.StatusCode.ERROR, None)]


def test_opentelemetry_is_not_loaded_for_those_who_do_not_use_it() -> None:
    program = (
        "import sys\n"
        "from beaver.tracing import current_traceparent, note, request_span, span\n"
        "with request_span('request', None, {}), span('run'):\n"
        "    note({'status': 200})\n"
        "    print(len(current_traceparent()), 'opentelemetry' in sys.modules)\n"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True)

    assert out.stdout == "55 False\n"
