"""`${NAME}` in a string takes an environment variable, or the error names both."""

from __future__ import annotations

import pytest

from beaver.errors import ConfigError
from tests.unit.config.samples import changed, parsed


def test_a_variable_gives_a_whole_value() -> None:
    settings = parsed(changed("provider.apiKey", "${MODEL_KEY}"), {"MODEL_KEY": "pk-from-env"})

    assert settings.provider.api_key is not None
    assert settings.provider.api_key.get_secret_value() == "pk-from-env"


def test_variables_stand_inside_longer_strings() -> None:
    settings = parsed(
        changed("sessions.databaseUrl", "postgresql://${DB_USER}:${DB_PASSWORD}@db/${DB_USER}"),
        {"DB_USER": "beaver", "DB_PASSWORD": "pw"},
    )

    assert settings.sessions_url == "postgresql://beaver:pw@db/beaver"


def test_variables_stand_in_lists() -> None:
    settings = parsed(changed("memory.gateway.scope", ["${SCOPE}"]), {"SCOPE": "resources"})

    assert settings.memory.gateway.scope == ("resources",)  # type: ignore[union-attr]


def test_a_value_from_the_environment_keeps_the_rules() -> None:
    with pytest.raises(ConfigError, match=r"^memory\.gateway\.userKey: must not be blank$"):
        parsed(changed("memory.gateway.userKey", "${KEY}"), {"KEY": " "})


def test_a_value_from_the_environment_is_not_read_for_variables_again() -> None:
    assert parsed(changed("provider.model", "${A}"), {"A": "${B}"}).provider.model == "${B}"


@pytest.mark.parametrize("value", ["${NOT_SET}", "x-${NOT_SET}-y", "${HOME_SET}${NOT_SET}"])
def test_a_variable_that_is_not_set_is_named_with_its_field(value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parsed(changed("memory.gateway.userKey", value), {"HOME_SET": "h"})

    assert caught.value.field == "memory.gateway.userKey"
    assert caught.value.rule == "needs the environment variable NOT_SET, which is not set"


def test_a_variable_that_is_not_set_is_named_in_a_list_too() -> None:
    with pytest.raises(ConfigError, match=r"^memory\.gateway\.scope\.1: needs the environment variable NOT_SET"):
        parsed(changed("memory.gateway.scope", ["resources", "${NOT_SET}"]))


def test_implicit_hybrid_does_not_degrade_for_a_variable_that_is_not_set() -> None:
    with pytest.raises(ConfigError, match=r"^memory\.gateway\.userKey: needs the environment variable NOT_SET"):
        parsed({"memory": {"gateway": {"userKey": "${NOT_SET}"}}})


@pytest.mark.parametrize("value", ["${}", "${", "${MY-KEY}", "${1ST}", "a${ B }"])
def test_a_reference_without_a_name_is_an_error(value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parsed(changed("provider.apiKey", value), {"MY-KEY": "x"})

    assert caught.value.field == "provider.apiKey"
    assert caught.value.rule == "must name an environment variable, and close it with `}`, after each `${`"


@pytest.mark.parametrize("value", ["$HOME", "100$", "{x}", "$(x)"])
def test_other_dollars_are_left_alone(value: str) -> None:
    assert parsed(changed("provider.model", value)).provider.model == value
