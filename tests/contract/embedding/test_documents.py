"""A document that is put anew: the same again writes nothing, and what stays as it was is not encoded again."""

from __future__ import annotations

from dataclasses import replace

from beaver.db.engine import Database
from beaver.memory.embedding import store
from beaver.memory.embedding.service import EmbeddingService
from beaver.memory.records import NewDocument, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.schemas.gateway import SCOPES
from tests.contract.embedding.scene import ADA, embedded, vectors_of
from tests.support.encoders import TestedEncoder
from tests.support.memory_gateway import MORNING_MS

GUIDE = NewDocument(
    "file:///guide.md",
    "Guide",
    "# Guide\n\nAbout birds.\n\n## Heron\n\nIt waits in the shallows.\n\n## Otter\n\nIt dives at dusk.\n",
)
LATER = replace(GUIDE, content=GUIDE.content.replace("dusk", "dawn").replace("About", "All about"))


async def test_the_same_document_again_writes_nothing(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    service.start()
    first = await runtime.put_resource(ADA, GUIDE)
    await service.wait_until_done()
    again = await runtime.put_resource(ADA, GUIDE)
    await service.wait_until_done()
    assert (first.passages, first.replaced, first.unchanged) == (3, False, False)
    assert (again.passages, again.replaced, again.unchanged) == (3, False, True)
    assert len(encoder.asked) == 1
    assert await embedded(memory_database) == 3
    titled = await runtime.put_resource(ADA, replace(GUIDE, title="Birds"))
    assert (titled.replaced, titled.unchanged) == (True, False)


async def test_of_a_changed_document_only_what_changed_is_encoded(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService
) -> None:
    service.start()
    await runtime.put_resource(ADA, GUIDE)
    await service.wait_until_done()
    await service.close()
    await runtime.put_resource(ADA, LATER)
    encoder = TestedEncoder()  # one that remembers nothing
    later = EmbeddingService(memory_database, encoder, lambda: MORNING_MS)
    later.start()
    await later.wait_until_done()
    await later.close()
    assert encoder.asked == [
        ["Guide › Otter: ## Otter\n\nIt dives at dawn.\n", "Guide: # Guide\n\nAll about birds.\n\n"]
    ]
    async with memory_database.read() as tx:
        rows = await vectors_of(tx, 1, "words", 0)
        pieces = await store.pieces_of(tx, 1, "words", [row.passage_id for row in rows])
    assert len(rows) == len(pieces) == 3


async def test_whoever_holds_the_index_in_memory_sees_the_vectors_that_were_kept(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    service.start()
    await runtime.put_resource(ADA, GUIDE)
    await service.wait_until_done()
    async with memory_database.read() as tx:
        newest = max(row.id for row in await vectors_of(tx, 1, "words", 0))
    await runtime.put_resource(ADA, LATER)
    async with memory_database.read() as tx:
        assert len(await vectors_of(tx, 1, "words", newest)) == 1


async def test_old_words_are_not_found_any_more_and_a_place_is_told(runtime: MemoryRuntime) -> None:
    await runtime.put_resource(ADA, GUIDE)
    await runtime.put_resource(ADA, LATER)
    question = Question("when does the otter dive: dusk or dawn?", "chat:s", SCOPES, 8)
    (first, *_) = found = await runtime.search(ADA, question)
    assert (first.why["title"], first.why["section"], "page" in first.why) == ("Guide", "Otter", False)
    assert "dusk" not in " ".join(one.text for one in found)


async def test_a_document_of_pages_tells_the_page(runtime: MemoryRuntime) -> None:
    pages = "About birds.\n\f\nThe heron waits.\n\f\nThe otter dives at dusk."
    await runtime.put_resource(ADA, NewDocument("file:///book.pdf", "Book", pages))
    (first, *_) = await runtime.search(ADA, Question("what does the otter do at dusk", "chat:s", SCOPES, 8))
    assert (first.text.strip(), first.why["page"]) == ("The otter dives at dusk.", 3)
