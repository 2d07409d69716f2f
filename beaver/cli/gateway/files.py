"""`beaver gateway export` and `import`: a user's memory as a file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from beaver.cli.gateway.desk import AppId, ProjectId, User, memory, namespace_of, progress
from beaver.cli.options import Json, Root
from beaver.cli.output import one_line, print_json

if TYPE_CHECKING:
    from beaver.memory.namespace import Namespace
    from beaver.memory.portability.export import Exported
    from beaver.memory.portability.learning import Learned
    from beaver.memory.portability.merging import Merged


FAILED_SHOWN_MAX: Final = 5
"""Sessions that are named where many failed."""


def export(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", dir_okay=False, help="The file to write; it must not be there yet.")
    ],
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
) -> None:
    """Write all of a user's memory to a file that only you can read. Keys are not in it."""
    import asyncio

    from beaver.errors import Conflict

    if file.exists():
        raise Conflict("the file is there already: name another, or remove it")
    exported = asyncio.run(_export(root, file, namespace_of(root, user, app_id, project_id), as_json))
    if as_json:
        print_json({"file": str(file), "counts": dict(exported.counts), "sha256": exported.sha256})
    else:
        typer.echo(f"Wrote {sum(exported.counts.values())} lines to {one_line(file)}.")


async def _export(root: Path | None, file: Path, whose: Namespace, as_json: bool) -> Exported:
    import os

    from beaver.errors import InvalidInput
    from beaver.files import PRIVATE_FILE_MODE

    partial = file.with_name(f"{file.name}.partial")
    try:
        # What lies there, a leftover of a killed one or something that others have laid out for us, is not written to.
        partial.unlink(missing_ok=True)
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE_MODE), "wb") as target:
            async with memory(root, of=whose) as runtime:
                with progress("Exporting", as_json=as_json) as on_progress:
                    exported = await runtime.export(whose, target, on_progress)
        partial.replace(file)
    except OSError as error:
        raise InvalidInput("file", f"cannot be written: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)
    return exported


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", exists=True, dir_okay=False, help="A file that `export` wrote; with --from, another's."
        ),
    ],
    user: User = None,
    root: Root = None,
    as_json: Json = False,
    app_id: AppId = None,
    project_id: ProjectId = None,
    merge: Annotated[
        bool, typer.Option("--merge", help="Add what is not there yet; what was forgotten stays out.")
    ] = False,
    shape: Annotated[
        str | None,
        typer.Option("--from", metavar="SHAPE", help="conversations, curated, mem0, everos, chatgpt or claude."),
    ] = None,
    flush: Annotated[
        bool,
        typer.Option("--flush/--no-flush", help="With --from: learn from the sessions once their messages are in."),
    ] = True,
) -> None:
    """Take a user's memory over from a file: all of it or nothing, into an empty memory; with --merge, what is missing.

    A running Gateway serves everybody meanwhile; of a restore it shows nothing until all of it is there. From conversations it
    learns as a flush does, by the configured model where there is one. The same command again goes on where it broke off.
    """
    import asyncio

    whose = namespace_of(root, user, app_id, project_id)
    merged = asyncio.run(_import(root, file, whose, merge, shape, as_json))
    learned = asyncio.run(_learn(root, file, whose, shape, as_json)) if shape is not None and flush else None
    if as_json:
        print_json({**asdict(merged), **({} if learned is None else {"learned": asdict(learned)})})
        return
    typer.echo(f"{merged.changed} new, {merged.unchanged} known already, {merged.left_out} left out as forgotten.")
    if learned is not None:
        _tell(learned)


async def _import(
    root: Path | None, file: Path, whose: Namespace, merge: bool, shape: str | None, as_json: bool
) -> Merged:
    with file.open("rb") as source:
        async with memory(root, of=whose) as runtime:
            with progress("Importing", as_json=as_json) as on_progress:
                if shape is not None:
                    return await runtime.take_over(whose, source, shape, on_progress)
                take = runtime.merge if merge else runtime.restore
                return await take(whose, source, on_progress)


async def _learn(root: Path | None, file: Path, whose: Namespace, shape: str, as_json: bool) -> Learned:
    with file.open("rb") as source:
        async with memory(root, of=whose, learning=True) as runtime:
            with progress("Learning", as_json=as_json) as on_progress:
                return await runtime.learn_from(whose, source, shape, on_progress)


def _tell(learned: Learned) -> None:
    if learned.sessions:
        taken_back = f", {learned.taken_back} taken back" if learned.taken_back else ""
        typer.echo(f"{learned.captured} learned from {learned.sessions} sessions{taken_back}.")
    for one in learned.failed[:FAILED_SHOWN_MAX]:
        typer.echo(f"Nothing was learned from {one_line(one.session_id)} ({one.error}).", err=True)
    missing = len(learned.failed) + learned.left
    if missing:
        typer.echo(f"{missing} sessions are stored and wait to be learned from: import the file once more.", err=True)
