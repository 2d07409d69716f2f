"""Vectors on a real database: what is stored gets them, newest first, once, whatever fails in between."""

from __future__ import annotations

import asyncio
from itertools import chain

import numpy as np
import pytest
from sqlalchemy import delete

from beaver.db.engine import Database
from beaver.errors import PeerFault, Unavailable
from beaver.memory.embedding import store
from beaver.memory.embedding.packing import Directions, measured, piece_cosines, unpack_piece_ids, unpack_vectors
from beaver.memory.embedding.service import EmbeddingService
from beaver.memory.embedding.store import Packed
from beaver.memory.records import NewDocument, NewMessage
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import passages
from tests.contract.embedding.scene import ADA, BOB, conversation_of, embedded, is_asked, say, vectors_of
from tests.support.encoders import TestedEncoder
from tests.support.memory_gateway import MORNING_MS
from tests.support.waiting import wait_until


async def test_what_is_stored_gets_its_vectors_a_moment_later(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    await say(runtime, "the red kite")
    service.start()
    await service.wait_until_done()
    await say(runtime, "the blue kite")
    service.wake()
    await wait_until(lambda: _has(memory_database, 2), what="the second message's vectors")
    async with memory_database.read() as tx:
        rows = await vectors_of(tx, 1, "words", 0)
        pieces = await store.pieces_of(tx, 1, "words", [row.passage_id for row in rows])
    first, second = rows
    question = await encoder.encode_question("blue kite")
    scores = unpack_vectors([first.vector, second.vector]) @ question.vector
    assert scores[1] > scores[0]
    assert second.piece_ids is not None
    assert question.pieces is not None
    cosines, bounds = piece_cosines(
        measured([pieces[second.passage_id]], len(question.vector)), Directions.of(question.pieces)
    )
    numbers, _ = unpack_piece_ids([second.piece_ids])
    assert question.piece_ids is not None
    assert bounds.tolist() == [0, 3]
    assert numbers[1:].tolist() == question.piece_ids.tolist()
    assert (np.diag(cosines[1:]) > 0.95).all()


async def _has(database: Database, count: int) -> bool:
    return await embedded(database) == count


async def test_the_newest_is_encoded_first_and_every_batch_is_bounded(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    for number in range(70):
        await say(runtime, f"note {number}")
    service.start()
    await service.wait_until_done()
    assert list(chain.from_iterable(encoder.asked)) == [f"note {number}" for number in reversed(range(70))]
    assert [len(texts) for texts in encoder.asked] == [32, 32, 6]
    assert await embedded(memory_database) == 70


async def test_the_same_text_is_encoded_once(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    await say(runtime, "good morning", "good morning")
    await say(runtime, "good morning", whose=BOB)
    service.start()
    await service.wait_until_done()
    await say(runtime, "good morning")
    await service.wait_until_done()
    assert encoder.asked == [["good morning"]]
    assert await embedded(memory_database) == 4


async def test_a_speaker_with_a_name_and_a_title_are_encoded_too(
    runtime: MemoryRuntime, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    await say(runtime, "I start on Monday", speaker="Caroline")
    await runtime.put_resource(ADA, NewDocument("file:///notes.txt", "Notes", "the gate code is on the shelf"))
    service.start()
    await service.wait_until_done()
    assert encoder.asked == [["Notes: the gate code is on the shelf", "Caroline: I start on Monday"]]


async def test_a_failure_is_tried_again_and_nothing_is_lost(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    encoder.broken = True
    await say(runtime, *(f"note {number}" for number in range(40)))
    service.start()
    with pytest.raises(Unavailable):
        await service.wait_until_done()
    assert await embedded(memory_database) == 0
    encoder.broken = False
    await wait_until(lambda: _has(memory_database, 40), what="vectors after the encoder's recovery")


async def test_a_text_that_the_encoder_refuses_holds_nothing_up(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    encoder.poison = "poison"
    await say(runtime, "a", "poison", "b")
    service.start()
    await wait_until(lambda: _is_done(service), what="the poisoned text being set aside")
    assert await embedded(memory_database) == 2
    await say(runtime, "c")
    await service.wait_until_done()
    assert await embedded(memory_database) == 3
    assert encoder.asked[-1] == ["c"]
    told = await service.figures()
    assert told is not None
    assert (told.waiting, told.encoded, told.set_aside) == (1, 3, 1)
    assert told.failures.keys() == {"peer_fault"}


async def _is_done(service: EmbeddingService) -> bool:
    try:
        await service.wait_until_done()
    except PeerFault:
        return False
    return True


async def test_an_encoder_that_never_took_a_text_sets_none_aside(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    encoder.poison = "note"
    await say(runtime, "note 1", "note 2")
    service.start()
    await wait_until(lambda: _asked_often(encoder), what="more tries than a text that is set aside gets")
    encoder.poison = None
    await wait_until(lambda: _has(memory_database, 2), what="vectors after the encoder's recovery")


async def _asked_often(encoder: TestedEncoder) -> bool:
    return sum(texts == ["note 1"] for texts in encoder.asked) > 4


async def test_an_encoder_that_never_took_a_text_is_not_asked_for_each_of_a_page(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    encoder.poison = "note"
    await say(runtime, *(f"note {number}" for number in range(20)))
    service.start()
    for tries in (1, 2):
        with pytest.raises(PeerFault):
            await service.wait_until_done()
        assert len([texts for texts in encoder.asked if len(texts) == 1]) <= 3 * tries + 3
    encoder.poison = "note 19"
    await wait_until(lambda: _has(memory_database, 19), what="vectors of all that it takes")


async def test_two_processes_over_one_database_do_no_harm(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService
) -> None:
    other = EmbeddingService(memory_database, TestedEncoder(), lambda: MORNING_MS)
    try:
        service.start()
        other.start()
        for number in range(50):
            await say(runtime, f"note {number}", whose=ADA if number % 2 else BOB)
            (service if number % 3 else other).wake()
        await asyncio.gather(service.wait_until_done(), other.wait_until_done())
    finally:
        await other.close()
    assert await embedded(memory_database) == 50


async def test_what_is_forgotten_while_it_is_encoded_gets_no_vectors(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    encoder.gate.clear()
    await say(runtime, "to be forgotten", "to be kept")
    service.start()
    await wait_until(lambda: is_asked(encoder), what="the encoder being asked")
    async with memory_database.write() as tx:
        await tx.execute(delete(passages).where(passages.c.position == 0, passages.c.id == 1))
    encoder.gate.set()
    await service.wait_until_done()
    assert await embedded(memory_database) == 1


async def test_a_flush_waits_for_its_own_conversation_only(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService
) -> None:
    await say(runtime, *(f"note {number}" for number in range(40)))
    await runtime.add(ADA, "chat:other", [NewMessage("user", "ada", MORNING_MS, "elsewhere")])
    await service.embed_conversation(await conversation_of(memory_database), deadline_s=60)
    assert await embedded(memory_database) == 40


async def test_a_flush_waits_no_longer_than_its_deadline_and_for_no_broken_encoder(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    await say(runtime, "a note")
    conversation_id = await conversation_of(memory_database)
    encoder.gate.clear()
    await service.embed_conversation(conversation_id, deadline_s=0.01)
    encoder.gate.set()
    encoder.broken = True
    await service.embed_conversation(conversation_id, deadline_s=60)
    assert await embedded(memory_database) == 0


async def test_a_flush_does_not_encode_again_what_is_being_encoded(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    await say(runtime, "a note")
    encoder.gate.clear()
    service.start()
    await wait_until(lambda: is_asked(encoder), what="the encoder being asked")
    flushing = asyncio.create_task(service.embed_conversation(1, deadline_s=60))
    await asyncio.sleep(0)  # it has begun, and stands in line
    encoder.gate.set()
    await flushing
    assert encoder.asked == [["a note"]]
    assert await embedded(memory_database) == 1


async def test_a_closed_service_can_be_closed_again_and_answers_who_waits(
    runtime: MemoryRuntime, service: EmbeddingService, encoder: TestedEncoder
) -> None:
    encoder.gate.clear()
    await say(runtime, "a note")
    service.start()
    waiting = asyncio.create_task(service.wait_until_done())
    await wait_until(lambda: is_asked(encoder), what="the encoder being asked")
    await service.close()
    await service.close()
    with pytest.raises(Unavailable):
        await waiting
    with pytest.raises(Unavailable):
        await service.wait_until_done()


async def test_a_service_that_is_rung_for_as_it_closes_is_closed_all_the_same(service: EmbeddingService) -> None:
    service.start()
    await service.wait_until_done()
    service.wake()
    async with asyncio.timeout(30):
        await service.close()


async def test_vectors_never_cross_into_another_namespace_or_model(
    runtime: MemoryRuntime, memory_database: Database, service: EmbeddingService
) -> None:
    await say(runtime, "ada's note")
    await say(runtime, "bob's note", whose=BOB)
    service.start()
    await service.wait_until_done()
    async with memory_database.read() as tx:
        (hers,) = await vectors_of(tx, 1, "words", 0)
        (his,) = await vectors_of(tx, 2, "words", 0)
        assert await vectors_of(tx, 1, "words", hers.id) == []
        assert await vectors_of(tx, 1, "another", 0) == []
        assert await store.pieces_of(tx, 1, "words", [his.passage_id]) == {}
        assert set(await store.pieces_of(tx, 1, "words", [hers.passage_id, his.passage_id])) == {hers.passage_id}


async def test_a_vector_is_stored_once_a_model_and_only_where_its_passage_is(
    runtime: MemoryRuntime, memory_database: Database
) -> None:
    await say(runtime, "a note")
    packed = Packed(2, b"vector", b"pieces", b"id")
    async with memory_database.write() as tx:
        assert await store.add_vectors(tx, 1, "words", [(1, packed), (99, packed)], MORNING_MS) == 1
        assert await store.add_vectors(tx, 1, "words", [(1, Packed(2, b"anothe", b"others"))], MORNING_MS) == 0
        assert await store.add_vectors(tx, 2, "words", [(1, packed)], MORNING_MS) == 0
    async with memory_database.read() as tx:
        assert [row.vector for row in await vectors_of(tx, 1, "words", 0)] == [b"vector"]
        assert await store.pieces_of(tx, 1, "words", [1, 99]) == {1: b"pieces"}
        assert await store.count_by_model(tx) == {"words": 1}


async def test_without_an_encoder_nothing_is_done_and_nobody_waits(
    runtime: MemoryRuntime, memory_database: Database
) -> None:
    await say(runtime, "a note")
    service = EmbeddingService(memory_database, None, lambda: MORNING_MS)
    service.start()
    service.wake()
    await service.wait_until_done()
    await service.embed_conversation(1)
    assert [step async for step in service.progress()] == []
    assert service.serving() is None
    assert await service.figures() is None
    await service.close()


async def test_the_runtime_encodes_what_it_is_given_and_closes_its_encoder(memory_url: str) -> None:
    encoder = TestedEncoder()
    runtime = await MemoryRuntime.open(memory_url, encoder=encoder, clock=lambda: MORNING_MS)
    try:
        await runtime.create_user("ada")
        await say(runtime, "a note")
        await runtime.put_resource(ADA, NewDocument("file:///notes.txt", "Notes", "a page"))
        await runtime.wait_until_encoded()
        assert set(chain.from_iterable(encoder.asked)) == {"a note", "Notes: a page"}
        (step,) = {(step.embedded, step.passages) async for step in runtime.reindex()}
        assert step == (2, 2)
    finally:
        await runtime.close()
    assert encoder.closed
