"""What was said first in a session: read when somebody asks for it, and kept nowhere else."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, ScalarSelect, func, literal_column, select, tuple_

from beaver.db.tables import events
from beaver.text import has_unspaced

FIRST_WORDS_CHARACTERS: Final = 60
# Enough for the first words where much white space stands between them.
_READ_CHARACTERS: Final = FIRST_WORDS_CHARACTERS * 4


def opening_of(session_id: ColumnElement[str]) -> ScalarSelect[Any]:
    """The beginning of the first message that a session's person said and that is not hidden; NULL without one.

    For a column of the statement around it. The stretch is said as a row, as `stretch.py` tells why.
    """
    place = tuple_(events.c.session_id, events.c.id)
    return (
        select(func.substr(events.c.content, 1, _READ_CHARACTERS))
        .where(events.c.session_id <= session_id, tuple_(session_id, literal_column("0")) < place)
        .where(events.c.context_visible, events.c.role == "user")
        .order_by(events.c.session_id, events.c.id)
        .limit(literal_column("1"))
        .scalar_subquery()
    )


def first_words(text: str) -> str:
    """The beginning of a text on one line, at most 60 characters: cut between words, and where none ends, within one."""
    line = " ".join(text.split())
    if len(line) <= FIRST_WORDS_CHARACTERS:
        return line
    most = FIRST_WORDS_CHARACTERS - 1
    ends = (end for end in range(most, most // 2, -1) if _is_between_words(line, end))
    return line[: next(ends, most)].rstrip() + "…"


def _is_between_words(line: str, place: int) -> bool:
    return line[place] == " " or has_unspaced(line[place - 1 : place + 1])
