"""How the client judges an answer: items, receipts, and a category and an outcome for everything else."""

from __future__ import annotations

import json

import pytest

from beaver.client.gateway import ANSWER_BYTES_MAX
from beaver.schemas.gateway import SEARCH_PATH
from tests.contract.gateway_client.calls import PATHS, TURN, client_of, failure, said
from tests.contract.gateway_client.door import Door
from tests.support.gateway_stub import GatewayStub, ok


async def test_results_come_back_as_items_without_the_raw_object(door: Door) -> None:
    result = {
        "id": "m-1",
        "session_id": "chat:s-0",
        "text": "The heron nests behind the mill.",
        "score": 0.75,
        "source_scope": "current_chat",
        "resource_uri": None,
        "raw": {"internal": "shard-7"},
    }
    door.answer(200, json.dumps({"results": [result], "took_ms": 3}).encode(), {})

    (item,) = await door.client.search("s-1", "heron")

    assert (item.id, item.session_id, item.text) == ("m-1", "chat:s-0", "The heron nests behind the mill.")
    assert (item.score, item.source_scope, item.resource_uri) == (0.75, "current_chat", None)
    assert not hasattr(item, "raw")


async def test_the_user_and_the_assistant_of_a_chat_have_no_names_and_others_do(door: Door) -> None:
    said = [{"text": name, "role": "user", "speaker": name} for name in ("maria", "beaver", "tom")]
    door.answer(200, json.dumps({"results": said}).encode(), {})

    assert [item.speaker for item in await door.client.search("s-1", "heron")] == [None, None, "tom"]


async def test_a_gateway_that_sends_more_than_top_k_is_cut_at_top_k(stub: GatewayStub) -> None:
    stub.always(SEARCH_PATH, ok({"results": [{"text": f"memory {number}"} for number in range(50)]}))

    async with client_of(stub.url, top_k=3) as client:
        items = await client.search("s-1", "heron")

    assert [item.text for item in items] == ["memory 0", "memory 1", "memory 2"]


@pytest.mark.parametrize("operation", PATHS)
@pytest.mark.parametrize(
    ("code", "category", "outcome"),
    [
        (301, "http_status", "unknown"),
        (302, "http_status", "unknown"),
        (307, "http_status", "unknown"),
        (400, "http_status", "refused"),
        (401, "unauthorized", "refused"),
        (403, "unauthorized", "refused"),
        (404, "http_status", "refused"),
        (408, "http_status", "unknown"),
        (409, "http_status", "refused"),
        (422, "http_status", "refused"),
        (425, "http_status", "unknown"),
        (429, "http_status", "refused"),
        (500, "http_status", "unknown"),
        (503, "http_status", "unknown"),
    ],
)
async def test_a_status_that_is_not_2xx_has_its_category_and_outcome(
    door: Door, operation: str, code: int, category: str, outcome: str
) -> None:
    door.answer(code, b'{"error": "no"}', {"location": "http://127.0.0.1:9/elsewhere"})

    error = await failure(door.client, operation)

    assert said(error) == (category, code, outcome)
    assert (error.operation, error.path) == (operation, PATHS[operation])
    assert str(error) == f"{operation} {PATHS[operation]} failed: {category} (HTTP {code})"
    assert len(door.asked()) == 1


@pytest.mark.parametrize("operation", PATHS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>oops</html>",
        b'{"results": [',
        b'{"results": []} trailing',
        b"\xff\xfe{}",
        b'{"results": [{"text": "caf\xe9"}]}',
        b'{"results": [], "took": NaN}',
        b'{"results": [], "took": -Infinity}',
        b'{"results": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"results": [], "count": ' + b"9" * 10_000 + b"}",
    ],
    ids=["empty", "html", "cut", "trailing", "bad utf-8", "latin-1", "nan", "infinity", "deep", "huge number"],
)
async def test_a_2xx_body_that_is_not_json_is_unknown(door: Door, operation: str, body: bytes) -> None:
    door.answer(200, body, {})

    assert said(await failure(door.client, operation)) == ("invalid_json", 200, "unknown")


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b'"results"',
        b"null",
        b"{}",
        b'{"data": {"results": []}}',
        b'{"results": null}',
        b'{"results": {}}',
        b'{"results": "x"}',
    ],
)
async def test_search_accepts_only_a_top_level_list_of_results(door: Door, body: bytes) -> None:
    door.answer(200, body, {})

    assert said(await failure(door.client, "search")) == ("invalid_shape", 200, "unknown")


@pytest.mark.parametrize("operation", ["add", "flush"])
@pytest.mark.parametrize("body", [b"[]", b'"ok"', b"true", b"null", b"1"])
async def test_a_receipt_must_be_an_object(door: Door, operation: str, body: bytes) -> None:
    door.answer(200, body, {})

    assert said(await failure(door.client, operation)) == ("invalid_shape", 200, "unknown")


@pytest.mark.parametrize("code", [200, 201, 202])
async def test_any_2xx_with_an_object_is_success_for_writes(door: Door, code: int) -> None:
    door.answer(code, b'{"anything": [1, 2]}', {})

    await door.client.add(session_id="s-1", messages=TURN, idempotency_key="run_1")
    await door.client.flush(session_id="s-1")

    assert len(door.asked()) == 2


async def test_a_body_over_two_mebibytes_is_not_read(door: Door) -> None:
    door.answer(200, b'{"results": []}' + b" " * ANSWER_BYTES_MAX, {})

    assert said(await failure(door.client, "search")) == ("too_large", 200, "unknown")
