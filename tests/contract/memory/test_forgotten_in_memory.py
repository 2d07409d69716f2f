"""What is forgotten leaves the index in memory with the next search, which need not read all anew for what has no neighbours."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import pytest

from beaver.memory.observations.records import NewObservation, ObservationEdit
from beaver.memory.records import NewDocument, NewMessage, Question
from beaver.memory.retrieval.index.growing import Growing
from beaver.memory.retrieval.index.index_store import PassageRow
from beaver.memory.retrieval.index.kept_pieces import KeptPieces
from beaver.memory.retrieval.index.snapshot import Snapshot
from beaver.memory.retrieval.stems import stem_of
from beaver.memory.runtime import MemoryRuntime
from beaver.schemas.gateway import SCOPES
from tests.contract.memory.scene import ADA, SESSION, turn
from tests.support.encoders import TestedEncoder
from tests.support.memory_gateway import MORNING_MS
from tests.support.traces import is_held

CANARY = "zanzibarcanary"
AT_LENGTH = "It is told at length. " * 200


class Scene:
    """Ada's memory, in which much is said, with a clock."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.now_ms = MORNING_MS
        self.read: list[int] = []

    async def open(self) -> MemoryRuntime:
        """One more process's."""
        return await MemoryRuntime.open(self.url, clock=lambda: self.now_ms, encoder=TestedEncoder())

    async def begin(self) -> None:
        """Much is said and decided, of which a summary tells."""
        self.runtime = await self.open()
        await self.runtime.create_user("ada")
        for number in range(20):
            await turn(self.runtime, f"We decided to paint wall {number} in blue.", f"Wall {number} will be blue.")

    async def learned(self, expires_ms: int | None = None) -> str:
        """The id of an observation that tells of the canary, and is in the index."""
        title = f"We sail to {CANARY}"
        new = NewObservation("decision", title, facts=(f"{title}.",), session_id=SESSION, expires_ms=expires_ms)
        written = await self.runtime.write_observation(ADA, new)
        await self.runtime.flush(ADA, SESSION)
        await self.look()
        return str(written.observation_id)

    async def look(self) -> None:
        """Search with everything encoded, twice, so that word pieces are kept too; the canary is in the index then."""
        await self.runtime.wait_until_encoded()
        for _ in range(2):
            await answers(self.runtime, f"the {CANARY} and the blue wall")
        assert is_in_memory()


async def answers(runtime: MemoryRuntime, text: str) -> list[tuple[str, float]]:
    """What is found, with how well."""
    found = await runtime.search(ADA, Question(text, "chat:elsewhere", SCOPES, 20))
    return [(one.text, round(one.score, 9)) for one in found]


def is_in_memory() -> bool:
    """Whether any index in this process holds the canary's stem."""
    gc.collect()
    indexes = [one for one in gc.get_objects() if isinstance(one, (Growing, Snapshot, KeptPieces))]
    return any(is_held(one, stem_of(CANARY) or 0) for one in indexes)


@pytest.fixture
async def scene(memory_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    made, reading = Scene(memory_url), Growing.add_passages

    def counted(growing: Growing, some: Sequence[PassageRow]) -> None:
        made.read.append(len(some))
        reading(growing, some)

    monkeypatch.setattr(Growing, "add_passages", counted)
    gc.collect()
    gc.freeze()  # what is there already is not looked through each time, nor by any later test
    await made.begin()
    yield made
    await made.runtime.close()


async def an_observation(scene: Scene) -> None:
    await scene.runtime.forget_memory(ADA, await scene.learned())


async def an_edit(scene: Scene) -> None:
    edit = ObservationEdit(title="We sail", facts=("We sail.",))
    await scene.runtime.edit_observation(ADA, await scene.learned(), edit)
    await scene.runtime.flush(ADA, SESSION)


async def one_that_is_over(scene: Scene) -> None:
    await scene.learned(expires_ms=MORNING_MS + 1000)
    scene.now_ms += 2000
    assert await scene.runtime.forget_expired(rows_max=10) == 1


async def a_resource(scene: Scene) -> None:
    await scene.runtime.put_resource(ADA, NewDocument("file:///a", "", f"The code is {CANARY}. {AT_LENGTH}"))
    await scene.look()
    await scene.runtime.forget_resource(ADA, "file:///a")


async def a_resource_put_anew(scene: Scene) -> None:
    await scene.runtime.put_resource(ADA, NewDocument("file:///a", "", f"The code is {CANARY}. {AT_LENGTH}"))
    await scene.look()
    await scene.runtime.put_resource(ADA, NewDocument("file:///a", "", "The code has changed."))


async def a_message(scene: Scene) -> None:
    said = await scene.runtime.add(ADA, SESSION, [NewMessage("user", "ada", MORNING_MS, f"I sail to {CANARY}.")])
    await scene.look()
    await scene.runtime.forget_memory(ADA, said.message_ids[0])


WITHOUT_NEIGHBOURS = (an_observation, an_edit, one_that_is_over, a_resource, a_resource_put_anew)


@pytest.mark.parametrize("forget", [*WITHOUT_NEIGHBOURS, a_message], ids=lambda one: one.__name__)
async def test_after_the_next_search_nothing_is_held_and_all_is_found_as_by_one_that_has_read_all(
    scene: Scene, forget: Callable[[Scene], Awaitable[None]]
) -> None:
    await forget(scene)
    await scene.runtime.wait_until_encoded()
    scene.read.clear()
    found = await answers(scene.runtime, f"the {CANARY} and the blue wall")
    assert not is_in_memory()
    assert (sum(scene.read) < 10) == (forget in WITHOUT_NEIGHBOURS)
    fresh = await scene.open()
    try:
        assert found == await answers(fresh, f"the {CANARY} and the blue wall")
        for asked in ("blue walls", "what did we decide", "told at length"):
            assert await answers(scene.runtime, asked) == await answers(fresh, asked)
    finally:
        await fresh.close()
