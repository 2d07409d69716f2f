"""From the `provider` section to a provider."""

from __future__ import annotations

from typing import TypeVar, assert_never

from beaver.agent.providers.base import Provider
from beaver.config.chat_needs import lacks_of_provider
from beaver.config.paths import InstancePaths
from beaver.config.settings import ProviderSettings

T = TypeVar("T")


def build_provider(settings: ProviderSettings, paths: InstancePaths) -> Provider:
    """The configured provider; it has connected to nothing yet. Raises ConfigError naming the field of `provider`.

    Imports only what the kind needs: the SDKs are slow to import and may not be installed.
    """
    for lack in lacks_of_provider(settings, paths):
        raise lack.error()
    match settings.kind:
        case "offline":
            from beaver.agent.providers.offline import OfflineProvider

            return OfflineProvider()
        case "scripted":
            from beaver.agent.providers.scripted import ScriptedProvider

            return ScriptedProvider.from_file((paths.root / _there(settings.script)).resolve())
        case "openai":
            from beaver.agent.providers.openai import OpenAIProvider

            return OpenAIProvider(
                model=_there(settings.model),
                api_key=settings.api_key,
                base_url=settings.base_url,
                timeout_s=settings.timeout_seconds,
            )
        case "anthropic":
            from beaver.agent.providers.anthropic import AnthropicProvider

            return AnthropicProvider(
                model=_there(settings.model),
                api_key=_there(settings.api_key),
                base_url=settings.base_url,
                timeout_s=settings.timeout_seconds,
            )
        case _:
            assert_never(settings.kind)


def _there(value: T | None) -> T:
    assert value is not None  # noqa: S101 - lacks_of_provider has looked
    return value
