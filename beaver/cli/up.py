"""`beaver up`: every part of this folder's Beaver, kept alive until Ctrl-C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beaver.cli.options import Json, Root, instance_paths

if TYPE_CHECKING:
    import asyncio

    from beaver.cli.part_finding import PartFinding
    from beaver.cli.up_report import Report
    from beaver.config.paths import InstancePaths
    from beaver.config.settings import Settings
    from beaver.embedded.instance import Instance


def up(root: Root = None, as_json: Json = False) -> None:
    """Run all of Beaver here until Ctrl-C.

    Starts the queue, the Memory Gateway, a worker and a chat server, and keeps them alive. Where no configuration is, it
    makes one.
    """
    import asyncio

    from beaver.cli.up_report import choose_report

    paths = instance_paths(root)
    with choose_report(as_json=as_json) as report:
        asyncio.run(_up(paths, report))


async def _up(paths: InstancePaths, report: Report) -> None:
    import asyncio
    import os
    from contextlib import suppress

    from beaver.embedded.instance import Instance
    from beaver.embedded.run_state import InstanceLock

    lock = InstanceLock(paths)
    lock.take()
    with lock:
        instance = Instance(paths, os.environ, "up", report.part, lambda: report.provisioned(paths.config))
        keeping = asyncio.create_task(_keep(instance, report))
        _stop_on_signals(keeping, instance, report)
        with suppress(asyncio.CancelledError):
            await keeping
    report.stopped()


async def _keep(instance: Instance, report: Report) -> None:
    import asyncio

    from beaver.config.memory import DegradedHybrid, degradation_warning
    from beaver.config.provider import NO_MODEL, OFFLINE

    async with instance:
        if isinstance(instance.settings.memory, DegradedHybrid):
            report.warning(degradation_warning(instance.settings.memory))
        if instance.settings.provider.kind == OFFLINE:
            report.note(NO_MODEL)
        await instance.supervisor.wait_ready(within_s=None)
        missing = await _missing(instance.settings)
        report.ready(instance.supervisor.statuses, missing)
        await asyncio.Event().wait()


async def _missing(settings: Settings) -> list[PartFinding]:
    # Imported no sooner: the client of the Gateway would slow down the start of the parts.
    from beaver.cli.shortfalls import shortfalls

    return await shortfalls(settings)


def _stop_on_signals(keeping: asyncio.Task[None], instance: Instance, report: Report) -> None:
    """The first signal drains the parts; a second one kills those that are not done yet."""
    import asyncio
    import signal

    asked = False

    def stop() -> None:
        nonlocal asked
        if asked:
            instance.supervisor.hurry()
            return
        asked = True
        report.stopping()
        keeping.cancel()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop)
