"""From the `provider` section to a provider."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from pydantic import SecretStr

from beaver.agent.providers.base import Provider
from beaver.config.paths import InstancePaths
from beaver.config.settings import ProviderSettings
from beaver.errors import ConfigError


def build_provider(settings: ProviderSettings, paths: InstancePaths) -> Provider:
    """The configured provider; it has connected to nothing yet. Raises ConfigError naming the field of `provider`.

    Imports only what the kind needs: the SDKs are slow to import and may not be installed.
    """
    match settings.kind:
        case "offline":
            from beaver.agent.providers.offline import OfflineProvider

            return OfflineProvider()
        case "scripted":
            from beaver.agent.providers.scripted import ScriptedProvider

            return ScriptedProvider.from_file(_script(settings, paths))
        case "openai":
            from beaver.agent.providers.openai import OpenAIProvider

            return OpenAIProvider(
                model=_model(settings),
                api_key=settings.api_key if settings.base_url else _api_key(settings),
                base_url=settings.base_url,
                timeout_s=settings.timeout_seconds,
            )
        case "anthropic":
            from beaver.agent.providers.anthropic import AnthropicProvider

            return AnthropicProvider(
                model=_model(settings),
                api_key=_api_key(settings),
                base_url=settings.base_url,
                timeout_s=settings.timeout_seconds,
            )
        case _:
            assert_never(settings.kind)


def _model(settings: ProviderSettings) -> str:
    if settings.model is None:
        raise ConfigError("provider.model", f"is required when provider.kind is {settings.kind}")
    return settings.model


def _api_key(settings: ProviderSettings) -> SecretStr:
    if settings.api_key is None:
        unless = " and provider.baseUrl is absent" if settings.kind == "openai" else ""
        raise ConfigError("provider.apiKey", f"is required when provider.kind is {settings.kind}{unless}")
    return settings.api_key


def _script(settings: ProviderSettings, paths: InstancePaths) -> Path:
    if settings.script is None:
        raise ConfigError("provider.script", "is required when provider.kind is scripted")
    path = (paths.root / settings.script).resolve()
    if not path.is_relative_to(paths.root):
        raise ConfigError("provider.script", "must lie below the instance's root folder")
    return path
