"""All the parts of one folder for the length of a block: what `beaver up` runs, and what a one-shot chat borrows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Final

from beaver.config.loader import load_settings
from beaver.config.paths import InstancePaths
from beaver.config.settings import Settings
from beaver.embedded import parts
from beaver.embedded.probes import answers_ping, port_is_free
from beaver.embedded.provision import provision, with_free_ports
from beaver.embedded.run_state import Kind, write_run_state
from beaver.embedded.supervisor import OnChange, Supervisor
from beaver.errors import Conflict

READY_WITHIN_S: Final = 30.0
# The parts of a Beaver that was killed a moment ago are still finishing.
_FORMER_PARTS_GONE_WITHIN_S: Final = 5.0


class Instance:
    """Owns a folder's parts. The caller holds the folder's InstanceLock; entering starts the parts (a chat's worker comes
    later), leaving drains them.

    Entering raises ConfigError, Conflict (a port or the queue is taken), Unavailable (no queue server, a part that does
    not start). `on_provisioned` is called once a configuration was written, and only then.
    """

    def __init__(
        self,
        paths: InstancePaths,
        env: Mapping[str, str],
        kind: Kind,
        on_change: OnChange,
        on_provisioned: Callable[[], None],
    ) -> None:
        self.paths = paths
        self.kind: Kind = kind
        self.supervisor = Supervisor(paths.logs, {**env, "BEAVER_ROOT": str(paths.root)}, on_change)
        self._env = env
        self._on_provisioned = on_provisioned

    async def __aenter__(self) -> Instance:
        try:
            self.settings = await self._start()
        except BaseException:
            await self.supervisor.stop()
            raise
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.supervisor.stop()

    def start_worker(self) -> None:
        """For a chat: the worker is not needed before the answer, and its start would slow the answer down."""
        self._start_worker(self.settings)

    async def _start(self) -> Settings:
        settings = load_settings(self.paths, self._env)
        first_time = not self.paths.config.exists()
        if first_time:
            settings = with_free_ports(settings)
        await self._check_nothing_is_in_the_way(settings)
        self._start_what_remembers(settings)
        if first_time:
            await self.supervisor.wait_ready(parts.GATEWAY, within_s=READY_WITHIN_S)
            await provision(settings)
            settings = load_settings(self.paths, self._env)
            self._on_provisioned()
        if self.kind == "up":
            self._start_worker(settings)
            self.supervisor.start(parts.server_part(settings))
        write_run_state(self.paths, self.kind, {part.name: part.address for part in self.supervisor.statuses})
        return settings

    async def _check_nothing_is_in_the_way(self, settings: Settings) -> None:
        if parts.runs_gateway(settings):
            listen = settings.gateway_server
            await _wait_for_port(listen.host, listen.port, "gatewayServer.port")
        if self.kind == "up":
            await _wait_for_port(settings.server.host, settings.server.port, "server.port")
        if parts.runs_queue(settings):
            await _wait_for_queue(settings)

    def _start_what_remembers(self, settings: Settings) -> None:
        if parts.runs_queue(settings):
            self.supervisor.start(parts.queue_part(settings))
        if parts.runs_gateway(settings):
            self.supervisor.start(parts.gateway_part(settings))

    def _start_worker(self, settings: Settings) -> None:
        if parts.runs_worker(settings):
            self.supervisor.start(parts.worker_part(settings))


async def _wait_for_port(host: str, port: int, field: str) -> None:
    give_up = time.monotonic() + _FORMER_PARTS_GONE_WITHIN_S
    while not port_is_free(host, port):
        if time.monotonic() > give_up:
            raise Conflict(
                f"port {port} on {host} is taken by another program: stop that program, or set another {field} "
                "in .beaver/config.json"
            )
        await asyncio.sleep(0.05)


async def _wait_for_queue(settings: Settings) -> None:
    give_up = time.monotonic() + _FORMER_PARTS_GONE_WITHIN_S
    while await answers_ping(settings.paths.queue_socket):
        if time.monotonic() > give_up:
            raise Conflict(
                "another queue server still uses .beaver/queue: end the valkey-server (or redis-server) of this folder"
            )
        await asyncio.sleep(0.05)
