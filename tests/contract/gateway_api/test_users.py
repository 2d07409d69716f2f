"""Users of the Gateway: what they get, and who may make them."""

from __future__ import annotations

import httpx
import pytest

from beaver.schemas.gateway import UserReceipt
from tests.support.memory_gateway import GatewayUser, new_user, running_gateway


async def test_a_new_user_gets_a_key_of_256_bits(http: httpx.AsyncClient) -> None:
    receipt = UserReceipt.model_validate((await http.post("/users", json={"user_id": "gateway_test_user"})).json())
    assert receipt.user_id == "gateway_test_user"
    assert receipt.user_key.startswith("uk_")
    assert len(receipt.user_key) >= len("uk_") + 43


async def test_a_user_without_an_id_gets_one(http: httpx.AsyncClient) -> None:
    first, second = await new_user(http), await new_user(http)
    assert first.user_id != second.user_id


async def test_a_taken_user_id_is_a_conflict(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    response = await http.post("/users", json={"user_id": ada.user_id})
    assert (response.status_code, response.json()["error"]["code"]) == (409, "conflict")


async def test_the_admin_key_makes_users_where_loopback_is_not_trusted(memory_url: str) -> None:
    async with running_gateway(memory_url, admin_key="correct-horse", trust_loopback=False) as http:
        without = await http.post("/users", json={})
        wrong = await http.post("/users", json={}, headers={"Authorization": "Bearer wrong"})
        right = await http.post("/users", json={}, headers={"Authorization": "Bearer correct-horse"})
    assert [response.status_code for response in (without, wrong, right)] == [401, 401, 200]


async def test_without_an_admin_key_nobody_makes_users_from_outside(memory_url: str) -> None:
    async with running_gateway(memory_url, trust_loopback=False) as http:
        for headers in ({}, {"Authorization": "Bearer"}, {"Authorization": "Bearer None"}):
            assert (await http.post("/users", json={}, headers=headers)).status_code == 401


@pytest.mark.parametrize(
    "header",
    [
        {"X-Forwarded-For": "127.0.0.1"},
        {"Forwarded": "for=127.0.0.1"},
        {"Origin": "https://evil.example"},
        {"Host": "evil.example"},
    ],
)
async def test_a_proxied_call_or_a_web_page_is_not_taken_for_this_machine(
    http: httpx.AsyncClient, header: dict[str, str]
) -> None:
    assert (await http.post("/users", json={}, headers=header)).status_code == 401
