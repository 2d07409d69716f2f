"""Lines of an export file into the database, in the order of the file, findable as they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy.exc import IntegrityError

from beaver.db.engine import Transaction
from beaver.errors import Conflict, InvalidInput
from beaver.memory.observations.archive_store import archived_hash
from beaver.memory.observations.entries import text_of
from beaver.memory.observations.records import Evidence, Observation
from beaver.memory.observations.store import add_labels
from beaver.memory.portability import store
from beaver.memory.portability.kinds import (
    ARCHIVED,
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
from beaver.memory.resources.passages import document_passages
from beaver.memory.retrieval.chunking import IndexedSpan, indexed_whole
from beaver.memory.retrieval.store import NewPassage, add_passages
from beaver.memory.summaries.records import Summary
from beaver.memory.summaries.text import summary_text
from beaver.memory.transcripts.turns import passages_of_turn

Spans = Mapping[tuple[int, str], Sequence[IndexedSpan]]
"""What a search finds of lines, by the line's number and the id of the message or of what else is found."""
Numbers = Mapping[str | None, int | None]
"""Of conversations, by session id; None has none."""


async def write_page(tx: Transaction, namespace_id: int, page: Sequence[Record], spans: Spans) -> None:
    """Store some lines, to be found by their spans, of which there may be more. Raises InvalidInput naming the line that cannot
    be stored, Conflict for ids that are taken."""
    try:
        by_kind = {kind: [record for record in page if record.kind is kind] for kind in LINES.values()}
        await store.insert_rows(tx, CONVERSATION, _own(namespace_id, by_kind.pop(CONVERSATION)))
        numbers = await _numbers(tx, namespace_id, page)
        for kind, some in by_kind.items():
            await store.insert_rows(tx, kind, _own(namespace_id, some, numbers))
            if kind is TURN:
                await store.insert_rows(tx, MESSAGE, _messages(namespace_id, some))
        await add_passages(tx, namespace_id, [*_passages(page, spans, numbers)])
        await _label(tx, namespace_id, by_kind[OBSERVATION])
    except IntegrityError:
        raise Conflict(
            f"lines {page[0].line} to {page[-1].line}: an id stands twice in the file, or belongs to another memory or import"
        ) from None


async def _numbers(tx: Transaction, namespace_id: int, page: Sequence[Record]) -> Numbers:
    wanted = {
        record.fields["session_id"] for record in page if record.kind.in_session and record.fields.get("session_id")
    }
    numbers: dict[str | None, int | None] = {None: None}
    numbers.update(await store.find_conversations(tx, namespace_id, sorted(wanted)))
    for record in page:
        if record.kind.in_session and record.fields.get("session_id") not in numbers:
            raise InvalidInput(f"line {record.line}: session_id", "must be that of a conversation of the file")
    return numbers


def _own(namespace_id: int, some: Sequence[Record], numbers: Numbers | None = None) -> list[Fields]:
    rows = []
    for record in some:
        row: Fields = {"namespace_id": namespace_id}
        row |= {name: record.fields.get(name) for name in record.kind.columns}
        if record.kind.in_session and numbers is not None:
            row["conversation_id"] = numbers[record.fields.get("session_id")]
        if record.kind is ARCHIVED:
            row["hash"] = archived_hash(record.fields["observation"])
        rows.append(row)
    return rows


def _messages(namespace_id: int, some: Sequence[Record]) -> list[Fields]:
    return [
        {"namespace_id": namespace_id, "turn_id": record.fields["id"]}
        | {name: message[name] for name in MESSAGE.columns}
        for record in some
        for message in record.fields["messages"]
    ]


def _passages(page: Sequence[Record], spans: Spans, numbers: Numbers) -> Iterator[NewPassage]:
    for record in page:
        conversation_id = numbers[record.fields.get("session_id") if record.kind.in_session else None]
        for found in _found(record):
            if found["passage"] is not None:
                source = {str(record.kind.source): found["id"]}
                for position, indexed in enumerate(spans[record.line, found["id"]]):
                    yield NewPassage(indexed, position, conversation_id=conversation_id, **found["passage"], **source)


def spans_of(page: Sequence[Record], user_id: str) -> Spans:
    """What a search may find of some lines, wherever these are placed. Pure, and most of the work."""
    return {
        (record.line, found["id"]): _spans(record.kind, found, user_id) for record in page for found in _found(record)
    }


def _found(record: Record) -> Sequence[Fields]:
    """What of a line a search may find: messages of a turn, else the line itself or nothing."""
    if record.kind is TURN:
        messages: Sequence[Fields] = record.fields["messages"]
        return messages
    return [] if record.kind.source is None or record.fields["passage"] is None else [record.fields]


def _spans(kind: Kind, fields: Fields, user_id: str) -> Sequence[IndexedSpan]:
    if kind is TURN:
        said = NewMessage(fields["role"], fields["speaker"], fields["observed_ms"], fields["content"])
        return passages_of_turn([said], user_id)[0]
    observed_ms = fields["passage"]["observed_ms"]
    if kind is DOCUMENT:
        return document_passages(fields["content"], fields["title"], observed_ms=observed_ms)
    if kind is SUMMARY:
        return [indexed_whole(summary_text(_summary(fields)), observed_ms=observed_ms)]
    return [indexed_whole(text_of(as_observation(fields)), observed_ms=observed_ms)]


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
