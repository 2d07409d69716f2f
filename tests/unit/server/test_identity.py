"""Which session a request names: one order of precedence, and who may speak for others."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.datastructures import Headers

from beaver.errors import InvalidInput
from beaver.schemas.chat import SessionHints
from beaver.server.sessions.identity import After, Fresh, Identity, Named, identify

HEADERS = {"X-Beaver-Session": "own", "X-OpenWebUI-Chat-Id": "webui", "X-Chat": "chat", "X-Thread": "thread"}
BODY: dict[str, Any] = {
    "conversation": {"id": "conversation"},
    "metadata": {"session_id": "metadata"},
    "previous_response_id": "run_1",
    "user": "anna",
}
ORDER: list[Identity] = [
    Named("own"),
    Named("webui", resends=True),
    Named("thread", resends=True),
    Named("chat", resends=True),
    Named("conversation"),
    Named("metadata"),
    After("run_1"),
    Fresh(),
]


def identity(headers: dict[str, str], body: dict[str, Any], *, front_end: bool = True) -> Identity:
    hints = SessionHints.model_validate(body)
    return identify(Headers(headers), hints, front_end=front_end, session_headers=("X-Thread", "X-Chat"))


@pytest.mark.parametrize("place", range(len(ORDER)))
def test_the_first_of_the_documented_order_counts(place: int) -> None:
    headers = {
        name: HEADERS[name] for name in ["X-Beaver-Session", "X-OpenWebUI-Chat-Id", "X-Thread", "X-Chat"][place:]
    }
    fields = ["conversation", "metadata", "previous_response_id"][max(0, place - 4) :]

    assert identity(headers, {"user": "anna", **{name: BODY[name] for name in fields}}) == ORDER[place]


def test_a_front_ends_headers_count_from_front_ends_only() -> None:
    headers = {"X-OpenWebUI-Chat-Id": "webui", "X-Chat": "chat"}

    assert identity(headers, {"user": "anna"}, front_end=False) == Fresh()


def test_our_own_header_counts_from_everybody() -> None:
    assert identity(HEADERS, BODY, front_end=False) == Named("own")


def test_a_conversation_may_be_its_id_alone() -> None:
    assert identity({}, {"conversation": "c-1"}) == Named("c-1")


@pytest.mark.parametrize(
    ("headers", "body", "field"),
    [
        ({"X-Beaver-Session": "a/b"}, {}, "X-Beaver-Session"),
        ({"X-OpenWebUI-Chat-Id": ".."}, {}, "X-OpenWebUI-Chat-Id"),
        ({"X-Chat": "x" * 257}, {}, "X-Chat"),
        ({}, {"conversation": "a/b"}, "conversation"),
        ({}, {"conversation": {"id": "a/b"}}, "conversation.id"),
        ({}, {"metadata": {"session_id": "a/b"}}, "metadata.session_id"),
        ({}, {"metadata": {"session_id": 7}}, "metadata.session_id"),
    ],
)
def test_a_bad_session_id_is_refused_by_the_name_of_its_place(
    headers: dict[str, str], body: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        identity(headers, body)

    assert refused.value.field == field
