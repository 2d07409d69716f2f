"""The full-text index on PostgreSQL: one tsvector of stems and filter tokens, asked through a GIN index."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import text

from beaver.db.engine import Transaction
from beaver.memory.retrieval.ranking import MARK_CLOSE, MARK_OPEN
from beaver.memory.retrieval.stems import stem_word

# FTS5's stemmer, so that both databases find the same; a word that it leaves nothing of stays as it is.
_STEM: Final = "COALESCE((ts_lexize('memory_stem', word))[1], word)"
# Filter tokens stand among the words, behind a sign that no word holds.
_INSERT: Final = text(
    "INSERT INTO memory_fts (rowid, text, lexemes) VALUES (CAST(:rowid AS bigint), CAST(:words AS text), "  # noqa: S608
    f"array_to_tsvector(ARRAY(SELECT {_STEM} FROM unnest(string_to_array(CAST(:words AS text), ' ')) word "
    "WHERE word <> '') || ARRAY(SELECT '#' || token FROM unnest(string_to_array(CAST(:scope AS text), ' ')) token)))"
)
_DELETE: Final = text("DELETE FROM memory_fts WHERE rowid = ANY(CAST(:ids AS bigint[]))")
_STEMS: Final = text(f"SELECT DISTINCT {_STEM} FROM unnest(CAST(:words AS text[])) word")  # noqa: S608
_FOUND: Final = "SELECT rowid FROM memory_fts WHERE lexemes @@ CAST(:wanted AS tsquery) AND rowid <= :upto_id"
_NEWEST: Final = "ORDER BY rowid DESC LIMIT :at_most"
_READ: Final = (
    "SELECT passages.id, passages.message_id, passages.observed_ms, best.text FROM newest "
    "JOIN memory_fts best ON best.rowid = newest.rowid JOIN passages ON passages.id = newest.rowid "
    "WHERE passages.namespace_id = :namespace_id"
)
COMMON_FROM: Final = 10_000
"""Expected matches from which on it is quicker to walk back through all rows until there are enough."""
# What is common is soon found by walking back, what is rare by the index: a plan that is kept for any question cannot know
# which, and took 300 ms of a million passages.
_COMMON: Final = text(f"WITH newest AS ({_FOUND} {_NEWEST}) {_READ}")
_RARE: Final = text(f"WITH found AS MATERIALIZED ({_FOUND}), newest AS (SELECT rowid FROM found {_NEWEST}) {_READ}")  # noqa: S608
_TOKEN: Final = re.compile(r"\b[nmrc]\d+\b")
_SPELLING: Final = re.compile(r'"([^"]+)"')


async def insert_rows(tx: Transaction, rows: Sequence[dict[str, Any]]) -> None:
    """Rows of `rowid`, `text` (words) and `scope` (filter tokens)."""
    await tx.execute(_INSERT, [{"rowid": row["rowid"], "words": row["text"], "scope": row["scope"]} for row in rows])


async def delete_rows(tx: Transaction, passage_ids: Sequence[int]) -> None:
    """Take passages out of the index."""
    await tx.execute(_DELETE, {"ids": list(passage_ids)})


async def match_rows(
    tx: Transaction, namespace_id: int, *, expression: str, upto_id: int, limit: int, expected: float
) -> Sequence[Any]:
    """(passage id, message id, observed_ms, marked words) of the newest passages for FTS5's own expression."""
    scope, _, terms = expression.partition(" AND text : ")
    spellings = _SPELLING.findall(terms)
    stems = list((await tx.execute(_STEMS, {"words": spellings})).scalars())
    any_term = " | ".join(f"'{stem}'" for stem in stems)
    filters = _TOKEN.sub(lambda token: f"'#{token.group()}'", scope.partition(":")[2])
    filters = filters.replace(" AND ", " & ").replace(" OR ", " | ")
    asked = {
        "wanted": f"({filters}) & ({any_term})",
        "upto_id": upto_id,
        "at_most": limit,
        "namespace_id": namespace_id,
    }
    found = await tx.execute(_COMMON if expected >= COMMON_FROM else _RARE, asked)
    wanted = frozenset(map(stem_word, spellings))
    return [(*rest, _marked(words, wanted)) for *rest, words in found]


def _marked(words: str, wanted: frozenset[str]) -> str:
    """As FTS5 marks what it found. Not in SQL, where it takes three times as long as to find it."""
    return " ".join(
        f"{MARK_OPEN}{word}{MARK_CLOSE}" if stem_word(word) in wanted else word for word in words.split(" ")
    )
