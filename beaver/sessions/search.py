"""Search in past transcripts, without a model: discover by words, scroll around a place, read whole, browse.

Only visible messages are ever found or shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from sqlalchemy import ColumnElement, func, select

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.fulltext import TextQuery
from beaver.db.tables import events, sessions
from beaver.errors import InvalidInput, NotFound
from beaver.ids import validate_session_id
from beaver.schemas.wire import INTEGER_MAX
from beaver.sessions.openings import first_words, opening_of
from beaver.sessions.records import StoredEvent
from beaver.sessions.storable import storable_text
from beaver.sessions.stretch import events_back, events_on
from beaver.text import has_unspaced, is_unspaced

QUERY_CHARACTERS_MAX: Final = 2_048
HITS_MAX: Final = 10
CONTEXT_MESSAGES: Final = 5
SPEAKERS: Final = ("user", "assistant")
_TERMS_MAX: Final = 64
_PIECE: Final = 3


@dataclass(frozen=True)
class TranscriptHit:
    """The best match of one session, with the messages around it (itself among them), oldest first."""

    session_id: str
    title: str | None
    event_id: int
    created_ms: int
    messages: tuple[StoredEvent, ...]


@dataclass(frozen=True)
class TranscriptPage:
    """Messages of one session, oldest first, and whether there are more on either side."""

    session_id: str
    messages: tuple[StoredEvent, ...]
    has_earlier: bool
    has_later: bool


@dataclass(frozen=True)
class SessionGlimpse:
    """A session in a list: its title, the first words its user said, and how many messages it has."""

    session_id: str
    title: str | None
    first_words: str
    message_count: int
    updated_ms: int


class TranscriptSearch:
    """Transcript search over either database. Stateless: share it between tasks."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect

    async def discover(
        self,
        tx: Transaction,
        query: str,
        *,
        limit: int = 3,
        exclude_session: str | None = None,
        roles: Collection[str] = SPEAKERS,
    ) -> list[TranscriptHit]:
        """Sessions that speak of the query, the best first, one hit each.

        All terms are looked for first, then any of them. Punctuation is never syntax. `exclude_session` is the live one.
        Raises InvalidInput for a blank query, one over 2,048 characters, and a limit outside 1–10.
        """
        _check_limit(limit, HITS_MAX)
        for stage in plan(query):
            found = await self._best_of_each_session(tx, stage, limit, exclude_session, roles)
            if found:
                return [await self._with_context(tx, session_id, event_id, roles) for session_id, event_id in found]
        return []

    async def scroll(
        self,
        tx: Transaction,
        session_id: str,
        anchor_event_id: int,
        *,
        window: int = 5,
        roles: Collection[str] = SPEAKERS,
    ) -> TranscriptPage:
        """The message and `window` (1–50) messages on either side. Raises NotFound unless it is one of the session's."""
        _check_limit(window, 50, "window")
        validate_session_id(session_id)
        visible = _visible(roles)
        beyond = min(anchor_event_id + 1, INTEGER_MAX)
        until = await events_back(tx, session_id, *visible, before_id=beyond, limit=window + 2)
        if not until or until[0].id != anchor_event_id:
            raise NotFound("no such message in the session")
        after = await events_on(tx, session_id, *visible, after_id=anchor_event_id, limit=window + 1)
        messages = (*until[: window + 1][::-1], *after[:window])
        return TranscriptPage(session_id, messages, len(until) > window + 1, len(after) > window)

    async def read(
        self,
        tx: Transaction,
        session_id: str,
        *,
        after_id: int = 0,
        limit: int = 100,
        roles: Collection[str] = SPEAKERS,
    ) -> TranscriptPage:
        """The session's messages from `after_id` (exclusive) on, `limit` (1–500) a page. Raises NotFound."""
        _check_limit(limit, 500)
        validate_session_id(session_id)
        visible = _visible(roles)
        if await tx.scalar(select(sessions.c.id).where(sessions.c.id == session_id)) is None:
            raise NotFound("no such session")
        page = await events_on(tx, session_id, *visible, after_id=after_id, limit=limit + 1)
        earlier = await events_back(tx, session_id, *visible, before_id=min(after_id + 1, INTEGER_MAX), limit=1)
        return TranscriptPage(session_id, tuple(page[:limit]), bool(earlier), len(page) > limit)

    async def browse(
        self, tx: Transaction, *, limit: int = 10, exclude_session: str | None = None
    ) -> list[SessionGlimpse]:
        """The sessions used last that hold a message, newest first; `limit` 1–50."""
        _check_limit(limit, 50)
        said = (events.c.session_id == sessions.c.id, *_visible(SPEAKERS))
        count = select(func.count()).select_from(events).where(*said).scalar_subquery()
        recent = (
            select(
                sessions.c.id,
                sessions.c.title,
                opening_of(sessions.c.id).label("opening"),
                count.label("message_count"),
                sessions.c.updated_ms,
            )
            .where(select(events.c.id).where(*said).exists())
            .order_by(sessions.c.updated_ms.desc(), sessions.c.id.desc())
            .limit(limit)
        )
        if exclude_session is not None:
            recent = recent.where(sessions.c.id != validate_session_id(exclude_session))
        return [
            SessionGlimpse(row.id, row.title, first_words(row.opening or ""), row.message_count, row.updated_ms)
            for row in await tx.execute(recent)
        ]

    async def _best_of_each_session(
        self, tx: Transaction, query: TextQuery, limit: int, exclude_session: str | None, roles: Collection[str]
    ) -> list[tuple[str, int]]:
        hits = self._dialect.transcript_hits(query).subquery()
        order = (hits.c.score.desc(), events.c.id.desc())
        place = func.row_number().over(partition_by=events.c.session_id, order_by=order).label("place")
        matching = (
            select(events.c.session_id, events.c.id, hits.c.score, place)
            .join(hits, hits.c.event_id == events.c.id)
            .where(*_visible(roles))
        )
        if exclude_session is not None:
            matching = matching.where(events.c.session_id != validate_session_id(exclude_session))
        ranked = matching.subquery()
        best = (
            select(ranked.c.session_id, ranked.c.id)
            .where(ranked.c.place == 1)
            .order_by(ranked.c.score.desc(), ranked.c.id.desc())
            .limit(limit)
        )
        return [(row.session_id, row.id) for row in await tx.execute(best)]

    async def _with_context(
        self, tx: Transaction, session_id: str, event_id: int, roles: Collection[str]
    ) -> TranscriptHit:
        title = await tx.scalar(select(sessions.c.title).where(sessions.c.id == session_id))
        page = await self.scroll(tx, session_id, event_id, window=CONTEXT_MESSAGES, roles=roles)
        hit = next(message for message in page.messages if message.id == event_id)
        return TranscriptHit(session_id, title, event_id, hit.created_ms, page.messages)


def plan(query: str) -> Iterator[TextQuery]:
    """What to look for, stage by stage, the strictest first; pure. Raises InvalidInput at once for a bad query."""
    text = storable_text(query).strip()
    if not text:
        raise InvalidInput("query", "must not be blank")
    if len(query) > QUERY_CHARACTERS_MAX:
        raise InvalidInput("query", f"must be at most {QUERY_CHARACTERS_MAX} characters")
    words, runs = _terms(text)
    return _stages(words, runs) if words or runs else iter([TextQuery(pieces=_chunks(text), everywhere=True)])


def _terms(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words (chunks between blanks that hold a letter or digit), and runs of unspaced scripts, cut out of the chunks."""
    parts = ["".join(part) for chunk in text.split() for _, part in groupby(chunk, is_unspaced)]
    telling = [part for part in dict.fromkeys(parts) if any(character.isalnum() for character in part)][:_TERMS_MAX]
    runs = tuple(part for part in telling if has_unspaced(part))
    return tuple(part for part in telling if not has_unspaced(part)), runs


def _stages(words: tuple[str, ...], runs: tuple[str, ...]) -> Iterator[TextQuery]:
    yield TextQuery(words, runs)
    if words:
        # A word may stand without blanks between characters of an unspaced script.
        yield TextQuery(pieces=(*(word for word in words), *runs))
    yield TextQuery(words, _windows(runs), every=False)


def _windows(runs: Sequence[str]) -> tuple[str, ...]:
    """Every three characters in a row of each run: a question without blanks rarely stands in a text as it is."""
    windows = (run[start : start + _PIECE] for run in runs for start in range(max(1, len(run) - _PIECE + 1)))
    return tuple(dict.fromkeys(windows))[:_TERMS_MAX]


def _chunks(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split()))[:_TERMS_MAX]


def _visible(roles: Collection[str]) -> tuple[ColumnElement[bool], ...]:
    # What has a role is a message.
    return events.c.context_visible, events.c.role.in_(list(roles))


def _check_limit(limit: int, most: int, field: str = "limit") -> None:
    if not 1 <= limit <= most:
        raise InvalidInput(field, f"must be between 1 and {most}")
