"""Real parts for every test: a PostgreSQL and a Valkey for each test process, a fresh database for each test."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

from beaver.db.engine import Database
from tests.support.alone import forget_locks, in_its_turn, must_be_alone
from tests.support.brisk_servers import hurry
from tests.support.databases import SESSION_MIGRATIONS, lent, migrate, put_migrated
from tests.support.lending import Lender
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.valkey import ValkeyServer, running_valkey

# The same examples in every run, so that a red run can be run again; `--hypothesis-profile=default` looks further.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("steady")

TEST_PROCESSES_MAX = 8
TESTS = Path(__file__).parent
WAITING = ("drills", "e2e")
COLLECTOR_THRESHOLDS = (10_000, 10, 10)
"""Lower than a server's, as a test leaves whole applications behind."""


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One test process more than processors, as tests mostly wait for processes; none where starting them wins nothing."""
    if config.option.markexpr == "soak" or config.option.keyword or _asks_for_little(config.args):
        return 0
    return min(TEST_PROCESSES_MAX, (os.cpu_count() or 1) + 1)


def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """First what must be alone, which would else wait for the longest test under way; then what others wait for, or waits.

    Drills wait most of their time. Begun first, they do so beside tests that compute; at the end, all processes would wait.
    """
    items.sort(
        key=lambda item: (
            not must_be_alone(item),
            "default_ports" not in item.fixturenames,
            item.path.relative_to(TESTS).parts[0] not in WAITING,
        )
    )


def pytest_collection_finish() -> None:
    """What is loaded by now stays to the end: to look through it for garbage again and again was a tenth of all work."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Outside of all else, so that no test's time begins while it waits for its turn."""
    with in_its_turn(item):
        return (yield)


def pytest_sessionfinish() -> None:
    """Nothing of the turns stays behind."""
    forget_locks()


def pytest_configure(config: pytest.Config) -> None:
    """Look for garbage seldom; and where Python is told to keep no compiled code, keep it for the length of the run.

    The tests start hundreds of processes, and each would compile the whole stack anew: two thirds of its start.
    """
    gc.set_threshold(*COLLECTOR_THRESHOLDS)
    if sys.dont_write_bytecode:
        folder = tempfile.mkdtemp(prefix="beaver-compiled-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
        sys.dont_write_bytecode, sys.pycache_prefix = False, folder
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture(scope="session", autouse=True)
def brisk_servers() -> Iterator[None]:
    """Servers in this process end at once, not with a fifth of a second of pauses."""
    with pytest.MonkeyPatch.context() as patch:
        hurry(patch)
        yield


@pytest.fixture(autouse=True)
def no_root_left() -> Iterator[None]:
    """A command that ran in this process with --root leaves it in the environment, which processes of later tests would get."""
    yield
    os.environ.pop("BEAVER_ROOT", None)


def _asks_for_little(arguments: list[str]) -> bool:
    """Whether one file is asked for, or tests by their ids."""
    return all("::" in each for each in arguments) or (len(arguments) == 1 and arguments[0].endswith(".py"))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
async def postgres_template(postgres_server: PostgresServer) -> str:
    """A database with the migrated schema, to clone."""
    name = await postgres_server.create_database()
    await migrate(postgres_server.url(name), SESSION_MIGRATIONS)
    return name


@pytest.fixture(scope="session")
def session_databases(postgres_server: PostgresServer, postgres_template: str) -> Lender:
    """Lends session databases of PostgreSQL."""
    return Lender(postgres_server, postgres_template)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """URL of an empty session database in a file of its own."""
    return put_migrated(tmp_path / "sessions.db", SESSION_MIGRATIONS)


@pytest.fixture(params=["sqlite", "postgresql"])
def lender(request: pytest.FixtureRequest) -> Lender | None:
    """None for SQLite. Not async: fixtures are asked for by name outside the running loop only."""
    return request.getfixturevalue("session_databases") if request.param == "postgresql" else None


@pytest.fixture
async def database_url(lender: Lender | None, sqlite_url: str) -> AsyncIterator[str]:
    """URL of an empty session database with its schema, on both databases in turn."""
    async with lent(lender, sqlite_url) as url:
        yield url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = Database.open(database_url)
    yield opened
    await opened.close()


@pytest.fixture
async def sqlite_database(sqlite_url: str) -> AsyncIterator[Database]:
    """An empty session database on SQLite alone, for tests whose truth does not hang on the database."""
    opened = Database.open(sqlite_url)
    yield opened
    await opened.close()


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[ValkeyServer]:
    with running_valkey() as server:
        yield server


@pytest.fixture
def valkey(valkey_server: ValkeyServer) -> ValkeyServer:
    """The process's queue server, emptied. A test that kills it must start it again."""
    valkey_server.empty()
    return valkey_server


@pytest.fixture
def default_ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The right to the default ports, for a first start: it prefers them, and two at once would take them from each other.

    A lock between the test processes; pytest-xdist 3.8 overlooks its own groups with pytest 9.2.
    """
    with FileLock(tmp_path_factory.getbasetemp().parent / "default-ports.lock"):
        yield
