"""`${NAME}` in a string takes an environment variable, `${file:/path}` a file, or the error names it and the field."""

from __future__ import annotations

from pathlib import Path

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


@pytest.mark.parametrize(
    ("content", "value"),
    [("uk_from-file\n", "uk_from-file"), ("uk_from-file\r\n", "uk_from-file"), ("${HOME}", "${HOME}"), (" a ", " a ")],
)
def test_a_file_gives_a_value_without_the_line_break_at_its_end(tmp_path: Path, content: str, value: str) -> None:
    secret = tmp_path / "key"
    secret.write_bytes(content.encode())
    settings = parsed(changed("provider.apiKey", f"${{file:{secret}}}"))
    assert settings.provider.api_key is not None
    assert settings.provider.api_key.get_secret_value() == value


def test_a_file_and_a_variable_stand_inside_one_longer_string_and_the_value_is_kept_secret(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("pw-from-file\n")
    url = f"postgresql://${{DB_USER}}:${{file:{tmp_path}/password}}@db/beaver"
    settings = parsed(changed("sessions.databaseUrl", url), {"DB_USER": "anna"})
    assert settings.sessions_url == "postgresql://anna:pw-from-file@db/beaver"
    assert "pw-from-file" in settings.secrets()
    assert "pw-from-file" not in repr(settings)


def test_only_one_line_break_is_taken_off_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("uk\n\n")
    with pytest.raises(ConfigError, match=r"^memory\.gateway\.userKey: must not hold line breaks"):
        parsed(changed("memory.gateway.userKey", f"${{file:{tmp_path}/key}}"))


def test_a_file_that_cannot_be_read_is_named_with_its_field() -> None:
    with pytest.raises(ConfigError) as caught:
        parsed(changed("memory.gateway.userKey", "${file:/nowhere/user_key}"))
    assert caught.value.field == "memory.gateway.userKey"
    assert caught.value.rule == "needs the file /nowhere/user_key, which cannot be read (FileNotFoundError)"


@pytest.mark.parametrize(
    ("content", "rule"), [(b"\xff\xfe", "is not UTF-8"), (b"a" * 65_537, "is larger than 65536 bytes")]
)
def test_a_file_that_holds_no_secret_is_refused_without_its_content(tmp_path: Path, content: bytes, rule: str) -> None:
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(ConfigError, match=rule):
        parsed(changed("provider.apiKey", f"${{file:{tmp_path}/key}}"))


@pytest.mark.parametrize("value", ["${file:}", "${file:secrets/key}", "${file:/run/secrets/key"])
def test_a_file_is_named_by_its_absolute_path(value: str) -> None:
    with pytest.raises(ConfigError, match=r"must name a file by its absolute path"):
        parsed(changed("provider.apiKey", value))
