"""What a chat server needs of the whole file before it starts, beyond the rules that each value keeps by itself."""

from __future__ import annotations

from collections.abc import Iterator

from beaver.config.hosts import is_loopback
from beaver.config.paths import InstancePaths
from beaver.config.settings import ProviderSettings, ServerSettings
from beaver.config.violations import Violation


def lacks_of_provider(provider: ProviderSettings, paths: InstancePaths) -> Iterator[Violation]:
    """What the chosen kind of provider needs and does not have."""
    needed = f"is required when provider.kind is {provider.kind}"
    match provider.kind:
        case "openai" | "anthropic":
            if provider.model is None:
                yield Violation("provider.model", needed)
            if provider.api_key is None and not _is_elsewhere(provider):
                unless = " and provider.baseUrl is absent" if provider.kind == "openai" else ""
                yield Violation("provider.apiKey", needed + unless)
        case "scripted":
            if provider.script is None:
                yield Violation("provider.script", needed)
            elif not (paths.root / provider.script).resolve().is_relative_to(paths.root):
                yield Violation("provider.script", "must lie below the instance's root folder")


def _is_elsewhere(provider: ProviderSettings) -> bool:
    """Whether the API is another than OpenAI's own: that one may ask for no key."""
    return provider.kind == "openai" and provider.base_url is not None


def needs_keys(server: ServerSettings) -> bool:
    """Whether requests must hold a key: as set, else for any address beyond this machine."""
    return not is_loopback(server.host) if server.require_keys is None else server.require_keys


def lacks_of_server(server: ServerSettings) -> Iterator[Violation]:
    """Nobody beyond this machine may reach a server that asks for no keys."""
    if not is_loopback(server.host) and not needs_keys(server):
        yield Violation(
            "server.requireKeys",
            "must not be false unless server.host is a loopback address (127.0.0.1, ::1, localhost)",
        )
