"""`check` finds everything at once: what the loader refuses, and what is allowed but risky."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beaver.config.check import Finding, check_instance, check_settings
from beaver.config.hosts import is_loopback
from beaver.config.memory import DegradedHybrid, degradation_warning
from beaver.config.paths import InstancePaths
from beaver.config.reference import settings_fields
from beaver.errors import ConfigError
from tests.unit.config.samples import PATHS, WHOLE, changed, parsed, without


def findings(document: dict[str, Any], severity: str, env: dict[str, str] | None = None) -> list[tuple[str, str]]:
    return [(one.field, one.message) for one in check_settings(PATHS, document, env or {}) if one.severity == severity]


def test_a_sound_file_has_one_ok_for_each_section() -> None:
    found = check_settings(PATHS, WHOLE, {})

    assert {one.severity for one in found} == {"ok"}
    assert sorted(one.field for one in found) == sorted(WHOLE)


def test_every_broken_rule_is_reported_not_only_the_first() -> None:
    document = {
        "memory": {
            "mode": "hybrid",
            "gateway": {"baseUrl": "ftp://x", "userId": " ", "topK": True, "scope": [], "colour": 1},
        },
        "provider": {"kind": "magic", "apiKey": "${NOT_SET}", "model": "${NEITHER}"},
        "server": {"port": "80"},
        "extra": {},
    }

    assert sorted(findings(document, "error")) == [
        ("extra", "is not a known key"),
        ("memory.gateway.baseUrl", "must be an http or https URL with a host"),
        ("memory.gateway.colour", "is not a known key"),
        ("memory.gateway.scope", "must not be empty"),
        ("memory.gateway.topK", "must be a whole number"),
        ("memory.gateway.userId", "must not be blank"),
        ("memory.gateway.userKey", "is required"),
        ("provider.apiKey", "needs the environment variable NOT_SET, which is not set"),
        ("provider.kind", "must be 'offline', 'openai', 'anthropic' or 'scripted'"),
        ("provider.model", "needs the environment variable NEITHER, which is not set"),
        ("server.port", "must be a whole number"),
    ]


@pytest.mark.parametrize(
    ("section", "errors"),
    [
        (
            {"kind": "openai"},
            [
                ("provider.model", "is required when provider.kind is openai"),
                ("provider.apiKey", "is required when provider.kind is openai and provider.baseUrl is absent"),
            ],
        ),
        (
            {"kind": "anthropic", "model": "m", "baseUrl": "https://proxy.example"},
            [("provider.apiKey", "is required when provider.kind is anthropic")],
        ),
        ({"kind": "scripted"}, [("provider.script", "is required when provider.kind is scripted")]),
        (
            {"kind": "scripted", "script": "../s.json"},
            [("provider.script", "must lie below the instance's root folder")],
        ),
        ({"kind": "openai", "model": "m", "baseUrl": "https://ollama.example/v1"}, []),
    ],
)
def test_what_a_provider_lacks_is_an_error_before_a_chat_server_ends_by_it(
    section: dict[str, Any], errors: list[tuple[str, str]]
) -> None:
    assert findings(changed("provider", section), "error") == errors


def test_an_open_address_without_keys_is_an_error_before_a_chat_server_ends_by_it() -> None:
    errors = findings(changed("server", {"host": "0.0.0.0", "requireKeys": False}), "error")
    assert [field for field, _ in errors] == ["server.requireKeys"]


def test_a_variable_that_is_not_set_hides_the_rules_it_would_break() -> None:
    document = changed("memory.gateway.baseUrl", "${NOT_SET}")

    assert findings(document, "error") == [
        ("memory.gateway.baseUrl", "needs the environment variable NOT_SET, which is not set")
    ]


def test_errors_come_first_and_sound_sections_are_still_named() -> None:
    found = check_settings(PATHS, changed("server.port", 0, changed("gatewayServer.host", "0.0.0.0")), {})

    assert [one.severity for one in found] == sorted(
        (one.severity for one in found), key=["error", "warning", "ok"].index
    )
    assert Finding("ok", "queue", "keeps every rule") in found
    assert "server" not in [one.field for one in found if one.severity == "ok"]


ODD = st.sampled_from(
    [None, True, 0, -1, 7.5, "", " ", "x", "${X}", "http://h", [], ["resources"], {}, {"a": 1}, float("nan")]
)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([path for path, _ in settings_fields() if path.count(".") > 0]), ODD), max_size=4
    )
)
def test_check_and_loader_agree(changes: list[tuple[str, Any]]) -> None:
    document = WHOLE
    for path, value in changes:
        try:
            document = changed(path, value, document)
        except TypeError:
            continue  # an earlier change put something else in the place of the section

    errors = [ConfigError(*one) for one in findings(document, "error")]
    if not errors:
        assert parsed(document)
        return
    with pytest.raises(ConfigError) as caught:
        parsed(document)
    assert str(caught.value) == str(errors[0])


def test_a_degraded_hybrid_is_one_warning_in_the_words_of_the_loader() -> None:
    document = without("memory.gateway.userKey", without("memory.mode"))
    plan = parsed(document).memory
    assert isinstance(plan, DegradedHybrid)

    assert findings(document, "warning") == [("memory.gateway", degradation_warning(plan))]
    assert [field for field, _ in findings({}, "warning")] == ["memory.gateway"]


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"mode": "curated"}, "curated: no Memory Gateway"),
        (
            {"mode": "memory_gateway", "gateway": WHOLE["memory"]["gateway"]},
            "memory_gateway: the Memory Gateway in place",
        ),
        ({"mode": "hybrid", "gateway": WHOLE["memory"]["gateway"]}, "hybrid, as the file says"),
        ({"gateway": WHOLE["memory"]["gateway"]}, "hybrid, as the file names no mode"),
    ],
)
def test_the_mode_is_said(section: dict[str, Any], said: str) -> None:
    assert dict(findings({"memory": section}, "ok"))["memory"].startswith(said)


@pytest.mark.parametrize(
    "field",
    [
        "memory.gateway.baseUrl",
        "provider.baseUrl",
        "gatewayServer.model.baseUrl",
        "gatewayServer.embedding.baseUrl",
    ],
)
@pytest.mark.parametrize("url", ["http://gateway.example:8010", "http://10.0.0.7", "http://[2001:db8::1]/api"])
def test_plain_http_to_another_machine_is_a_warning(field: str, url: str) -> None:
    assert [found for found, _ in findings(changed(field, url), "warning")] == [field]


@pytest.mark.parametrize(
    "url", ["https://gateway.example", "http://localhost:8010", "http://127.8.8.8", "http://[::1]:8010"]
)
def test_https_and_this_machine_are_fine(url: str) -> None:
    assert findings(changed("memory.gateway.baseUrl", url), "warning") == []


@pytest.mark.parametrize("field", ["server.host", "gatewayServer.host"])
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "chat.example"])
def test_listening_beyond_this_machine_is_a_warning(field: str, host: str) -> None:
    assert [found for found, _ in findings(changed(field, host), "warning")] == [field]


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("LOCALHOST", True),
        ("one.localhost", True),
        ("127.0.0.1", True),
        ("127.255.0.1", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("localhost.example", False),
        ("127.0.0.1.example", False),
        ("", False),
    ],
)
def test_loopback_is_told_from_the_rest(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


def instance(folder: Path, document: dict[str, Any], mode: int) -> InstancePaths:
    paths = InstancePaths.at(folder)
    paths.home.mkdir()
    paths.config.write_text(json.dumps(document))
    paths.config.chmod(mode)
    return paths


def file_warnings(paths: InstancePaths, env: dict[str, str]) -> list[str]:
    return [one.message for one in check_instance(paths, env) if one.field == "config.json"]


SECRET_FREE = {
    "memory": {
        "gateway": {
            **WHOLE["memory"]["gateway"],
            "userKey": "${KEY}",
            "earlierUsers": [{"userId": "old", "userKey": "${KEY}"}, {"userId": "older", "userKey": "${KEY}"}],
        }
    },
    "sessions": {"databaseUrl": "postgresql://beaver:${KEY}@db/beaver"},
    "queue": {"redisUrl": "redis://queue:6379"},
    "gatewayServer": {"databaseUrl": "sqlite:///gateway.db"},
}


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("memory.gateway.userKey", "uk_literal"),
        ("memory.gateway.userKey", "uk_${KEY}"),
        ("memory.gateway.earlierUsers.0.userKey", "uk_literal"),
        ("sessions.databaseUrl", "postgresql://beaver:literal@db/beaver"),
        ("queue.redisUrl", "redis://:literal@queue"),
    ],
)
def test_a_file_with_a_secret_that_others_can_read_is_a_warning(
    tmp_path: Path, mode: int, path: str, value: str
) -> None:
    warnings = file_warnings(instance(tmp_path, changed(path, value, SECRET_FREE), mode), {"KEY": "k"})

    assert warnings == [f"holds a secret ({path}) and its mode is {mode:04o}: chmod 600 it"]


@pytest.mark.parametrize(("document", "mode"), [(WHOLE, 0o600), (WHOLE, 0o400), (SECRET_FREE, 0o644), ({}, 0o644)])
def test_a_closed_file_or_one_without_a_secret_is_fine(tmp_path: Path, document: dict[str, Any], mode: int) -> None:
    assert file_warnings(instance(tmp_path, document, mode), {"KEY": "k"}) == []


def test_every_member_of_a_list_is_looked_at(tmp_path: Path) -> None:
    document = changed("memory.gateway.earlierUsers.1.userKey", "uk_literal", SECRET_FREE)

    assert len(file_warnings(instance(tmp_path, document, 0o644), {"KEY": "k"})) == 1


def test_a_secret_in_an_ignored_block_counts_for_the_file(tmp_path: Path) -> None:
    document = {"memory": {"mode": "curated", "gateway": {"userKey": "uk_literal"}}}

    assert len(file_warnings(instance(tmp_path, document, 0o644), {})) == 1


def test_a_file_that_cannot_be_read_is_one_error(tmp_path: Path) -> None:
    paths = InstancePaths.at(tmp_path)
    paths.home.mkdir()
    paths.config.write_text("{")

    assert [(one.severity, one.field) for one in check_instance(paths, {})] == [("error", "config.json")]


def test_an_absent_file_is_checked_as_the_defaults(tmp_path: Path) -> None:
    found = check_instance(InstancePaths.at(tmp_path), {})

    assert [(one.severity, one.field) for one in found if one.severity != "ok"] == [("warning", "memory.gateway")]
