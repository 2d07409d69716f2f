"""What a worker sends, and how it reads the Gateway's failures: pure decisions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from beaver.client.gateway import GatewayCallError
from beaver.outbox.states import State
from beaver.outbox.turns import NewTurn
from tests.support.ledger import gateway_settings
from worker.clients import GatewayClients
from worker.messages import CONTENT_MISSING, turn_messages
from worker.persist import add_end, flush_end

TURN = NewTurn(
    run_id="run_1",
    session_id="s1",
    user_event_id=1,
    answer_event_id=2,
    user_at_ms=1_780_000_000_000,
    answer_at_ms=1_780_000_001_000,
    gateway_user_id="ada",
    app_id="default",
    project_id="default",
)
TEXTS = {1: "  What is tea?\n", 2: "A drink.\n\n"}


def test_the_two_messages_are_the_stored_texts_to_the_letter() -> None:
    messages = turn_messages(TURN, TEXTS)
    assert not isinstance(messages, str)
    assert [message.model_dump() for message in messages] == [
        {"sender_id": "ada", "role": "user", "timestamp": 1_780_000_000_000, "content": "  What is tea?\n"},
        {"sender_id": "beaver", "role": "assistant", "timestamp": 1_780_000_001_000, "content": "A drink.\n\n"},
    ]


@pytest.mark.parametrize(
    ("asked", "answered", "sent"),
    [(10, 20, (10, 20)), (20, 10, (20, 20)), (0, 0, (1, 1)), (-5, 7, (1, 7))],
)
def test_timestamps_are_positive_and_never_fall(asked: int, answered: int, sent: tuple[int, int]) -> None:
    messages = turn_messages(replace(TURN, user_at_ms=asked, answer_at_ms=answered), TEXTS)
    assert not isinstance(messages, str)
    assert tuple(message.timestamp for message in messages) == sent


@pytest.mark.parametrize("texts", [{}, {1: "a"}, {1: "a", 2: " \n"}, {1: "", 2: "b"}])
def test_a_turn_without_both_texts_is_not_sent(texts: dict[int, str]) -> None:
    assert turn_messages(TURN, texts) == CONTENT_MISSING


@pytest.mark.parametrize(
    "other",
    [replace(TURN, gateway_user_id="bob"), replace(TURN, app_id="other"), replace(TURN, project_id="other")],
)
def test_a_turn_of_another_user_or_namespace_is_not_meant_for_this_worker(other: NewTurn) -> None:
    clients = GatewayClients.of(gateway_settings("http://gateway"))
    assert clients.sendable(TURN, TEXTS)
    assert not clients.sendable(other, TEXTS)


def test_a_refused_add_is_told_apart_from_an_unknown_one() -> None:
    refused = GatewayCallError("add", "/memories/add", "unauthorized", 401, "refused")
    unknown = GatewayCallError("add", "/memories/add", "timeout", None, "unknown")
    assert add_end(refused) == (
        State.ADD_REFUSED,
        {"operation": "add", "category": "unauthorized", "outcome": "refused", "http_status": 401},
    )
    assert add_end(unknown) == (
        State.ADD_UNKNOWN,
        {"operation": "add", "category": "timeout", "outcome": "unknown"},
    )


def test_a_failed_flush_says_that_the_add_stands() -> None:
    failed = GatewayCallError("flush", "/memories/flush", "http_status", 404, "refused")
    unknown = GatewayCallError("flush", "/memories/flush", "http_status", 503, "unknown")
    assert flush_end(failed)[0] is State.FLUSH_FAILED
    assert flush_end(unknown)[0] is State.FLUSH_UNKNOWN
    assert flush_end(failed)[1] == {
        "operation": "flush",
        "category": "http_status",
        "outcome": "failed",
        "add_succeeded": True,
        "http_status": 404,
    }
