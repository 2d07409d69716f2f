"""What a search heeds beside the passages of a namespace: what was taken back, and whoever has more than one name."""

from __future__ import annotations

from dataclasses import dataclass

from beaver.db.engine import Transaction
from beaver.memory.retrieval.beside.names import Names
from beaver.memory.retrieval.beside.names_store import several_names
from beaver.memory.retrieval.beside.taken_back import TakenBack
from beaver.memory.retrieval.beside.taken_back_store import read_taken_back
from beaver.memory.retrieval.words import query_terms


@dataclass(frozen=True)
class Beside:
    """As it stood at some revision of the namespace."""

    taken_back: tuple[TakenBack, ...] = ()
    names: tuple[Names, ...] = ()


async def read_beside(tx: Transaction, namespace_id: int) -> Beside:
    """As the transaction sees it. A search has full trust: it knows the people of every store."""
    taken_back = await read_taken_back(tx, namespace_id)
    names = [tuple(map(_words, each)) for each in await several_names(tx, namespace_id)]
    return Beside(taken_back, tuple(names))


def _words(name: str) -> tuple[str, ...]:
    """A name as a question's words are read."""
    return tuple(spelling for spellings in query_terms(name) for spelling in spellings)
