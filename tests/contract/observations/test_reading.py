"""Reading observations: order of relevance, filters before the limit, pages, timelines, languages, meaning."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import numpy as np
import pytest
from sqlalchemy import select

from beaver.db.engine import Database, Transaction
from beaver.errors import InvalidInput, NotFound, Unavailable
from beaver.memory.embedding.packing import pack_vector
from beaver.memory.inference.port import Encoded
from beaver.memory.observations.listing_store import Wanted, newest, read_active, read_wanted
from beaver.memory.observations.reconcile import Update
from beaver.memory.observations.records import Content, ObservationFilter, ObservationQuestion
from beaver.memory.observations.store import find_same
from beaver.memory.tables import embeddings, passages
from beaver.memory.transcripts.store import ensure_conversation
from tests.contract.observations.scene import ADA, DAY_MS, Scene, Told
from tests.support.plans import plan_of, statements_of


async def test_the_better_answer_comes_first_and_a_perfect_one_before_all(scene: Scene) -> None:
    beside = scene.beside(Told())
    for number in range(50):
        await beside.add(f"Tea note {number}", f"something about tea, number{number}")
    await beside.add("Green tea from Uji", "likes green tea from Uji")
    found = await scene.reading.search(ADA, ObservationQuestion("green tea from Uji", limit=10))
    assert found[0].observation.title == "Green tea from Uji"
    assert found[0].why["keyword"] == 1.0
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert all(0 <= one.score <= 1 for one in found)


async def test_what_is_not_about_it_is_not_answered(scene: Scene) -> None:
    await scene.add("Tea", "likes green tea")
    assert await scene.titles("quarterly revenue of the shipyard") == []
    assert await scene.titles("?!") == []
    assert await scene.titles("the of and") == []


async def test_among_equals_the_newer_and_the_more_often_mentioned_come_first(scene: Scene) -> None:
    await scene.beside(Told()).add("Old tea", "green tea")
    scene.later(30)
    beside = scene.beside(Told())
    await beside.add("New tea", "green tea")
    assert await scene.titles("green tea") == ["New tea", "Old tea"]
    for _ in range(9):
        await beside.write("Old tea", "green tea")
    assert await scene.titles("green tea") == ["Old tea", "New tea"]


async def test_without_text_the_recent_and_the_often_mentioned_come(scene: Scene) -> None:
    beside = scene.beside(Told())
    for title in ("first", "second", "third"):
        await beside.add(title)
        beside.later()
    scene.at_ms = beside.at_ms
    assert await scene.titles("") == ["third", "second", "first"]


@pytest.mark.parametrize(
    ("where", "titles"),
    [
        (ObservationFilter(types=("event",)), ["Dinner"]),
        (ObservationFilter(types=("event", "task")), ["Dinner", "Errand"]),
        (ObservationFilter(people=("bo",)), ["Dinner"]),
        (ObservationFilter(people=("Robert",)), ["Dinner"]),
        (ObservationFilter(files=("a/b.txt",)), ["Errand"]),
        (ObservationFilter(files=("A/B.TXT",)), []),
        (ObservationFilter(tags=("home", "other")), ["Errand"]),
        (ObservationFilter(session_id="chat:s"), ["Dinner"]),
        (ObservationFilter(session_id="chat:none"), []),
        (ObservationFilter(stores=("shared",)), ["Shared"]),
        (ObservationFilter(stores=()), []),
    ],
)
async def test_filters_hold_for_lists_and_searches(scene: Scene, where: ObservationFilter, titles: list[str]) -> None:
    await scene.add("Home", "the beginning")
    namespace_id = await scene.namespace_id()
    async with scene.database.write() as tx:
        await ensure_conversation(tx, namespace_id, "chat:s", scene.at_ms)
    told = scene.beside(Told())
    await told.add("Dinner", "tea", type="event", related_people=("Bo",), session_id="chat:s")
    await told.add("Errand", "tea", type="task", related_files=("a/b.txt",), tags=("home",))
    await told.add("Shared", "tea", trust="inner")
    await scene.people.add_alias(ADA, "Bo", "Robert", "owner")

    page = await scene.reading.list(ADA, where)
    assert sorted(one.title for one in page.observations) == titles
    assert sorted(await scene.titles("tea", where)) == titles
    assert sorted(await scene.titles("", where)) == titles


@pytest.mark.parametrize("question", ["What does Bobby like?", "What does Bo like?", "robert"])
async def test_whoever_is_asked_for_by_one_name_is_found_by_all(scene: Scene, question: str) -> None:
    told = scene.beside(Told())
    await told.add("Birthday of Bo", "is on 3 May", type="person", related_people=("Bo",))
    await told.add("Robert", "plays chess", type="person")
    await told.add("Ida", "plays the harp", type="person", related_people=("Ida",))
    for alias in ("Robert", "Bobby"):
        await scene.people.add_alias(ADA, "Bo", alias, "owner")

    assert sorted(await scene.titles(question)) == ["Birthday of Bo", "Robert"]


async def test_dates_are_from_and_until(scene: Scene) -> None:
    start = scene.at_ms
    for title in ("one", "two", "three"):
        await scene.add(title)
        scene.later()
    where = ObservationFilter(since_ms=start + DAY_MS, until_ms=start + 2 * DAY_MS)
    assert [one.title for one in (await scene.reading.list(ADA, where)).observations] == ["two"]


async def test_lists_are_paged_newest_first_even_within_one_millisecond(scene: Scene) -> None:
    beside = scene.beside(Told())
    made = [await beside.add(f"Note {number}", f"fact{number}") for number in range(7)]
    pages, cursor = [], None
    while True:
        page = await scene.reading.list(ADA, cursor=cursor, limit=3)
        pages.append([one.id for one in page.observations])
        cursor = page.next_cursor
        if cursor is None:
            break
    assert [len(page) for page in pages] == [3, 3, 1]
    assert [one for page in pages for one in page] == made[::-1]


@pytest.mark.parametrize("cursor", ["", "x", "1", ":", "x:y", "9" * 40 + ":a", "١:a"])
async def test_a_cursor_that_is_none_is_refused(scene: Scene, cursor: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await scene.reading.list(ADA, cursor=cursor)
    assert refused.value.field == "cursor"


async def test_a_timeline_is_strictly_before_and_after_its_anchor(scene: Scene) -> None:
    beside = scene.beside(Told())
    made = [await beside.add(f"Note {number}", f"fact{number}") for number in range(7)]
    around = await scene.reading.timeline(ADA, made[3], before=2, after=10)
    assert [one.id for one in around.before] == made[1:3]
    assert around.anchor.id == made[3]
    assert [one.id for one in around.after] == made[4:]
    with pytest.raises(NotFound):
        await scene.reading.timeline(ADA, "obs_none")


async def test_10_nothing_stored_yet_is_no_failure(scene: Scene) -> None:
    assert await scene.active() == []
    assert await scene.titles("tea") == []
    assert await scene.reading.files(ADA) == []
    assert await scene.people.list(ADA, "owner") == []


async def test_a_token_budget_skips_what_does_not_fit_but_never_the_first(scene: Scene) -> None:
    beside = scene.beside(Told())
    await beside.add("Green tea", "green tea " + "word " * 30)
    await beside.add("Tea", "tea " + "other " * 30)
    await beside.add("Short", "tea")
    question = ObservationQuestion("green tea", tokens_max=1)
    assert [one.observation.title for one in await scene.reading.search(ADA, question)] == ["Green tea"]
    fits = ObservationQuestion("green tea", tokens_max=55)
    assert [one.observation.title for one in await scene.reading.search(ADA, fits)] == ["Green tea", "Short"]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("我最喜欢吃四川火锅", "火锅"),
        ("毎朝コーヒーを飲みます", "コーヒー"),
        ("저는 등산을 좋아합니다", "등산"),
        ("Isst gern Käse aus der Schweiz", "Kaese"),
        ("Lives by the sea", "where is she living?"),
    ],
)
async def test_17_every_language_is_found(scene: Scene, said: str, asked: str) -> None:
    await scene.add("Skiing", "goes skiing")
    await scene.add(said)
    assert (await scene.titles(asked))[:1] == [said]


@pytest.mark.parametrize("text", ['"', "a' OR 1=1 --", "%_%", "NEAR(", "x" * 40_000, "tea " * 5_000])
async def test_no_input_is_a_syntax_error(scene: Scene, text: str) -> None:
    await scene.add("Tea", "likes green tea")
    assert set(await scene.titles(text)) <= {"Tea"}


class ByTopic:
    """An encoder with three topics."""

    model = "by-topic"
    dimensions = 4

    def __init__(self, fault: Exception | None = None) -> None:
        self.fault = fault
        self.questions = 0

    def vector(self, text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        topics = [("tea", "drink"), ("ski", "snow"), ("car", "drive"), ()]
        held = [float(any(word in text.lower() for word in topic)) for topic in topics]
        held[3] = 0.1
        made = np.array(held, np.float32)
        return made / np.float32(np.linalg.norm(made))

    async def encode_passages(self, texts: Sequence[str]) -> list[Encoded]:
        return [Encoded(self.vector(text)) for text in texts]

    async def encode_question(self, text: str) -> Encoded:
        self.questions += 1
        if self.fault is not None:
            raise self.fault
        return Encoded(self.vector(text))

    async def close(self) -> None:
        return None


async def embed_all(scene: Scene, encoder: ByTopic) -> None:
    """Give every observation's passage its vector, as the back-fill does."""
    ours = await scene.active()
    async with scene.database.write() as tx:
        for one in ours:
            passage = (
                await tx.execute(
                    select(passages.c.id, passages.c.namespace_id).where(passages.c.observation_id == one.id)
                )
            ).one()
            await tx.execute(
                embeddings.insert().values(
                    namespace_id=passage.namespace_id,
                    passage_id=passage.id,
                    model=encoder.model,
                    dimensions=encoder.dimensions,
                    vector=pack_vector(encoder.vector(" ".join((one.title, *one.facts)))),
                    created_ms=1,
                )
            )


async def test_what_is_near_in_meaning_is_found_without_a_common_word(scene: Scene) -> None:
    encoder = ByTopic()
    await scene.add("Tea", "likes green tea")
    await scene.add("Winter", "goes to the snow in January")
    await embed_all(scene, encoder)
    found = await scene.beside(encoder=encoder).reading.search(ADA, ObservationQuestion("skiing"))
    assert [one.observation.title for one in found] == ["Winter"]
    assert found[0].why["keyword"] == 0
    assert found[0].why["vector"] > 0.9


async def test_a_failing_encoder_leaves_the_words(scene: Scene) -> None:
    await scene.add("Tea", "likes green tea")
    broken = scene.beside(encoder=ByTopic(Unavailable("gone")))
    found = await broken.reading.search(ADA, ObservationQuestion("tea"))
    assert [(one.observation.title, one.why["vector"]) for one in found] == [("Tea", 0.0)]
    assert (await broken.write("Skiing", "goes skiing"))[0] == "added"


async def test_candidates_are_found_by_meaning_and_an_exact_copy_is_not_encoded(scene: Scene) -> None:
    encoder = ByTopic()
    made = await scene.add("Winter", "goes to the snow in January")
    await embed_all(scene, encoder)
    told = Told()
    beside = scene.beside(told, encoder)

    assert await beside.write("Winter", "goes to the snow in January") == ("exact_dup", made)
    assert encoder.questions == 0
    await beside.write("Skiing", "skis every year")
    assert [one.observation.id for one in told.asked[0]] == [made]
    assert encoder.questions == 1


async def test_an_updated_row_gets_new_vectors(scene: Scene) -> None:
    encoder = ByTopic()
    await scene.add("Garden", "grows tea")
    await embed_all(scene, encoder)
    merged = Content("Garden", "", ("keeps a car there",))
    assert (await scene.beside(Told([Update(0, merged)])).write("Garden", "no tea, but a car"))[0] == "updated"
    assert await scene.count(embeddings) == 0
    await embed_all(scene, encoder)
    found = await scene.beside(encoder=encoder).reading.search(ADA, ObservationQuestion("something to drive"))
    assert [one.observation.title for one in found] == ["Garden"]


async def test_a_few_are_read_by_their_ids_and_not_through_their_whole_namespace(memory_sqlite_url: str) -> None:
    wanted = Wanted(1, ObservationFilter(types=("task",)), 1)

    async def reads(tx: Transaction) -> None:
        await read_active(tx, 1, ["obs_1", "obs_2"], 1)
        await read_wanted(tx, wanted, ["obs_1", "obs_2"])

    by_id = "SEARCH observations USING INDEX sqlite_autoindex_observations_1 (id=?)"
    assert [first for first, *_ in await plans_of(memory_sqlite_url, reads)] == [by_id, by_id]


async def test_a_write_and_a_page_of_the_newest_look_at_no_whole_namespace(memory_sqlite_url: str) -> None:
    async def reads(tx: Transaction) -> None:
        await find_same(tx, 1, "private", "task", "0" * 64)
        await newest(tx, Wanted(1, ObservationFilter(), 1), limit=10)

    same, page = await plans_of(memory_sqlite_url, reads)
    assert "hash=?" in same[0]
    assert "ix_observations_namespace_id_created_ms_id" in page[0]
    assert not any("TEMP B-TREE" in step for step in page)


async def plans_of(url: str, reads: Callable[[Transaction], Awaitable[None]]) -> list[list[str]]:
    """By the plan, not by the clock: SQLite's, since PostgreSQL's hangs on what it has counted."""
    database = Database.open(url)
    told = statements_of(database)
    try:
        async with database.read() as tx:
            await reads(tx)
            asked = [each for each in told if "FROM observations" in each.statement]
            return [await plan_of(tx, each) for each in asked]
    finally:
        await database.close()
