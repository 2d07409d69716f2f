"""What an export file is made of, pure: a kind of line for each table, its fields and the rules they keep.

The fields are the table's columns, but for the namespace and the numbers that a database gives: a conversation is named by its
`session_id`. A turn holds its messages. What a search finds holds `passage`: when, and where in its conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from sqlalchemy import BigInteger, Boolean, Column, Integer, Table
from sqlalchemy.types import JSON

from beaver.errors import InvalidInput
from beaver.memory.portability.contents import broken_rule
from beaver.memory.stored_text import storable
from beaver.memory.tables import (
    conversations,
    documents,
    messages,
    observation_archive,
    observation_history,
    observations,
    people,
    session_summaries,
    tombstones,
    turns,
)

Fields = dict[str, Any]
PASSAGE_FIELDS: Final = ("observed_ms", "episode", "ordinal")
INTEGER_MAX: Final = 2**63 - 1
MESSAGES_A_TURN_MAX: Final = 1000


@dataclass(frozen=True)
class Kind:
    """A kind of line. `key`: the column by which pages go on; `source`: the column of passages that points at it, if any."""

    name: str
    table: Table
    key: str
    source: str | None = None
    left_out: frozenset[str] = field(default=frozenset())

    @cached_property
    def carried(self) -> Mapping[str, Column[Any]]:
        """The columns that are carried as they are, by name."""
        numbered = {"id"} if self.table.c[self.key].autoincrement is True else set()
        unseen = {"namespace_id", "conversation_id"} | numbered | self.left_out
        return {column.name: column for column in self.table.columns if column.name not in unseen}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.carried)

    @cached_property
    def known(self) -> frozenset[str]:
        """All that a line of it may hold."""
        return frozenset({*self.columns, *_further(self)})

    @cached_property
    def in_session(self) -> bool:
        """Whether it may belong to a conversation, which its `session_id` names."""
        return "conversation_id" in self.table.c


PERSON: Final = Kind("person", people, "id")
CONVERSATION: Final = Kind("conversation", conversations, "id")
TURN: Final = Kind("turn", turns, "id", source="message_id")
MESSAGE: Final = Kind("message", messages, "id", source="message_id", left_out=frozenset({"turn_id"}))
DOCUMENT: Final = Kind("document", documents, "id", source="document_id")
OBSERVATION: Final = Kind("observation", observations, "id", source="observation_id")
SUMMARY: Final = Kind("summary", session_summaries, "id", source="summary_id")
HISTORY: Final = Kind("history", observation_history, "id")
ARCHIVED: Final = Kind("archived", observation_archive, "observation_id", left_out=frozenset({"hash", "session_id"}))
TOMBSTONE: Final = Kind("tombstone", tombstones, "hash")

FOUND: Final = (TURN, DOCUMENT, OBSERVATION, SUMMARY)
"""What a search can find. These lines stand in the order in which they were stored, one behind the other."""
LINES: Final = {kind.name: kind for kind in (PERSON, CONVERSATION, *FOUND, HISTORY, ARCHIVED, TOMBSTONE)}


def check(kind: Kind, fields: Mapping[str, Any]) -> None:
    """Raise InvalidInput for the first field that breaks a rule."""
    for name in fields:
        if name not in kind.known:
            raise InvalidInput(_shown(name), "is not a known key")
    for name, column in kind.carried.items():
        _check_value(column, fields.get(name, _MISSING), name)
    if kind.in_session:
        _check_session(kind, fields.get("session_id"))
    if kind.source is not None and kind is not TURN:
        _check_passage(fields.get("passage"))
    if kind is TURN:
        _check_messages(fields.get("messages"))


def _further(kind: Kind) -> Iterator[str]:
    if kind.in_session:
        yield "session_id"
    if kind is TURN:
        yield "messages"
    elif kind.source is not None:
        yield "passage"


_MISSING: Final = object()


def _check_value(column: Column[Any], value: Any, name: str) -> None:
    if value is _MISSING:
        if not column.nullable:
            raise InvalidInput(name, "is required")
        return
    if value is None:
        if not column.nullable:
            raise InvalidInput(name, "must not be null")
        return
    rule = _broken(column, value)
    if rule is not None:
        raise InvalidInput(name, rule)


def _broken(column: Column[Any], value: Any) -> str | None:
    match column.type:
        case Boolean():
            return None if isinstance(value, bool) else "must be true or false"
        case JSON():
            return broken_rule(column.name, value)
        case BigInteger() | Integer():
            whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= INTEGER_MAX
            return None if whole else "must be a whole number"
        case _:
            return _broken_text(value)


def _broken_text(value: Any) -> str | None:
    if not isinstance(value, str):
        return "must be a string"
    return None if storable(value) == value else "must not hold NUL or half a surrogate pair"


def _check_session(kind: Kind, session_id: Any) -> None:
    required = not kind.table.c.conversation_id.nullable
    if session_id is None and not required:
        return
    if not isinstance(session_id, str) or not session_id.strip():
        raise InvalidInput("session_id", "must be a string that is not blank")


def _check_passage(passage: Any, within: str = "") -> None:
    name = f"{within}passage"
    if passage is None:
        return
    if not isinstance(passage, dict) or set(passage) != set(PASSAGE_FIELDS):
        raise InvalidInput(name, f"must be null or an object of {', '.join(PASSAGE_FIELDS)}")
    for part, value in passage.items():
        whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= INTEGER_MAX
        if not whole and not (value is None and part != "observed_ms"):
            raise InvalidInput(f"{name}.{part}", "must be a whole number")


def _check_messages(held: Any) -> None:
    if not isinstance(held, Sequence) or isinstance(held, str) or len(held) > MESSAGES_A_TURN_MAX:
        raise InvalidInput("messages", f"must be a list of at most {MESSAGES_A_TURN_MAX}")
    for number, message in enumerate(held):
        if not isinstance(message, dict):
            raise InvalidInput(f"messages.{number}", "must be an object")
        try:
            check(MESSAGE, message)
        except InvalidInput as error:
            raise InvalidInput(f"messages.{number}.{error.field}", error.rule) from None


def _shown(name: str) -> str:
    """A key that the file made up is named only if it looks like a name."""
    return name if name.isascii() and name.isidentifier() and len(name) <= 40 else "(a key)"
