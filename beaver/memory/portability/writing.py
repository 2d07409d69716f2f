"""Lines of an export file into the database, in the order of the file, findable as they were."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy.exc import IntegrityError

from beaver.db.engine import Transaction
from beaver.errors import Conflict, InvalidInput
from beaver.memory.observations.entries import text_of
from beaver.memory.observations.records import Evidence, Observation
from beaver.memory.observations.store import add_labels
from beaver.memory.portability import store
from beaver.memory.portability.kinds import (
    CONVERSATION,
    DOCUMENT,
    LINES,
    MESSAGE,
    OBSERVATION,
    SUMMARY,
    TURN,
    Fields,
    Kind,
)
from beaver.memory.portability.lines import Record
from beaver.memory.records import NewMessage
from beaver.memory.retrieval.chunking import IndexedSpan, indexed_spans, indexed_whole
from beaver.memory.retrieval.store import NewPassage, add_passages
from beaver.memory.summaries.records import Summary
from beaver.memory.summaries.text import summary_text
from beaver.memory.transcripts.turns import passages_of_turn

Findable = tuple[str | None, partial[NewPassage]]
"""A passage that lacks the number of its conversation, behind the session id, if it is in one."""


async def write_page(tx: Transaction, namespace_id: int, page: Sequence[Record], found: Sequence[Findable]) -> None:
    """Store some lines, by which searches find them. Raises InvalidInput naming the line that cannot be, Conflict for ids that
    are taken."""
    try:
        by_kind = {kind: [record for record in page if record.kind is kind] for kind in LINES.values()}
        await store.insert_rows(tx, CONVERSATION, _own(namespace_id, by_kind.pop(CONVERSATION)))
        numbers = await _numbers(tx, namespace_id, page)
        for kind, some in by_kind.items():
            await store.insert_rows(tx, kind, _own(namespace_id, some, numbers))
            if kind is TURN:
                await store.insert_rows(tx, MESSAGE, _messages(namespace_id, some))
        await add_passages(tx, namespace_id, [new(conversation_id=numbers[one]) for one, new in found])
        await _label(tx, namespace_id, by_kind[OBSERVATION])
    except IntegrityError:
        raise Conflict(
            f"lines {page[0].line} to {page[-1].line}: an id stands twice in the file, or belongs to another memory or import"
        ) from None


async def _numbers(tx: Transaction, namespace_id: int, page: Sequence[Record]) -> dict[str | None, int | None]:
    wanted = {
        record.fields["session_id"] for record in page if record.kind.in_session and record.fields.get("session_id")
    }
    numbers: dict[str | None, int | None] = {None: None}
    numbers.update(await store.find_conversations(tx, namespace_id, sorted(wanted)))
    for record in page:
        if record.kind.in_session and record.fields.get("session_id") not in numbers:
            raise InvalidInput(f"line {record.line}: session_id", "must be that of a conversation of the file")
    return numbers


def _own(
    namespace_id: int, some: Sequence[Record], numbers: dict[str | None, int | None] | None = None
) -> list[Fields]:
    rows = []
    for record in some:
        row: Fields = {"namespace_id": namespace_id}
        row |= {name: record.fields.get(name) for name in record.kind.columns}
        if record.kind.in_session and numbers is not None:
            row["conversation_id"] = numbers[record.fields.get("session_id")]
        rows.append(row)
    return rows


def _messages(namespace_id: int, some: Sequence[Record]) -> list[Fields]:
    return [
        {"namespace_id": namespace_id, "turn_id": record.fields["id"]}
        | {name: message[name] for name in MESSAGE.columns}
        for record in some
        for message in record.fields["messages"]
    ]


def findable(page: Sequence[Record], user_id: str) -> list[Findable]:
    """What a search finds of some lines. Pure, and most of the work."""
    made: list[Findable] = []
    for record in page:
        fields = record.fields
        session_id = fields.get("session_id") if record.kind.in_session else None
        if record.kind is TURN:
            for message in fields["messages"]:
                if message["passage"] is not None:
                    said = NewMessage(
                        message["role"], message["speaker"], message["passage"]["observed_ms"], message["content"]
                    )
                    spans = passages_of_turn([said], user_id)[0]
                    made += _placed(MESSAGE, message, spans, session_id)
        elif record.kind.source is not None and fields["passage"] is not None:
            made += _placed(record.kind, fields, _spans(record.kind, fields), session_id)
    return made


def _spans(kind: Kind, fields: Fields) -> Sequence[IndexedSpan]:
    observed_ms = fields["passage"]["observed_ms"]
    if kind is DOCUMENT:
        return indexed_spans(fields["content"], fields["title"], observed_ms=observed_ms)
    if kind is SUMMARY:
        return [indexed_whole(summary_text(_summary(fields)), observed_ms=observed_ms)]
    return [indexed_whole(text_of(as_observation(fields)), observed_ms=observed_ms)]


def _placed(kind: Kind, fields: Fields, spans: Sequence[IndexedSpan], session_id: str | None) -> list[Findable]:
    source: dict[str, Any] = {str(kind.source): fields["id"]}
    return [
        (session_id, partial(NewPassage, indexed=indexed, position=position, **fields["passage"], **source))
        for position, indexed in enumerate(spans)
    ]


def _summary(fields: Fields) -> Summary:
    return Summary(
        request=fields["request"],
        outcome=fields["outcome"],
        decisions=tuple(fields["decisions"]),
        open_items=tuple(fields["open_items"]),
        observation_count=fields["observation_count"],
    )


def as_observation(fields: Fields) -> Observation:
    """The observation of a line."""
    lists = {name: tuple(fields[name]) for name in ("facts", "tags", "related_files", "related_people")}
    names = set(Observation.__dataclass_fields__) - {*lists, "evidence"}
    evidence = tuple(Evidence(**one) for one in fields["evidence"])
    return Observation(**{name: fields.get(name) for name in names}, **lists, evidence=evidence)  # type: ignore[arg-type]


async def _label(tx: Transaction, namespace_id: int, some: Sequence[Record]) -> None:
    for record in some:
        observation = as_observation(record.fields)
        if observation.ended_ms is None:
            await add_labels(tx, namespace_id, observation)
