"""What a language model and an encoder need, by their provider."""

from __future__ import annotations

from typing import Any

import pytest

from beaver.errors import ConfigError
from tests.unit.config.samples import changed, parsed


def rule_of_document(document: dict[str, Any]) -> tuple[str, str]:
    with pytest.raises(ConfigError) as caught:
        parsed(document)
    return caught.value.field, caught.value.rule


@pytest.mark.parametrize(
    ("provider", "missing"),
    [
        ("openai", "model"),
        ("openai", "apiKey"),
        ("anthropic", "model"),
        ("anthropic", "apiKey"),
        ("openai-compatible", "model"),
        ("openai-compatible", "baseUrl"),
    ],
)
def test_a_language_model_has_what_its_provider_needs(provider: str, missing: str) -> None:
    document = changed("gatewayServer.model.provider", provider)

    assert rule_of_document(changed(f"gatewayServer.model.{missing}", None, document)) == (
        f"gatewayServer.model.{missing}",
        f"is required for {provider}",
    )


@pytest.mark.parametrize("section", ["gatewayServer.model", "gatewayServer.embedding"])
def test_a_field_that_is_absent_is_named_as_the_file_would_name_it(section: str) -> None:
    needy = {"provider": "openai", "model": "one", **({} if section.endswith("model") else {"dimensions": 8})}
    assert rule_of_document(changed(section, needy)) == (f"{section}.apiKey", "is required for openai")
    needy["provider"] = "openai-compatible"
    assert rule_of_document(changed(section, needy)) == (f"{section}.baseUrl", "is required for openai-compatible")


def test_without_a_provider_a_language_model_needs_nothing() -> None:
    assert parsed(changed("gatewayServer.model", {})).gateway_server.model.provider == "none"


@pytest.mark.parametrize("provider", ["openai", "voyage", "cohere", "openai-compatible"])
@pytest.mark.parametrize("missing", ["model", "dimensions"])
def test_an_encoder_of_a_service_is_named_with_its_dimensions(provider: str, missing: str) -> None:
    document = changed("gatewayServer.embedding.provider", provider)

    assert rule_of_document(changed(f"gatewayServer.embedding.{missing}", None, document)) == (
        f"gatewayServer.embedding.{missing}",
        f"is required for {provider}",
    )


@pytest.mark.parametrize(
    ("provider", "missing"),
    [("openai", "apiKey"), ("voyage", "apiKey"), ("cohere", "apiKey"), ("openai-compatible", "baseUrl")],
)
def test_an_encoder_of_a_service_has_what_its_service_needs(provider: str, missing: str) -> None:
    document = changed("gatewayServer.embedding.provider", provider)

    assert rule_of_document(changed(f"gatewayServer.embedding.{missing}", None, document)) == (
        f"gatewayServer.embedding.{missing}",
        f"is required for {provider}",
    )


@pytest.mark.parametrize("value", [0, -1, 8193, 1.5, "384", True])
def test_the_dimensions_of_vectors_lie_between_1_and_8192(value: Any) -> None:
    field, _ = rule_of_document(changed("gatewayServer.embedding.dimensions", value))
    assert field == "gatewayServer.embedding.dimensions"


def test_without_a_word_the_encoder_is_the_local_one_and_needs_nothing() -> None:
    assert parsed(changed("gatewayServer.embedding", {})).gateway_server.embedding.provider == "local"
