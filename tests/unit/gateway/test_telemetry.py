"""What the Gateway tells of a call: figures and codes, the trace it belongs to, and nothing of what was said."""

from __future__ import annotations

import pytest
import structlog

from beaver.errors import NotFound
from beaver.gateway.answers import Answer
from beaver.gateway.auth import Caller
from beaver.gateway.telemetry import Figures, Telemetry, figures_of
from beaver.memory.embedding.figures import EncodingFigures
from beaver.schemas.gateway import AddReceipt, FlushReceipt, SearchResponse, SearchResult, UserReceipt
from beaver.schemas.memory_tools import PromptIndexAnswer, ToolAnswer
from beaver.tracing import Origin

CALLER = Caller("127.0.0.1", direct=True, request_id="r-1", origin=Origin(f"00-{'a' * 32}-{'b' * 16}-01"))


@pytest.mark.parametrize(
    ("answer", "figures"),
    [
        (AddReceipt(session_id="s", message_ids=["a", "b"]), {"messages": 2, "duplicated": False}),
        (FlushReceipt(session_id="s", flushed_messages=3, captured=1), {"messages": 3, "observations": 1}),
        (SearchResponse(results=[]), {"memories": 0}),
        (SearchResponse(results=[SearchResult(text="otter", raw={"by": "words"})]), {"memories": 1, "by": "words"}),
        (
            PromptIndexAnswer(text="otter", observations=4, truncated=True, degraded=["recent:unavailable"]),
            {"observations": 4, "truncated": True, "degraded": "recent:unavailable"},
        ),
        (ToolAnswer(tool="memory_get", result={"x": "otter"}), {"tool": "memory_get"}),
        (UserReceipt(user_id="ada", user_key="uk_secret"), {}),
    ],
)
def test_an_answer_is_told_in_figures_alone(answer: Answer, figures: Figures) -> None:
    assert figures_of(answer) == figures


def test_a_call_is_one_line_with_its_request_and_trace_and_is_counted() -> None:
    telemetry = Telemetry()
    with structlog.testing.capture_logs(processors=[structlog.contextvars.merge_contextvars]) as logged:
        with telemetry.watching("add", CALLER) as seen:
            seen.answered(AddReceipt(session_id="s", message_ids=["a", "b"]))
        with telemetry.watching("search", CALLER) as seen:
            seen.answered(SearchResponse(results=[SearchResult(raw={"by": "pieces"})]))
    first, _ = logged
    assert first.pop("ms") >= 0
    assert first == {
        "event": "gateway.call",
        "log_level": "info",
        "operation": "add",
        "outcome": "ok",
        "messages": 2,
        "duplicated": False,
        "request_id": "r-1",
        "trace_id": "a" * 32,
    }
    told = telemetry.exposition().decode()
    assert 'beaver_gateway_calls_total{operation="add",outcome="ok"} 1.0' in told
    assert 'beaver_gateway_handled_total{operation="add",what="messages"} 2.0' in told
    assert 'beaver_gateway_searches_total{by="pieces"} 1.0' in told
    assert 'beaver_gateway_call_seconds_count{operation="search"} 1.0' in told


def test_how_encoding_stands_is_told_where_there_is_an_encoder() -> None:
    telemetry = Telemetry()
    told = telemetry.exposition(
        EncodingFigures(waiting=7, encoded=5, failures={"unavailable": 2}, set_aside=1)
    ).decode()
    assert "beaver_gateway_encoding_waiting 7.0" in told
    assert "beaver_gateway_encoding_set_aside 1.0" in told
    assert "beaver_gateway_encoded_total 5.0" in told
    assert 'beaver_gateway_encoding_failures_total{reason="unavailable"} 2.0' in told
    assert "beaver_gateway_enc" not in telemetry.exposition().decode()


def test_a_refusal_and_a_bug_are_told_apart() -> None:
    telemetry = Telemetry()
    with telemetry.watching("read_memory", CALLER) as seen:
        seen.refused(NotFound("nothing"))
    with pytest.raises(RuntimeError), telemetry.watching("read_memory", CALLER):
        raise RuntimeError("otter")
    told = telemetry.exposition().decode()
    assert 'beaver_gateway_calls_total{operation="read_memory",outcome="not_found"} 1.0' in told
    assert 'beaver_gateway_calls_total{operation="read_memory",outcome="internal"} 1.0' in told
    assert "otter" not in told
