"""Transcript search on both databases: what is found by which words, and what never is."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from beaver.db.engine import Database
from beaver.errors import InvalidInput, NotFound
from beaver.sessions.openings import FIRST_WORDS_CHARACTERS
from beaver.sessions.records import MESSAGE, NewEvent
from beaver.sessions.search import TranscriptHit, TranscriptSearch
from beaver.sessions.store import SessionStore

TEXTS = {
    "docker": "We moved the docker-compose deployment to beaver/deploy/compose.prod.yml on foo-bar.example.com:8080.",
    "quotes": "She said “don't panic” (twice!) & then ran `rm -rf ./build_dir/*` at 3.14% speed.",
    "tags": "Use <section> and C++ for user@host.org; see https://docs.example.org/guide?page=2#top",
    "chinese": "昨天我们讨论了部署docker容器的问题，还有数据库备份。",
    "japanese": "来週の会議で新しいデータベースについて話します",
    "korean": "내일 회의에서 데이터베이스 백업을 논의합니다",
    "accents": "Le café de Besançon est très agréable, même en été.",
    "emoji": "The dam is done 🦫 :-)",
}


@pytest.fixture
def store(database: Database) -> SessionStore:
    return SessionStore(database.dialect)


@pytest.fixture
def search(database: Database) -> TranscriptSearch:
    return TranscriptSearch(database.dialect)


@pytest.fixture
async def texts(database: Database, store: SessionStore) -> None:
    for session_id, content in TEXTS.items():
        await _say(database, store, session_id, content)


WORDS = {
    "docker": [
        "docker-compose",
        "compose",
        "deploy",
        "compose.prod.yml",
        "beaver/deploy/compose.prod.yml",
        "example.com",
        "DEPLOYMENT moved?",
        "moved, the (deployment)!",
        "foo-bar.example.com:8080",
    ],
    "quotes": ['"don\'t panic"', "panic", "build_dir", "3.14%"],
    "tags": ["section", "<section>", "C++", "user@host.org", "host.org", "guide page"],
    "accents": ["café", "BESANÇON"],
    "emoji": ["🦫", ":-)"],
}
UNSPACED = {
    "chinese": ["部署", "问", "数据库备份", "部署 备份", "docker容器", "容器docker", "怎么做数据库的备份呢"],
    "japanese": ["会議", "データベース", "新しいデータベース"],
    "korean": ["백업", "데이터베이스", "회의"],
}
ODD = [
    *('"', "'", '""', "AND", "a AND", "NOT", "(", ")", "NEAR(a b", "col:word", "*", "pre*", "^x", "a -b", "a | b & c"),
    *(
        "!!!",
        "\\",
        "%",
        "_",
        "100%",
        "a:*",
        "<->",
        "{x}",
        "[",
        "a\0b",
        "a\ud800b",
        "--",
        ";DROP TABLE events;",
        "x : y",
    ),
    *("+", "²", "x" * 2_048, "é" * 2_048, "字" * 2_048, "a " * 1_024, "?" * 2_048),
]


@pytest.mark.usefixtures("texts")
class TestWhatIsFound:
    async def test_words_whatever_the_punctuation(self, database: Database, search: TranscriptSearch) -> None:
        missed = [
            query
            for session_id, queries in WORDS.items()
            for query in queries
            if session_id not in _sessions(await _discover(database, search, query))
        ]

        assert missed == []

    async def test_no_query_is_a_syntax_error(self, database: Database, search: TranscriptSearch) -> None:
        for query in ODD:
            assert isinstance(await _discover(database, search, query), list)

    async def test_wildcards_stand_for_themselves(self, database: Database, search: TranscriptSearch) -> None:
        for query in ("%", "_", "\\", "%%"):
            found = _sessions(await _discover(database, search, query))
            assert found == {name for name, content in TEXTS.items() if query in content}

    async def test_scripts_without_blanks(self, database: Database, search: TranscriptSearch) -> None:
        best = {
            query: next((hit.session_id for hit in await _discover(database, search, query)), None)
            for queries in UNSPACED.values()
            for query in queries
        }

        assert best == {query: session_id for session_id, queries in UNSPACED.items() for query in queries}

    async def test_a_word_glued_to_characters_without_blanks(
        self, database: Database, store: SessionStore, search: TranscriptSearch
    ) -> None:
        await _say(database, store, "glued", "请重启kubernetes集群")

        assert _sessions(await _discover(database, search, "kubernetes")) == {"glued"}

    async def test_all_words_before_any(
        self, database: Database, store: SessionStore, search: TranscriptSearch
    ) -> None:
        await _say(database, store, "one", "willow willow willow willow")
        await _say(database, store, "both", "there was willow here, and a little further down the river some birch")

        assert _sessions(await _discover(database, search, "willow birch")) == {"both"}
        assert _sessions(await _discover(database, search, "willow xyzzy")) == {"one", "both"}

    async def test_nothing_where_nothing_matches(self, database: Database, search: TranscriptSearch) -> None:
        assert await _discover(database, search, "xyzzy plugh") == []


class TestWhatAHitHolds:
    async def test_one_hit_a_session_with_five_messages_on_either_side(
        self, database: Database, store: SessionStore, search: TranscriptSearch
    ) -> None:
        for number in range(20):
            await _say(database, store, "long", "the dam" if number == 10 else f"filler {number}", title="Dams")
        await _say(database, store, "other", "a dam, a dam, a dam")
        await _say(database, store, "other", "dam")

        found = {hit.session_id: hit for hit in await _discover(database, search, "dam")}

        assert set(found) == {"long", "other"}
        hit = found["long"]
        assert hit.title == "Dams"
        assert [message.content for message in hit.messages] == [
            "the dam" if number == 10 else f"filler {number}" for number in range(5, 16)
        ]
        assert hit.event_id == hit.messages[5].id

    async def test_three_hits_by_default_and_ten_at_most(
        self, database: Database, store: SessionStore, search: TranscriptSearch
    ) -> None:
        for number in range(12):
            await _say(database, store, f"s{number}", "a dam")

        assert len(await _discover(database, search, "dam")) == 3
        assert len(await _discover(database, search, "dam", limit=10)) == 10
        for limit in (0, 11):
            with pytest.raises(InvalidInput, match="limit"):
                await _discover(database, search, "dam", limit=limit)

    async def test_the_later_of_two_equal_matches_comes_first(
        self, database: Database, store: SessionStore, search: TranscriptSearch
    ) -> None:
        await _say(database, store, "earlier", "a dam")
        await _say(database, store, "later", "a dam")

        assert [hit.session_id for hit in await _discover(database, search, "dam")] == ["later", "earlier"]

    async def test_a_query_over_the_bound_is_refused(self, database: Database, search: TranscriptSearch) -> None:
        with pytest.raises(InvalidInput, match="2048"):
            await _discover(database, search, "x" * 2_049)


class TestWhatIsNeverFound:
    async def test_hidden_events(self, database: Database, store: SessionStore, search: TranscriptSearch) -> None:
        await _append(database, store, "s", NewEvent(MESSAGE, "secret 秘密计划", "user", context_visible=False))
        await _append(database, store, "s", NewEvent("memory_gateway_add_failed", "secret 秘密计划", "user"))
        await _append(database, store, "s", NewEvent(MESSAGE, "secret 秘密计划", "system"))

        for query in ("secret", "秘密计划", "秘密", "密"):
            assert await _discover(database, search, query, roles=("user", "assistant", "tool", "system")) == []

    async def test_hidden_events_around_a_hit(
        self, database: Database, store: SessionStore, search: TranscriptSearch
    ) -> None:
        await _append(database, store, "s", NewEvent("an_audit_event", "hidden", context_visible=False))
        await _say(database, store, "s", "a dam")
        await _append(database, store, "s", NewEvent(MESSAGE, "hidden", "user", context_visible=False))

        [hit] = await _discover(database, search, "dam")

        assert [message.content for message in hit.messages] == ["a dam"]

    async def test_hidden_events_are_not_in_the_index_either(self, database: Database, store: SessionStore) -> None:
        await _append(database, store, "s", NewEvent(MESSAGE, "secret 秘密计划", "user", context_visible=False))
        await _say(database, store, "s", "shown 公开计划")

        assert await _indexed(database, "secret", "秘密计划") == []
        assert await _indexed(database, "shown", "公开计划") == [2, 2]

    async def test_the_live_session(self, database: Database, store: SessionStore, search: TranscriptSearch) -> None:
        await _say(database, store, "live", "a dam")
        await _say(database, store, "past", "a dam")

        assert _sessions(await _discover(database, search, "dam", exclude_session="live")) == {"past"}

    async def test_results_of_tools_unless_asked_for(
        self, database: Database, store: SessionStore, search: TranscriptSearch
    ) -> None:
        await _append(database, store, "s", NewEvent(MESSAGE, "a dam", "tool"))

        assert await _discover(database, search, "dam") == []
        assert _sessions(await _discover(database, search, "dam", roles=("tool",))) == {"s"}

    async def test_what_was_deleted(self, database: Database, store: SessionStore, search: TranscriptSearch) -> None:
        await _say(database, store, "s", "a dam 水坝工程")
        async with database.write() as tx:
            await store.delete_session(tx, "s")

        assert await _discover(database, search, "dam") == []
        assert await _indexed(database, "dam", "水坝工程") == []

    async def test_what_was_changed_or_hidden_later(
        self, database: Database, store: SessionStore, search: TranscriptSearch
    ) -> None:
        await _say(database, store, "s", "a dam 水坝工程")
        await _change(database, "UPDATE events SET content = 'a lodge 河狸小屋'")
        assert await _discover(database, search, "dam") == []
        assert await _discover(database, search, "水坝工程") == []
        assert _sessions(await _discover(database, search, "lodge")) == {"s"}
        assert _sessions(await _discover(database, search, "河狸小屋")) == {"s"}

        await _change(database, "UPDATE events SET context_visible = false")
        assert await _discover(database, search, "lodge") == []
        assert await _indexed(database, "lodge", "河狸小屋") == []

        await _change(database, "UPDATE events SET context_visible = true")
        assert _sessions(await _discover(database, search, "lodge")) == {"s"}


async def test_the_sqlite_index_is_sound_after_all_kinds_of_change(sqlite_database: Database) -> None:
    store = SessionStore(sqlite_database.dialect)
    for number in range(5):
        await _say(sqlite_database, store, f"s{number}", f"a dam 水坝工程 {number}")
    await _change(sqlite_database, "UPDATE events SET content = 'changed 改变了', role = 'tool' WHERE id = 2")
    await _change(sqlite_database, "UPDATE events SET context_visible = 0 WHERE id = 3")
    await _change(sqlite_database, "DELETE FROM events WHERE id = 4")
    async with sqlite_database.write() as tx:
        await store.delete_session(tx, "s0")

    for index in ("events_words", "events_trigrams"):
        await _change(sqlite_database, f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")


class TestScroll:
    async def test_shows_the_messages_around_an_anchor_and_whether_there_are_more(
        self, database: Database, store: SessionStore, search: TranscriptSearch
    ) -> None:
        ids = [await _say(database, store, "s", str(number)) for number in range(8)]

        async with database.read() as tx:
            middle = await search.scroll(tx, "s", ids[4], window=2)
            start = await search.scroll(tx, "s", ids[0], window=2)
            end = await search.scroll(tx, "s", ids[7], window=7)

        assert ([m.content for m in middle.messages], middle.has_earlier, middle.has_later) == (
            list("23456"),
            True,
            True,
        )
        assert ([m.content for m in start.messages], start.has_earlier, start.has_later) == (list("012"), False, True)
        assert ([m.content for m in end.messages], end.has_earlier, end.has_later) == (list("01234567"), False, False)

    async def test_an_anchor_of_another_session_or_a_hidden_one_is_not_found(
        self, database: Database, store: SessionStore, search: TranscriptSearch
    ) -> None:
        await _say(database, store, "s", "words")
        other = await _say(database, store, "other", "words")
        hidden = await _append(database, store, "s", NewEvent(MESSAGE, "x", "user", context_visible=False))

        async with database.read() as tx:
            for anchor in (other, hidden, 999_999):
                with pytest.raises(NotFound):
                    await search.scroll(tx, "s", anchor)
            for window in (0, 51):
                with pytest.raises(InvalidInput, match="window"):
                    await search.scroll(tx, "s", other, window=window)


class TestRead:
    async def test_gives_the_whole_page_by_page(
        self, database: Database, store: SessionStore, search: TranscriptSearch
    ) -> None:
        for number in range(5):
            await _say(database, store, "s", str(number))
            await _append(database, store, "s", NewEvent("an_audit_event", context_visible=False))

        async with database.read() as tx:
            first = await search.read(tx, "s", limit=3)
            rest = await search.read(tx, "s", after_id=first.messages[-1].id, limit=3)

        assert ([m.content for m in first.messages], first.has_earlier, first.has_later) == (list("012"), False, True)
        assert ([m.content for m in rest.messages], rest.has_earlier, rest.has_later) == (list("34"), True, False)

    async def test_an_unknown_session_is_not_found(self, database: Database, search: TranscriptSearch) -> None:
        async with database.read() as tx:
            with pytest.raises(NotFound):
                await search.read(tx, "nobody")


class TestBrowse:
    async def test_shows_the_sessions_used_last_with_their_first_words(
        self, database: Database, store: SessionStore, search: TranscriptSearch
    ) -> None:
        await _say(database, store, "old", "How do beavers\nbuild?", title="Dams")
        await _append(database, store, "old", NewEvent(MESSAGE, "With wood.", "assistant"))
        await _say(database, store, "new", "w" * 500)
        await _say(database, store, "live", "now")
        await _append(database, store, "silent", NewEvent("an_audit_event", "x", context_visible=False))
        await _change(database, "UPDATE sessions SET updated_ms = 1 WHERE id = 'old'")

        async with database.read() as tx:
            new, old = await search.browse(tx, exclude_session="live")
            only = await search.browse(tx, limit=1)

        assert (old.session_id, old.title, old.first_words, old.message_count) == (
            "old",
            "Dams",
            "How do beavers build?",
            2,
        )
        assert new.session_id == "new"
        assert len(new.first_words) == FIRST_WORDS_CHARACTERS
        assert len(only) == 1


def _sessions(hits: list[TranscriptHit]) -> set[str]:
    return {hit.session_id for hit in hits}


async def _discover(database: Database, search: TranscriptSearch, query: str, **options: object) -> list[TranscriptHit]:
    async with database.read() as tx:
        return await search.discover(tx, query, **options)  # type: ignore[arg-type]


async def _say(
    database: Database, store: SessionStore, session_id: str, content: str, *, title: str | None = None
) -> int:
    return await _append(database, store, session_id, NewEvent(MESSAGE, content, "user"), title=title)


async def _append(
    database: Database, store: SessionStore, session_id: str, event: NewEvent, *, title: str | None = None
) -> int:
    async with database.write() as tx:
        await store.ensure_session(tx, session_id, title=title)
        return await store.append(tx, session_id, None, event)


async def _change(database: Database, statement: str) -> None:
    async with database.write() as tx:
        await tx.execute(text(statement))


async def _indexed(database: Database, word: str, piece: str) -> list[int]:
    """Ids that the index itself knows for a word and for a piece, without any look at the events."""
    if database.dialect.name == "postgresql":
        statements = [
            "SELECT id FROM events WHERE search_words @@ plainto_tsquery('simple', :term)",
            "SELECT id FROM events WHERE search_words IS NOT NULL AND content LIKE '%' || :term || '%'",
        ]
    else:
        statements = [
            "SELECT rowid FROM events_words WHERE events_words MATCH :term",
            "SELECT rowid FROM events_trigrams WHERE events_trigrams MATCH :term",
        ]
    async with database.read() as tx:
        return [
            event_id
            for statement, term in zip(statements, (word, piece), strict=True)
            for event_id in (await tx.scalars(text(statement), {"term": term})).all()
        ]
