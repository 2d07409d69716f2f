"""Transcript search in SQL: the search objects that go with `events` on each database, and the queries over them.

Only visible messages of users, assistants and tools are indexed, whole words always, trigrams (for scripts
written without spaces) only where a text holds such characters. On SQLite triggers keep two FTS5 tables; on
PostgreSQL a generated column and a partial trigram index, the latter only where pg_trgm can be had.
"""

# ruff: noqa: S608 - the statements are put together from constants of this file
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Float,
    Select,
    and_,
    case,
    cast,
    column,
    func,
    literal,
    literal_column,
    or_,
    select,
    table,
    union_all,
)
from sqlalchemy.dialects.postgresql import REGCONFIG, TSVECTOR

_TRIGRAM: Final = 3
# As beaver.text has them; a class of GLOB and of PostgreSQL's regular expressions alike.
_UNSPACED: Final = (
    "[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3130-\u318f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_POSTGRES_UNSPACED: Final = f"content ~ '{_UNSPACED}'"
# PostgreSQL's parser would make one token of a path, a host or a tag; with blanks in their place the words remain.
_JOINERS: Final = "/.-_@:+~#&=?*<>“”‘’…—–«»，。！？：；（）「」、"
_INDEXED_CHARACTERS_MAX: Final = 100_000  # a tsvector holds at most 1 MiB, and passing it would refuse the event


def _searchable(row: str = "") -> str:
    return f"{row}context_visible AND {row}kind = 'message' AND {row}role IN ('user', 'assistant', 'tool')"


def _holds_unspaced(row: str) -> str:
    return f"{row}content GLOB '*{_UNSPACED}*'"


def _forget(index: str, also: str = "") -> str:
    return (
        f"INSERT INTO {index} ({index}, rowid, content) SELECT 'delete', old.id, old.content "
        f"WHERE {_searchable('old.')}{also};"
    )


def _learn(index: str, also: str = "") -> str:
    return f"INSERT INTO {index} (rowid, content) SELECT new.id, new.content WHERE {_searchable('new.')}{also};"


_FORGET: Final = _forget("events_words") + " " + _forget("events_trigrams", f" AND {_holds_unspaced('old.')}")
_LEARN: Final = _learn("events_words") + " " + _learn("events_trigrams", f" AND {_holds_unspaced('new.')}")

SQLITE_OBJECTS: Final = (
    f"CREATE VIEW searchable_events AS SELECT id, content FROM events WHERE {_searchable()}",
    f"CREATE VIEW searchable_unspaced_events AS SELECT id, content FROM searchable_events WHERE {_holds_unspaced('')}",
    "CREATE VIRTUAL TABLE events_words USING fts5("
    "content, content='searchable_events', content_rowid='id', tokenize='unicode61 remove_diacritics 2')",
    "CREATE VIRTUAL TABLE events_trigrams USING fts5("
    "content, content='searchable_unspaced_events', content_rowid='id', tokenize='trigram')",
    f"CREATE TRIGGER events_inserted AFTER INSERT ON events BEGIN {_LEARN} END",
    f"CREATE TRIGGER events_deleted AFTER DELETE ON events BEGIN {_FORGET} END",
    # One trigger for both halves: the order of two triggers on one event is not defined.
    f"CREATE TRIGGER events_updated AFTER UPDATE ON events BEGIN {_FORGET} {_LEARN} END",
)
"""What a SQLite session database has besides its tables. Migrations hold frozen copies; a test compares."""

POSTGRES_OBJECTS: Final = (
    "ALTER TABLE events ADD COLUMN search_words tsvector GENERATED ALWAYS AS ("
    f"CASE WHEN {_searchable()} THEN to_tsvector('simple'::regconfig, "
    f"translate(left(content, {_INDEXED_CHARACTERS_MAX}), '{_JOINERS}', '{' ' * len(_JOINERS)}')) END) STORED",
    "CREATE INDEX ix_events_search_words ON events USING gin (search_words)",
    # The index only makes pieces quicker; a role that may not create the extension gets none.
    f"""DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX ix_events_trigrams ON events USING gin (content gin_trgm_ops)
    WHERE {_searchable()} AND {_POSTGRES_UNSPACED};
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
  RAISE NOTICE 'transcript search goes without a trigram index';
END $$""",
)
"""The same for PostgreSQL."""

FORGET_DELETED_SQLITE: Final = tuple(
    f"INSERT INTO {index} ({index}) VALUES ('optimize')" for index in ("events_words", "events_trigrams")
)
"""FTS5 keeps the words of deleted texts until segments merge; this merges them."""

_events = table("events", column("id", BigInteger), column("content"), column("search_words", TSVECTOR))


@dataclass(frozen=True)
class TextQuery:
    """What to find: whole words (each a phrase, if it holds punctuation) and pieces of text.

    `every`: all of them must be there; otherwise any. `everywhere`: look for the pieces in every text, not only in
    those that hold unspaced scripts.
    """

    words: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    every: bool = True
    everywhere: bool = False


Hits = Select[tuple[int, float]]
"""Rows of (event_id, score), higher is better. Says nothing of visibility: the caller joins and filters `events`."""


def sqlite_hits(query: TextQuery) -> Hits:
    """FTS5 for words and for pieces of three characters and more; LIKE for the rest."""
    long = tuple(piece for piece in query.pieces if len(piece) >= _TRIGRAM and not query.everywhere)
    short = tuple(piece for piece in query.pieces if piece not in long)
    sources = []
    if query.words:
        sources.append(_fts5("events_words", query.words, query.every))
    if long:
        sources.append(_fts5("events_trigrams", long, query.every))
    if short:
        sources.append(_like(short, query.every, _searchable()))
    return _combined(sources, query.every)


def postgresql_hits(query: TextQuery) -> Hits:
    """The generated tsvector for words; ILIKE for pieces, which a trigram index serves where there is one."""
    sources = []
    if query.words:
        sources.append(_tsvector(query.words, query.every))
    if query.pieces:
        sources.append(_like(query.pieces, query.every, _postgresql_place(query)))
    return _combined(sources, query.every)


def _postgresql_place(query: TextQuery) -> str:
    """Which texts to look in: word for word the condition of the trigram index, wherever that index can help."""
    helped = not query.everywhere and any(len(piece) >= _TRIGRAM for piece in query.pieces)
    return f"{_searchable()} AND {_POSTGRES_UNSPACED}" if helped else _searchable()


def _combined(sources: Sequence[Hits], every: bool) -> Hits:
    """An event is at most once in each source, so a count says in how many of them it is."""
    found = union_all(*sources).subquery()
    needed = len(sources) if every else 1
    total = cast(func.sum(found.c.score), Float).label("score")
    return select(found.c.event_id, total).group_by(found.c.event_id).having(func.count() >= needed)


def _fts5(name: str, terms: Sequence[str], every: bool) -> Hits:
    quoted = ['"' + term.replace('"', '""') + '"' for term in terms]
    expression = (" AND " if every else " OR ").join(quoted)
    index = table(name, column("rowid", BigInteger), column("rank", Float), column(name))
    score = (-index.c.rank).label("score")
    return select(index.c.rowid.label("event_id"), score).where(index.c[name].op("MATCH")(expression))


def _tsvector(words: Sequence[str], every: bool) -> Hits:
    blanks = str.maketrans(_JOINERS, " " * len(_JOINERS))
    simple = cast(literal("simple"), REGCONFIG)
    phrases = [func.phraseto_tsquery(simple, word.translate(blanks)) for word in words]
    wanted: ColumnElement[Any] = phrases[0]
    for phrase in phrases[1:]:
        wanted = wanted.op("&&" if every else "||")(phrase)
    score = cast(func.ts_rank(_events.c.search_words, wanted), Float).label("score")
    return select(_events.c.id.label("event_id"), score).where(_events.c.search_words.op("@@")(wanted))


def _like(pieces: Sequence[str], every: bool, within: str) -> Hits:
    tests = [_holds(piece) for piece in pieces]
    score = sum((case((test, 1.0), else_=0.0) for test in tests), start=literal(0.0)).label("score")
    return select(_events.c.id.label("event_id"), score).where(
        literal_column(within), and_(*tests) if every else or_(*tests)
    )


def _holds(piece: str) -> ColumnElement[bool]:
    pattern = "%" + piece.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    # Folding case costs a copy of every text looked at; most of these scripts have none.
    has_case = piece.lower() != piece.upper()
    content = _events.c.content
    return content.ilike(pattern, escape="\\") if has_case else content.like(pattern, escape="\\")
