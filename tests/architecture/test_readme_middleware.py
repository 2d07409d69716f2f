"""The README's example of a middleware is one: it is installed by its entry point and changes a run."""

from __future__ import annotations

import re
import sys
import tomllib
import types
from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from beaver.agent.middleware import ENTRY_POINTS, installed_middlewares
from beaver.db.engine import Database
from tests.architecture.readme import README
from tests.support.engine import Tells, asks, engine, says

TEXT = README.read_text(encoding="utf-8")


@pytest.fixture
def entry_point() -> Iterator[EntryPoint]:
    """The example as a module that can be imported, and the entry point that names it."""
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    (project,) = re.findall(r"```toml\n(.*?)```", TEXT, re.S)
    ((name, value),) = tomllib.loads(project)["project"]["entry-points"][ENTRY_POINTS].items()
    module_name = value.partition(":")[0]
    module = types.ModuleType(module_name)
    exec(compile(code, "README.md", "exec"), module.__dict__)
    sys.modules[module_name] = module
    yield EntryPoint(name, value, ENTRY_POINTS)
    del sys.modules[module_name]


async def test_the_example_is_installed_and_its_hooks_are_called(
    entry_point: EntryPoint, sqlite_database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    (middleware,), warnings = installed_middlewares([entry_point])
    assert warnings == ()
    built = engine(
        sqlite_database, [asks(("lookup", {})), says("Until five.")], tools=[Tells()], middlewares=[middleware]
    )
    await built.ask("How long is the office open?")
    references = [message.text for message in built.provider.requests[0].messages if message.label == "reference"]
    assert references == ["Reference: the office is open from 9 to 17."]
    assert vars(middleware)["answers"] == 1
    assert "lookup worked" in capsys.readouterr().out
