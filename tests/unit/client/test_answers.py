"""What answers and broken connections come to, case by case."""

from __future__ import annotations

import json
import ssl

import httpx
import pytest

from beaver.client.answers import Answer, Failure, Newer, RecalledItem, broken, read_json, read_results


def recalled(*results: object, items_max: int = 100) -> list[RecalledItem]:
    found = read_results({"results": list(results)}, items_max=items_max)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"text": None},
        {"text": ""},
        {"text": " \n\t"},
        {"text": 7},
        {"text": ["a"]},
        {"id": "m-1", "score": 1.0},
        "text",
        None,
        ["text"],
        3,
    ],
)
def test_an_entry_without_text_is_left_out_and_the_others_stay(entry: object) -> None:
    assert [item.text for item in recalled({"text": "first"}, entry, {"text": "last"})] == ["first", "last"]


def test_optional_fields_of_a_wrong_type_become_none() -> None:
    (item,) = recalled(
        {
            "text": "kept",
            "id": 3,
            "session_id": ["s"],
            "score": "0.5",
            "source_scope": {"a": 1},
            "resource_uri": True,
        }
    )

    assert item == RecalledItem(None, None, "kept", None, None, None)


def test_absent_optional_fields_are_none() -> None:
    assert recalled({"text": "kept"}) == [RecalledItem(None, None, "kept", None, None, None)]


def test_when_and_by_whom_it_was_said_and_what_took_its_place_are_taken() -> None:
    newer = [{"id": "obs_1", "title": "moved to Oslo", "since": 5}, {"title": "has a cat"}]
    (item,) = recalled({"text": "kept", "at": 3, "role": "user", "speaker": "tom", "superseded_by": newer})

    assert (item.at_ms, item.role, item.speaker) == (3, "user", "tom")
    assert item.superseded_by == (Newer("moved to Oslo", 5), Newer("has a cat", None))


@pytest.mark.parametrize(("page", "taken"), [(12, 12), (0, None), (-1, None), (True, None), ("3", None), (10**9, None)])
def test_where_in_a_document_it_stands_is_taken(page: object, taken: int | None) -> None:
    (item,) = recalled({"text": "kept", "title": "Book", "section": "Otters", "page": page})
    assert (item.title, item.section, item.page) == ("Book", "Otters", taken)
    (item,) = recalled({"text": "kept", "title": 5, "section": ["x"]})
    assert (item.title, item.section, item.page) == (None, None, None)


@pytest.mark.parametrize("at", [0, -1, True, 1.5, "2026-01-01", 10**15, None])
@pytest.mark.parametrize("newer", [None, "moved", {"title": "moved"}, [None, 3, {"title": 7}, {"since": 1}]])
def test_a_time_that_is_none_and_what_names_no_newer_state_are_left_out(at: object, newer: object) -> None:
    assert recalled({"text": "kept", "at": at, "superseded_by": newer}) == [
        RecalledItem(None, None, "kept", None, None, None)
    ]


@pytest.mark.parametrize(
    ("score", "expected"),
    [(0.25, 0.25), (1, 1.0), (0, 0.0), (True, None), (False, None), (10**400, None), (None, None)],
)
def test_a_score_is_a_finite_number_or_none(score: object, expected: float | None) -> None:
    assert recalled({"text": "kept", "score": score})[0].score == expected


@pytest.mark.parametrize("literal", ["1e999", "-1e999"])
def test_a_score_that_overflows_is_dropped(literal: str) -> None:
    answer = Answer(200, f'{{"results": [{{"text": "kept", "score": {literal}}}]}}'.encode())

    items = read_json(answer, lambda decoded: read_results(decoded, items_max=8))

    assert items == [RecalledItem(None, None, "kept", None, None, None)]


def test_lone_surrogates_of_an_answer_are_replaced() -> None:
    answer = Answer(200, rb'{"results": [{"text": "a \ud83d b", "id": "\udc00"}]}')

    items = read_json(answer, lambda decoded: read_results(decoded, items_max=8))

    assert items == [RecalledItem("\ufffd", None, "a \ufffd b", None, None, None)]


def test_unusable_entries_do_not_count_against_the_most_that_are_taken() -> None:
    assert [item.text for item in recalled({"text": ""}, {"text": "a"}, {"text": "b"}, items_max=2)] == ["a", "b"]


@pytest.mark.parametrize(
    "error",
    [
        httpx.ConnectError("x"),
        httpx.ConnectTimeout("x"),
        httpx.PoolTimeout("x"),
        httpx.UnsupportedProtocol("x"),
    ],
)
@pytest.mark.parametrize("departed", [True, False])
def test_the_connect_phase_is_always_refused(error: httpx.TransportError, departed: bool) -> None:
    assert broken(error, departed=departed).outcome == "refused"


@pytest.mark.parametrize(
    ("error", "category"),
    [
        (TimeoutError(), "timeout"),
        (httpx.ReadTimeout("x"), "timeout"),
        (httpx.WriteTimeout("x"), "timeout"),
        (httpx.ReadError("x"), "connection_lost"),
        (httpx.WriteError("x"), "connection_lost"),
        (httpx.RemoteProtocolError("x"), "connection_lost"),
        (ConnectionResetError(), "connection_lost"),
        (ssl.SSLError("x"), "connection_lost"),
    ],
)
def test_anything_after_the_departure_is_unknown(error: OSError | httpx.TransportError, category: str) -> None:
    assert broken(error, departed=True) == Failure(category, None, "unknown")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "category"),
    [(TimeoutError(), "timeout"), (ssl.SSLError("x"), "connect_failed"), (OSError(), "connect_failed")],
)
def test_anything_before_the_departure_is_refused(error: OSError, category: str) -> None:
    assert broken(error, departed=False) == Failure(category, None, "refused")  # type: ignore[arg-type]


def test_an_answer_does_not_show_its_body() -> None:
    body = json.dumps({"results": [{"text": "secret plan"}]}).encode()

    assert "secret plan" not in repr(Answer(200, body))
