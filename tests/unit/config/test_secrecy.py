"""No value of the configuration reaches an error, a finding, a warning, a representation or a dump."""

from __future__ import annotations

import traceback
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr

from beaver.config.check import check_settings
from beaver.config.loader import decode_config
from beaver.config.reference import secret_paths, settings_fields
from beaver.errors import ConfigError
from beaver.redaction import Redactor
from tests.unit.config.samples import PATHS, WHOLE, changed, parsed

PATHS_OF_SETTINGS = [path for path, _ in settings_fields()]

# Values that could stand in a file by mistake, each of them holding the secret.
SECRETS = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=12, max_size=40).map(
    lambda text: f"Zq7{text}"
)
WRAPPED = st.sampled_from(
    [
        lambda secret: secret,
        lambda secret: f"http://user:{secret}@host",
        lambda secret: f"http://{secret}:port",
        lambda secret: f"${{{secret}",
        lambda secret: f"{secret}\x00",
        lambda secret: [secret],
        lambda secret: {"userKey": secret},
        lambda secret: [[secret], secret],
        lambda secret: f" {secret} \n",
    ]
)


@settings(deadline=None)
@given(path=st.sampled_from(PATHS_OF_SETTINGS), secret=SECRETS, wrap=WRAPPED)
def test_no_error_and_no_finding_holds_a_value(path: str, secret: str, wrap: Any) -> None:
    document = changed(path, wrap(secret))

    findings = check_settings(PATHS, document, {})
    assert secret not in repr(findings)
    if any(finding.severity == "error" for finding in findings):
        with pytest.raises(ConfigError) as caught:
            parsed(document)
        shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + str(vars(caught.value))
        assert secret not in shown
        assert caught.value.__context__ is None


@settings(deadline=None)
@given(secret=SECRETS)
def test_no_valid_secret_is_shown_by_settings(secret: str) -> None:
    document = WHOLE
    for path in secret_paths():
        scheme = {"redisUrl": "redis", "databaseUrl": "postgresql"}.get(path.rpartition(".")[2])
        document = changed(path, f"{scheme}://user:{secret}@host/0" if scheme else secret, document)

    loaded = parsed(document)
    sections = [value for value in vars(loaded).values() if isinstance(value, BaseModel)]
    sections.append(loaded.memory.gateway)  # type: ignore[union-attr]

    shown = (
        repr(loaded)
        + str(loaded)
        + "".join(s.model_dump_json() + repr(s) + str(s) + str(s.model_dump()) for s in sections)
    )
    assert secret not in shown
    assert secret not in repr(check_settings(PATHS, document, {}))


@settings(deadline=None)
@given(secret=SECRETS, cut=st.integers(1, 400))
def test_no_syntax_error_holds_a_value(secret: str, cut: int) -> None:
    content = f'{{"provider": {{"apiKey": "{secret}"}}}}'[:-1][:cut].encode()

    with pytest.raises(ConfigError) as caught:
        decode_config(content)

    assert secret not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None


def test_every_secret_of_the_settings_is_known_to_the_redactor() -> None:
    loaded = parsed(changed("queue.redisUrl", "redis://:pw%2Ftwo%21@queue:6379/0"))
    redactor = Redactor(loaded.secrets())

    known = [
        "uk_xxx",
        "uk_yyy",
        "ak-admin-key",
        "mk-model-key",
        "ek-encoder-key",
        "postgresql://beaver:pw-one@db/beaver",
        "pw-one",
        "pw/two!",
        "pw%2Ftwo%21",
    ]
    assert [value for value in known if value in redactor.text(f"before {value} after")] == []


def test_a_password_in_the_query_of_a_url_is_known_to_the_redactor() -> None:
    loaded = parsed(changed("queue.redisUrl", "sentinel://:pw-two@queue/main?db=1&sentinel_password=pw%2Dthree"))
    redactor = Redactor(loaded.secrets())
    assert [value for value in ("pw-two", "pw-three", "pw%2Dthree") if value in redactor.text(f"({value})")] == []


def test_an_address_without_room_for_a_credential_is_left_readable() -> None:
    loaded = parsed(changed("queue.redisUrl", "redis://queue:6379/0"))

    assert Redactor(loaded.secrets()).text("waits for redis://queue:6379/0") == "waits for redis://queue:6379/0"


def test_the_secrets_are_typed_as_secrets() -> None:
    assert secret_paths() == [
        "memory.gateway.userKey",
        "memory.gateway.earlierUsers.0.userKey",
        "memory.policy.databaseUrl",
        "provider.apiKey",
        "sessions.databaseUrl",
        "queue.redisUrl",
        "gatewayServer.databaseUrl",
        "gatewayServer.adminKey",
        "gatewayServer.model.apiKey",
        "gatewayServer.embedding.apiKey",
    ]
    assert isinstance(parsed(WHOLE).provider.api_key, SecretStr)
