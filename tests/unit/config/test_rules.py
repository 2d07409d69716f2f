"""Every rule of a single setting: broken, it gives the field and the rule; kept, it gives a frozen value."""

from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import ValidationError

from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.config.reference import settings_fields
from beaver.errors import ConfigError
from tests.unit.config.samples import PATHS, WHOLE, at, changed, parsed, rule_of, without

NUMBERS = [
    "memory.gateway.timeoutSeconds",
    "provider.timeoutSeconds",
    "agent.toolTimeoutSeconds",
    "worker.drainSeconds",
]
WHOLES = [
    "memory.gateway.topK",
    "provider.outputTokensMax",
    "agent.toolRoundsMax",
    "queue.enqueueTimeoutMs",
    "server.port",
]
TEXTS = [
    "memory.gateway.userId",
    "memory.gateway.appId",
    "memory.gateway.projectId",
    "provider.model",
    "agent.identity",
    "gatewayServer.model.model",
    "gatewayServer.embedding.model",
]
SECRETS = [
    "memory.gateway.userKey",
    "provider.apiKey",
    "gatewayServer.adminKey",
    "gatewayServer.model.apiKey",
    "gatewayServer.embedding.apiKey",
]
URLS = [
    "memory.gateway.baseUrl",
    "provider.baseUrl",
    "gatewayServer.model.baseUrl",
    "gatewayServer.embedding.baseUrl",
]


def test_every_setting_can_be_given() -> None:
    settings = parsed(WHOLE)

    assert settings.provider.api_key is not None
    assert settings.provider.api_key.get_secret_value() == "pk-0"
    assert (settings.agent.tool_rounds_max, settings.worker.max_jobs, settings.gateway_server.port) == (3, 10, 8011)
    assert settings.sessions_url == "postgresql://beaver:pw-one@db/beaver"
    assert settings.redis_url == "redis://:pw-two@queue:6379/0"
    assert not settings.embeds_queue


def test_the_sample_gives_every_setting() -> None:
    def given(path: str) -> bool:
        try:
            at(WHOLE, path)
        except (KeyError, IndexError):
            return False
        return True

    assert [path for path, _ in settings_fields() if not given(path)] == []


@pytest.mark.parametrize(
    "others",
    [
        [{"userId": "gateway_test_user", "userKey": "k", "appId": "app", "projectId": "project"}],
        [{"userId": "old", "userKey": "k"}, {"userId": "old", "userKey": "another"}],
    ],
)
def test_an_earlier_user_is_neither_the_one_of_now_nor_named_twice(others: list[dict[str, str]]) -> None:
    assert rule_of("memory.gateway.earlierUsers", others).startswith("must not repeat a user")


def test_an_earlier_user_without_a_key_is_wrong_in_every_mode_and_no_missing_gateway() -> None:
    document = without("memory.mode", without("memory.gateway.earlierUsers.0.userKey"))
    with pytest.raises(ConfigError) as caught:
        parsed(document)
    assert str(caught.value) == "memory.gateway.earlierUsers.0.userKey: is required"


def test_an_empty_file_gives_the_defaults() -> None:
    settings = parsed({})

    assert settings.provider.kind == "offline"
    assert settings.embeds_queue
    assert settings.sessions_url == "sqlite:////nowhere/.beaver/sessions.db"
    assert settings.gateway_url == "sqlite:////nowhere/.beaver/gateway.db"
    assert settings.redis_url == f"unix://{PATHS.queue_socket}"


def test_settings_are_frozen() -> None:
    settings = parsed(WHOLE)

    with pytest.raises(ValidationError):
        settings.server.port = 1  # type: ignore[misc]


@pytest.mark.parametrize("path", [*NUMBERS, *WHOLES])
@pytest.mark.parametrize("value", [True, False, "8", "", [8], {}, None])
def test_a_number_is_nothing_else(path: str, value: Any) -> None:
    assert rule_of(path, value) in {"must be a number", "must be a whole number"}


@pytest.mark.parametrize("path", NUMBERS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400])
def test_a_number_is_finite(path: str, value: Any) -> None:
    assert rule_of(path, value) == "must be finite"


@pytest.mark.parametrize("path", NUMBERS)
@pytest.mark.parametrize("value", [0, 0.0, -1, -0.5])
def test_a_time_is_positive(path: str, value: float) -> None:
    assert rule_of(path, value) == "must be greater than 0"


@pytest.mark.parametrize("path", WHOLES)
@pytest.mark.parametrize("value", [8.5, 8.0, math.nan, math.inf])
def test_a_count_is_whole(path: str, value: float) -> None:
    assert rule_of(path, value) == "must be a whole number"


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("memory.gateway.topK", 0, "must be greater than or equal to 1"),
        ("memory.gateway.topK", -3, "must be greater than or equal to 1"),
        ("memory.gateway.topK", 101, "must be less than or equal to 100"),
        ("memory.gateway.topK", 10**30, "must be less than or equal to 100"),
        ("server.port", 0, "must be greater than or equal to 1"),
        ("server.port", 65_536, "must be less than or equal to 65535"),
        ("gatewayServer.port", -1, "must be greater than or equal to 1"),
        ("queue.enqueueTimeoutMs", 10_001, "must be less than or equal to 10000"),
        ("provider.contextTokensMax", 1023, "must be greater than or equal to 1024"),
    ],
)
def test_a_count_keeps_its_bounds(path: str, value: int, rule: str) -> None:
    assert rule_of(path, value) == rule


@pytest.mark.parametrize("name", ["", "X Chat", "X-Chat:", "会话"])
def test_a_session_header_is_a_headers_name(name: str) -> None:
    assert rule_of("server.sessionHeaders", ["X-Chat", name]) == "must hold names of HTTP headers"


@pytest.mark.parametrize("name", ["", "*", "chat.example:8000", "http://chat.example", "::1"])
def test_an_allowed_host_has_no_port_and_no_wildcard(name: str) -> None:
    rule = "must hold host names or addresses without a port (IPv6 in brackets)"
    assert rule_of("server.allowedHosts", ["chat.example", "[::1]", name]) == rule


@pytest.mark.parametrize("value", [1, 100])
def test_the_bounds_themselves_are_allowed(value: int) -> None:
    assert parsed(changed("memory.gateway.topK", value))


@pytest.mark.parametrize("path", [*TEXTS, *SECRETS, *URLS])
@pytest.mark.parametrize("value", ["", " ", "\n\t ", "\u3000"])
def test_a_text_is_not_blank(path: str, value: str) -> None:
    assert rule_of(path, value) == "must not be blank"


@pytest.mark.parametrize("path", [*TEXTS, *SECRETS, *URLS])
@pytest.mark.parametrize("value", [7, 7.5, True, ["a"], {"a": "b"}])
def test_a_text_is_a_string(path: str, value: Any) -> None:
    assert rule_of(path, value) == "must be a string"


@pytest.mark.parametrize("path", [*TEXTS, *SECRETS, *URLS])
@pytest.mark.parametrize("value", ["a\x00b", "a\x1bb", "a\ud800b"])
def test_a_text_holds_nothing_that_no_protocol_carries(path: str, value: str) -> None:
    assert rule_of(path, value) == "must not hold control characters or half a surrogate pair"


@pytest.mark.parametrize("path", SECRETS)
@pytest.mark.parametrize("value", ["key\n", "key\r\nX-Other: 1", "a\tb"])
def test_a_key_holds_no_line_break(path: str, value: str) -> None:
    assert rule_of(path, value) == "must not hold line breaks or control characters"


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("127.0.0.1:8010", "must be an http or https URL with a host"),
        ("ftp://host", "must be an http or https URL with a host"),
        ("file:///etc/passwd", "must be an http or https URL with a host"),
        ("javascript:alert(1)", "must be an http or https URL with a host"),
        ("http://", "must be an http or https URL with a host"),
        ("http:///memories", "must be an http or https URL with a host"),
        ("http:host", "must be an http or https URL with a host"),
        ("http://host:port", "must be an http or https URL with a host"),
        ("http://host:70000", "must be an http or https URL with a host"),
        ("http://[::1", "must be an http or https URL with a host"),
        ("http://user@host", "must not hold user info"),
        ("http://user:pw@host", "must not hold user info"),
        ("http://@host", "must not hold user info"),
        ("http://host?x=1", "must not hold a query or a fragment"),
        ("http://host/?", "must not hold a query or a fragment"),
        ("http://host/#", "must not hold a query or a fragment"),
        ("http://ho\nst", "must not hold spaces or control characters"),
        ("http://ho st", "must not hold spaces or control characters"),
    ],
)
@pytest.mark.parametrize("path", URLS)
def test_a_base_url_is_http_with_a_host_and_nothing_secret(path: str, value: str, rule: str) -> None:
    assert rule_of(path, value) == rule


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("http://127.0.0.1:8010/", "http://127.0.0.1:8010"),
        ("https://host/api//", "https://host/api"),
        (" HTTPS://Host/api ", "HTTPS://Host/api"),
        ("http://[::1]:8010", "http://[::1]:8010"),
        ("http://bücher.example", "http://bücher.example"),
    ],
)
def test_a_base_url_loses_its_trailing_slash(value: str, kept: str) -> None:
    assert parsed(changed("provider.baseUrl", value)).provider.base_url == kept


@pytest.mark.parametrize(
    ("value", "field", "rule"),
    [
        ([], "memory.gateway.scope", "must not be empty"),
        (["resources", "resources"], "memory.gateway.scope", "must not repeat a scope"),
        (
            ["resources", "everything"],
            "memory.gateway.scope.1",
            "must be 'current_chat', 'resources' or 'all_user_memory'",
        ),
        ([True], "memory.gateway.scope.0", "must be 'current_chat', 'resources' or 'all_user_memory'"),
        ([[]], "memory.gateway.scope.0", "must be 'current_chat', 'resources' or 'all_user_memory'"),
        ("resources", "memory.gateway.scope", "must be a list"),
        ({"resources": True}, "memory.gateway.scope", "must be a list"),
        (None, "memory.gateway.scope", "must be a list"),
    ],
)
def test_scopes_are_some_of_the_three_each_once(value: Any, field: str, rule: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parsed(changed("memory.gateway.scope", value))

    assert (caught.value.field, caught.value.rule) == (field, rule)


@pytest.mark.parametrize("value", [1, 0, "true", None])
def test_a_switch_is_true_or_false(value: Any) -> None:
    assert rule_of("memory.gateway.honoursIdempotencyKey", value) == "must be true or false"


@pytest.mark.parametrize("value", ["http://host", "redis:host", "redis://", "localhost:6379"])
def test_a_queue_is_a_redis_url(value: str) -> None:
    assert rule_of("queue.redisUrl", value) == "must be a redis://, rediss://, unix:// or sentinel:// URL"


@pytest.mark.parametrize(
    "value", ["sentinel://one:26379,two:26379/main", "unix:///run/valkey.sock", "rediss://:pw@host:6380/1"]
)
def test_queue_urls_of_every_kind_are_taken(value: str) -> None:
    assert parsed(changed("queue.redisUrl", value)).redis_url == value


def test_a_database_file_lies_below_the_root_unless_its_path_is_absolute() -> None:
    paths = InstancePaths.at("/srv/beaver")

    def url(value: str) -> str:
        return parse_settings(paths, {"sessions": {"databaseUrl": value}}, {}).sessions_url

    assert url("sqlite:///data/one.db") == "sqlite:////srv/beaver/data/one.db"
    assert url("sqlite:////var/one.db") == "sqlite:////var/one.db"


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({"memroy": {}}, "memroy"),
        (changed("memory.gatway", {}), "memory.gatway"),
        (changed("memory.gateway.topk", 8), "memory.gateway.topk"),
        (changed("provider.key", "x"), "provider.key"),
        (changed("gatewayServer.admin", "x"), "gatewayServer.admin"),
        ({"memory": {"mode": "curated", "colour": "red"}}, "memory.colour"),
        # The names the models have in Python are no keys of the file.
        ({"gateway_server": {}}, "gateway_server"),
        (changed("memory.gateway.user_key", "uk_1"), "memory.gateway.user_key"),
        (changed("provider.timeout_seconds", 3), "provider.timeout_seconds"),
    ],
)
def test_an_unknown_key_is_an_error_at_every_level(document: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parsed(document)

    assert (caught.value.field, caught.value.rule) == (field, "is not a known key")


@pytest.mark.parametrize("section", ["provider", "agent", "sessions", "queue", "worker", "server", "gatewayServer"])
@pytest.mark.parametrize("value", [[], "x", 7, True, None])
def test_a_section_is_an_object(section: str, value: Any) -> None:
    assert rule_of(section, value) == "must be an object"


@pytest.mark.parametrize("value", [[], "x", 7, True])
def test_the_memory_section_is_an_object(value: Any) -> None:
    assert rule_of("memory", value) == "must be an object"
