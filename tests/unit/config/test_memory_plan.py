"""Which memories a `memory` section comes to."""

from __future__ import annotations

from typing import Any

import pytest

from beaver.config.memory import CuratedOnly, DegradedHybrid, GatewayOnly, Hybrid, degradation_warning, gateway_of
from beaver.errors import ConfigError
from tests.unit.config.samples import WHOLE, changed, parsed, without

GATEWAY: dict[str, Any] = WHOLE["memory"]["gateway"]
CREDENTIALS = ("baseUrl", "userId", "userKey")


def memory(**section: Any) -> dict[str, Any]:
    return {"memory": section}


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"memory": None},
        memory(),
        memory(mode=None),
        memory(gateway=None),
        memory(gateway={}),
        memory(gateway={"topK": 3}),
    ],
)
def test_hybrid_is_the_default_and_degrades_without_credentials(document: dict[str, Any]) -> None:
    plan = parsed(document).memory

    assert plan == DegradedHybrid(("memory.gateway.baseUrl", "memory.gateway.userId", "memory.gateway.userKey"))
    assert gateway_of(plan) is None


@pytest.mark.parametrize("absent", CREDENTIALS)
@pytest.mark.parametrize("as_null", [False, True])
def test_one_missing_credential_degrades_implicit_hybrid(absent: str, as_null: bool) -> None:
    block = {**GATEWAY, absent: None} if as_null else {name: value for name, value in GATEWAY.items() if name != absent}

    assert parsed(memory(gateway=block)).memory == DegradedHybrid((f"memory.gateway.{absent}",))


def test_credentials_without_a_mode_are_implicit_hybrid() -> None:
    plan = parsed(memory(gateway=GATEWAY)).memory

    assert isinstance(plan, Hybrid)
    assert not plan.explicit


def test_a_named_hybrid_is_explicit_and_takes_every_field() -> None:
    plan = parsed(WHOLE).memory

    assert isinstance(plan, Hybrid)
    assert plan.explicit
    assert plan.gateway.model_dump(exclude={"user_key": True, "earlier_users": {0: {"user_key"}}}) == {
        "base_url": "http://127.0.0.1:8010",
        "user_id": "gateway_test_user",
        "app_id": "app",
        "project_id": "project",
        "scope": ("current_chat", "resources", "all_user_memory"),
        "top_k": 12,
        "timeout_seconds": 2.5,
        "honours_idempotency_key": True,
        "earlier_users": ({"user_id": "old", "app_id": "app", "project_id": "before"},),
    }
    assert plan.gateway.user_key.get_secret_value() == "uk_xxx"


def test_the_settings_are_given_once_for_each_user_with_all_else_alike() -> None:
    gateway = gateway_of(parsed(WHOLE).memory)
    assert gateway is not None

    now, before = gateway.of_each_user()
    assert now is gateway
    assert before.owner == ("old", "app", "before")
    assert before.user_key.get_secret_value() == "uk_yyy"
    assert (before.base_url, before.timeout_seconds, before.earlier_users) == (now.base_url, now.timeout_seconds, ())


def test_a_gateway_block_needs_its_credentials_only() -> None:
    plan = parsed(memory(mode="hybrid", gateway={name: GATEWAY[name] for name in CREDENTIALS})).memory

    gateway = gateway_of(plan)
    assert gateway is not None
    assert (gateway.app_id, gateway.project_id) == ("default", "default")
    assert (gateway.scope, gateway.top_k, gateway.timeout_seconds) == (("current_chat", "resources"), 8, 10)


def test_the_gateway_can_stand_in_place_of_curated_memory() -> None:
    plan = parsed(memory(mode="memory_gateway", gateway=GATEWAY)).memory

    assert isinstance(plan, GatewayOnly)
    assert gateway_of(plan) == plan.gateway


@pytest.mark.parametrize("mode", ["hybrid", "memory_gateway"])
@pytest.mark.parametrize("absent", CREDENTIALS)
def test_a_named_gateway_mode_fails_without_a_credential(mode: str, absent: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parsed(without(f"memory.gateway.{absent}", changed("memory.mode", mode)))

    assert (caught.value.field, caught.value.rule) == (f"memory.gateway.{absent}", "is required")


@pytest.mark.parametrize("mode", ["hybrid", "memory_gateway"])
def test_a_named_gateway_mode_fails_without_a_block(mode: str) -> None:
    with pytest.raises(ConfigError, match=r"^memory\.gateway\.baseUrl: is required$"):
        parsed(memory(mode=mode))


@pytest.mark.parametrize("mode", [None, "hybrid", "memory_gateway"])
@pytest.mark.parametrize("field", CREDENTIALS)
@pytest.mark.parametrize("value", ["", "   ", "\t\n", 7, True, [], {}])
def test_a_wrong_credential_always_fails(mode: str | None, field: str, value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        parsed(changed(f"memory.gateway.{field}", value, changed("memory.mode", mode)))

    assert caught.value.field == f"memory.gateway.{field}"


@pytest.mark.parametrize(("field", "value"), [("topK", 0), ("scope", []), ("userKey", " "), ("colour", "red")])
def test_a_wrong_value_beside_a_missing_credential_fails_implicit_hybrid(field: str, value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        parsed(memory(gateway={field: value}))

    assert caught.value.field == f"memory.gateway.{field}"


@pytest.mark.parametrize("block", [[], "a string", 7, True])
def test_a_gateway_block_must_be_an_object(block: Any) -> None:
    with pytest.raises(ConfigError, match=r"^memory\.gateway: must be an object$"):
        parsed(memory(gateway=block))


@pytest.mark.parametrize(
    "block", [{}, None, [], "nonsense", {"baseUrl": 7, "colour": "red"}, {"userKey": "${NOT_SET}"}, {"userKey": "${"}]
)
def test_curated_mode_never_reads_the_gateway_block(block: Any) -> None:
    assert parsed(memory(mode="curated", gateway=block)).memory == CuratedOnly()


def test_curated_mode_from_the_environment_does_not_read_the_block_either() -> None:
    document = memory(mode="${MODE}", gateway={"userKey": "${NOT_SET}"})

    assert parsed(document, {"MODE": "curated"}).memory == CuratedOnly()


@pytest.mark.parametrize("mode", ["Hybrid", "both", "", "curated ", 7, True, [], {}])
def test_an_unknown_mode_fails(mode: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        parsed(changed("memory.mode", mode))

    assert (caught.value.field, caught.value.rule) == ("memory.mode", "must be 'hybrid', 'curated' or 'memory_gateway'")


def test_the_degradation_warning_names_what_is_missing_and_no_value() -> None:
    plan = parsed(without("memory.gateway.userKey", without("memory.mode"))).memory
    assert isinstance(plan, DegradedHybrid)

    warning = degradation_warning(plan)

    assert "memory.gateway.userKey" in warning
    assert "baseUrl" not in warning
    assert not [value for value in ("8010", "gateway_test_user", "uk_xxx") if value in warning]
