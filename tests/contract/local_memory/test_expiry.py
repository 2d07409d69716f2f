"""An item whose time is over leaves the store, rows and bytes, without anybody's doing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from beaver.agent.policy.stores import NewItem, Owner
from beaver.cli.local_memory.expiry import ExpiredItems
from beaver.cli.local_memory.store import LocalItemStore
from beaver.memory.runtime import MemoryRuntime
from tests.support.waiting import wait_until

OWNER = Owner("acme", "site", "ada", "s-1")
DAY_MS = 86_400_000
BEGAN_MS = 1_800_000_000_000
FLEETING = NewItem(
    "todo", "Water the xylophone orchids by Friday.", "project", 0.9, "person", expires_ms=BEGAN_MS + DAY_MS
)
LASTING = NewItem("rule", "Always run the linter before a commit.", "project", 0.9, "person")
LATER = NewItem(
    "fact", "The staging server listens on port 8443.", "global", 0.9, "rules", expires_ms=BEGAN_MS + 9 * DAY_MS
)


@dataclass
class Calendar:
    """A clock that stands."""

    now_ms: int = BEGAN_MS

    def __call__(self) -> int:
        return self.now_ms


@dataclass
class Shelf:
    """A store whose time a test moves, and what clears it."""

    runtime: MemoryRuntime
    store: LocalItemStore
    expired: ExpiredItems
    clock: Calendar

    def later(self, days: int) -> None:
        self.clock.now_ms += days * DAY_MS

    async def texts(self) -> Sequence[str]:
        return sorted(item.text for item in await self.store.recent(OWNER, limit=50))


@asynccontextmanager
async def shelf(url: str, *new: NewItem) -> AsyncIterator[Shelf]:
    clock = Calendar()
    runtime = await MemoryRuntime.open(url, clock=clock)
    expired = ExpiredItems(runtime)
    made = Shelf(runtime, LocalItemStore(runtime, expired), expired, clock)
    for one in new:
        await made.store.write(OWNER, one)
    try:
        yield made
    finally:
        await made.store.close()


async def rows(runtime: MemoryRuntime) -> int:
    return (await runtime.figures()).counts["observations"]


async def test_what_expired_is_erased_and_the_rest_stays(memory_url: str) -> None:
    async with shelf(memory_url, FLEETING, LASTING, LATER) as held:
        before = await held.store.generation(OWNER)
        assert await held.expired.erase() == 0
        held.later(2)
        assert await held.expired.erase() == 1
        assert await rows(held.runtime) == 2
        assert await held.texts() == [LASTING.text, LATER.text]
        assert await held.store.generation(OWNER) != before
        held.later(8)
        assert await held.expired.erase() == 1
        assert await held.texts() == [LASTING.text]


async def test_of_what_expired_the_bytes_hold_nothing(memory_sqlite_url: str) -> None:
    async with shelf(memory_sqlite_url, FLEETING, LASTING) as held:
        held.later(2)
        await held.expired.erase()
        await held.store.erased()
        file = Path(memory_sqlite_url.removeprefix("sqlite:///"))
        for part in file.parent.glob(f"{file.name}*"):
            assert b"xylophone" not in part.read_bytes().lower(), part.name


async def test_what_expired_was_not_forgotten_and_may_be_learned_again(memory_sqlite_url: str) -> None:
    async with shelf(memory_sqlite_url, FLEETING) as held:
        held.later(2)
        await held.expired.erase()
        again = NewItem("todo", FLEETING.text, "project", 0.9, "rules", expires_ms=held.clock.now_ms + DAY_MS)
        assert (await held.store.write(OWNER, again)).outcome == "added"


async def test_more_than_one_step_takes_is_erased_in_steps(memory_sqlite_url: str) -> None:
    scattered = [
        NewItem("todo", f"Buy {name} for the workshop.", scope, 0.9, "person", expires_ms=BEGAN_MS + DAY_MS)
        for scope in ("project", "global")
        for name in ("hammers", "nails", "glue")
    ]
    async with shelf(memory_sqlite_url, *scattered) as held:
        held.later(2)
        assert await ExpiredItems(held.runtime, rows_a_step=2).erase() == 6
        assert await rows(held.runtime) == 0


async def test_the_opened_store_erases_by_itself_beside_its_work(memory_sqlite_url: str) -> None:
    async with shelf(memory_sqlite_url, FLEETING, LASTING) as held:
        held.later(2)
        held.expired.start()

        async def is_erased() -> bool:
            return await rows(held.runtime) == 1

        await wait_until(is_erased)
