"""Frozen, typed settings: one model a section of `.beaver/config.json`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Annotated, Final, Literal
from urllib.parse import quote, unquote

from pydantic import Field, field_validator

from beaver.config.embedding import EmbeddingSettings
from beaver.config.language_model import LanguageModelSettings
from beaver.config.memory import MemoryPlan, MemorySection, gateway_of
from beaver.config.memory_policy import MemoryPolicySettings
from beaver.config.paths import InstancePaths
from beaver.config.prompt_index import PromptIndexSettings
from beaver.config.retention import RetentionSettings
from beaver.config.rules import DatabaseUrl, HttpUrl, NotBlank, Number, RedisUrl, Secret, Section, Whole

Port = Annotated[Whole, Field(ge=1, le=65535)]


class ProviderSettings(Section):
    """Which model answers."""

    kind: Annotated[
        Literal["offline", "openai", "anthropic", "scripted"],
        Field(
            description="`offline` (no model), `openai` (any OpenAI-compatible API), `anthropic`, `scripted` (tests)."
        ),
    ] = "offline"
    model: Annotated[NotBlank | None, Field(description="The model's name at the provider.")] = None
    api_key: Annotated[Secret | None, Field(description="The provider's key. A secret.")] = None
    base_url: Annotated[HttpUrl | None, Field(description="Another API root: Ollama, vLLM, llama.cpp, a proxy.")] = None
    timeout_seconds: Annotated[Number, Field(gt=0, description="Most seconds between two pieces of an answer.")] = 60
    output_tokens_max: Annotated[Whole, Field(ge=1, description="Most tokens of one answer.")] = 4096
    context_tokens_max: Annotated[Whole, Field(ge=1024, description="The model's context, for trimming history.")] = (
        128_000
    )
    script: Annotated[NotBlank | None, Field(description="For `scripted`: a JSON file of answers, below the root.")] = (
        None
    )


class AgentSettings(Section):
    """How a run behaves."""

    identity: Annotated[NotBlank, Field(description="The first paragraph of the system prompt.")] = (
        "You are Beaver, a careful assistant. Answer plainly and say so when you do not know."
    )
    tool_rounds_max: Annotated[Whole, Field(ge=1, le=1000, description="Most rounds of tool calls in a run.")] = 50
    tool_timeout_seconds: Annotated[Number, Field(gt=0, description="Most seconds one tool call may take.")] = 60


class SessionsSettings(Section):
    """The session store: events, runs and the outbox."""

    database_url: Annotated[
        DatabaseUrl | None,
        Field(
            description="`sqlite:///file` or `postgresql://…`; without it, `.beaver/sessions.db`. May hold a secret."
        ),
    ] = None


class QueueSettings(Section):
    """The Redis or Valkey server under arq."""

    redis_url: Annotated[
        RedisUrl | None,
        Field(
            description="`redis://`, `rediss://`, `unix://`, `sentinel://`; without it, the embedded one. May hold a secret."
        ),
    ] = None
    enqueue_timeout_ms: Annotated[
        Whole, Field(ge=1, le=10_000, description="Most milliseconds an answer's process spends on ringing the queue.")
    ] = 300


class WorkerSettings(Section):
    """The persist worker."""

    max_jobs: Annotated[Whole, Field(ge=1, le=1000, description="Turns in flight at once in one worker.")] = 100
    drain_seconds: Annotated[Number, Field(gt=0, description="Seconds to finish what is in flight after SIGTERM.")] = 30
    sweep_seconds: Annotated[Number, Field(gt=0, description="Seconds between two looks at the ledger.")] = 5
    metrics_port: Annotated[
        Port | None,
        Field(description="Port on which the worker tells Prometheus its metrics; without it, it does not."),
    ] = None
    metrics_host: Annotated[NotBlank, Field(description="Address to tell the metrics on.")] = "127.0.0.1"


class ServerSettings(Section):
    """The chat server."""

    host: Annotated[NotBlank, Field(description="Address to listen on.")] = "127.0.0.1"
    port: Annotated[Port, Field(description="Port to listen on.")] = 8000
    session_headers: Annotated[
        tuple[str, ...],
        Field(description="Further request headers of front ends that name the session, the first before the others."),
    ] = ()
    drain_seconds: Annotated[
        Number, Field(gt=0, description="Seconds to finish the runs and streams under way after SIGTERM.")
    ] = 30
    runs_max: Annotated[
        Whole,
        Field(ge=1, le=10_000, description="Runs under way at once in one process; a further one is refused (429)."),
    ] = 100
    busy_policy: Annotated[
        Literal["enqueue", "reject", "interrupt"],
        Field(description="A message to a session with a run under way waits, is refused, or stops that run."),
    ] = "enqueue"
    on_disconnect: Annotated[
        Literal["continue", "cancel"],
        Field(description="What becomes of a run whose last listener hangs up."),
    ] = "continue"

    require_keys: Annotated[
        bool | None,
        Field(description="Whether requests must hold an API key; without it, beyond a loopback address they must."),
    ] = None
    allowed_hosts: Annotated[
        tuple[str, ...],
        Field(description="Hosts, without a port, that requests may name; on a loopback address further ones."),
    ] = ()
    cors_origins: Annotated[
        tuple[str, ...],
        Field(description="Origins (`https://app.example`) whose pages may use the API from a browser."),
    ] = ()
    trusted_proxies: Annotated[
        tuple[str, ...],
        Field(description="Addresses or networks of proxies before the server whose `X-Forwarded-For` is believed."),
    ] = ()
    rate_limit_per_minute: Annotated[
        Whole | None,
        Field(
            ge=1,
            le=1_000_000,
            description="Requests that start a run, a minute and key (or address, without keys), at all servers.",
        ),
    ] = None
    runs_per_key: Annotated[
        Whole | None,
        Field(
            ge=1, le=10_000, description="Runs of one key (or address, without keys) under way at once, at all servers."
        ),
    ] = None

    @field_validator("allowed_hosts")
    @classmethod
    def _host_names(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if not all(re.fullmatch(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]", name) for name in names):
            raise ValueError("must hold host names or addresses without a port (IPv6 in brackets)")
        return names

    @field_validator("cors_origins")
    @classmethod
    def _origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        if not all(
            re.fullmatch(r"https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", origin) for origin in origins
        ):
            raise ValueError("must hold origins in lower case, scheme://host or scheme://host:port, and never *")
        return origins

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, proxies: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(str(ip_network(proxy)) for proxy in proxies)
        except ValueError:
            raise ValueError("must hold IP addresses or networks (10.0.0.0/8)") from None

    @field_validator("session_headers")
    @classmethod
    def _header_names(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if not all(re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name) for name in names):
            raise ValueError("must hold names of HTTP headers")
        return names


GATEWAY_DRAIN_S: Final = 10
"""How long our Gateway server takes at most to finish its requests after SIGTERM; whoever stops it gives it more."""


class GatewayServerSettings(Section):
    """Our own Memory Gateway server."""

    host: Annotated[NotBlank, Field(description="Address to listen on.")] = "127.0.0.1"
    port: Annotated[Port, Field(description="Port to listen on.")] = 8010
    database_url: Annotated[
        DatabaseUrl | None,
        Field(description="`sqlite:///file` or `postgresql://…`; without it, `.beaver/gateway.db`. May hold a secret."),
    ] = None
    admin_key: Annotated[
        Secret | None,
        Field(description="Needed to make users and keys over HTTP; without it, this machine alone may. A secret."),
    ] = None
    rate_limit_per_minute: Annotated[
        int | None, Field(strict=True, ge=1, le=1_000_000, description="Requests of one user, a minute and process.")
    ] = None
    index_megabytes: Annotated[
        int,
        Field(
            strict=True,
            ge=16,
            le=65_536,
            description="What a process keeps of the memories that it searched last: one that fits is not read again.",
        ),
    ] = 128
    model: LanguageModelSettings = LanguageModelSettings()
    prompt_index: PromptIndexSettings = PromptIndexSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    retention: RetentionSettings = RetentionSettings()


class ConfigFile(Section):
    """The whole file."""

    memory: MemorySection | None = None
    provider: ProviderSettings = ProviderSettings()
    agent: AgentSettings = AgentSettings()
    sessions: SessionsSettings = SessionsSettings()
    queue: QueueSettings = QueueSettings()
    worker: WorkerSettings = WorkerSettings()
    server: ServerSettings = ServerSettings()
    gateway_server: GatewayServerSettings = GatewayServerSettings()


@dataclass(frozen=True)
class Settings:
    """What a process is given: the parsed file, the memory plan it comes to, and where the instance lies."""

    paths: InstancePaths
    memory: MemoryPlan
    memory_policy: MemoryPolicySettings
    provider: ProviderSettings
    agent: AgentSettings
    sessions: SessionsSettings
    queue: QueueSettings
    worker: WorkerSettings
    server: ServerSettings
    gateway_server: GatewayServerSettings

    @property
    def sessions_url(self) -> str:
        """SQLAlchemy-neutral URL of the session database (`sqlite:///` with an absolute path, or `postgresql://`). A secret."""
        return _database_url(self.paths, self.sessions.database_url, "sessions.db")

    @property
    def gateway_url(self) -> str:
        """The same for the Memory Gateway server's own database."""
        return _database_url(self.paths, self.gateway_server.database_url, "gateway.db")

    @property
    def items_url(self) -> str:
        """The same for the host's own store of distilled items."""
        return _database_url(self.paths, self.memory_policy.database_url, "items.db")

    @property
    def redis_url(self) -> str:
        """URL of the queue server: the configured one, or the embedded one's unix socket. A secret."""
        configured = self.queue.redis_url
        return configured.get_secret_value() if configured else f"unix://{quote(str(self.paths.queue_socket))}"

    @property
    def embeds_queue(self) -> bool:
        """Whether this instance runs its own queue server."""
        return self.queue.redis_url is None

    def secrets(self) -> list[str]:
        """Every exact value that must not be shown, for a Redactor: keys, URLs that may hold a credential, their passwords."""
        gateway = gateway_of(self.memory)
        keys = [
            self.provider.api_key,
            self.gateway_server.admin_key,
            self.gateway_server.model.api_key,
            self.gateway_server.embedding.api_key,
            *(each.user_key for each in (gateway.of_each_user() if gateway else ())),
        ]
        urls = [
            self.sessions.database_url,
            self.queue.redis_url,
            self.gateway_server.database_url,
            self.memory_policy.database_url,
        ]
        telling = [url.get_secret_value() for url in urls if url is not None and _may_tell(url.get_secret_value())]
        shown_nowhere = [key.get_secret_value() for key in keys if key is not None] + telling
        passwords = [password for url in telling for password in _passwords(url)]
        return [*shown_nowhere, *(form for password in passwords for form in {password, unquote(password)} if form)]


def _may_tell(url: str) -> bool:
    """Whether a URL has room for a credential; a bare address helps whoever reads a log."""
    return "@" in url or "?" in url


def _passwords(url: str) -> list[str]:
    user_info = url.partition("://")[2].partition("/")[0].rpartition("@")[0]
    query = (pair.partition("=") for pair in url.partition("?")[2].split("&"))
    return [user_info.partition(":")[2], *(value for name, _, value in query if name.endswith("password"))]


def _database_url(paths: InstancePaths, configured: DatabaseUrl | None, name: str) -> str:
    if configured is None:
        return f"sqlite:///{paths.home / name}"
    url = configured.get_secret_value()
    if url.startswith("sqlite:///"):
        return f"sqlite:///{(paths.root / url.removeprefix('sqlite:///')).resolve()}"
    return url
