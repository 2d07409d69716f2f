"""The full-text index on PostgreSQL: one tsvector of stems and filter tokens, asked through a GIN index."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import text

from beaver.db.engine import Transaction

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
_MARKED: Final = (
    "(SELECT string_agg(CASE WHEN "  # noqa: S608
    f"{_STEM} = ANY(CAST(:stems AS text[])) THEN chr(2) || word || chr(3) ELSE word END, ' ' ORDER BY place) "
    "FROM unnest(string_to_array(best.text, ' ')) WITH ORDINALITY AS words (word, place))"
)
_MATCH: Final = text(
    "SELECT passages.id, passages.message_id, passages.observed_ms, "  # noqa: S608
    f"{_MARKED} FROM (SELECT rowid, text FROM memory_fts WHERE lexemes @@ CAST(:wanted AS tsquery) "
    "AND rowid <= :upto_id ORDER BY rowid DESC LIMIT :at_most) best "
    "JOIN passages ON passages.id = best.rowid WHERE passages.namespace_id = :namespace_id"
)
_TOKEN: Final = re.compile(r"\b[nmrc]\d+\b")
_SPELLING: Final = re.compile(r'"([^"]+)"')


async def insert_rows(tx: Transaction, rows: Sequence[dict[str, Any]]) -> None:
    """Rows of `rowid`, `text` (words) and `scope` (filter tokens)."""
    await tx.execute(_INSERT, [{"rowid": row["rowid"], "words": row["text"], "scope": row["scope"]} for row in rows])


async def delete_rows(tx: Transaction, passage_ids: Sequence[int]) -> None:
    """Take passages out of the index."""
    await tx.execute(_DELETE, {"ids": list(passage_ids)})


async def match_rows(tx: Transaction, namespace_id: int, expression: str, *, upto_id: int, limit: int) -> Sequence[Any]:
    """(passage id, message id, observed_ms, marked words) of the newest passages for FTS5's own expression."""
    scope, _, terms = expression.partition(" AND text : ")
    stems = list((await tx.execute(_STEMS, {"words": _SPELLING.findall(terms)})).scalars())
    any_term = " | ".join(f"'{stem}'" for stem in stems)
    filters = _TOKEN.sub(lambda token: f"'#{token.group()}'", scope.partition(":")[2])
    filters = filters.replace(" AND ", " & ").replace(" OR ", " | ")
    asked = {
        "wanted": f"({filters}) & ({any_term})",
        "stems": stems,
        "upto_id": upto_id,
        "at_most": limit,
        "namespace_id": namespace_id,
    }
    return (await tx.execute(_MATCH, asked)).all()
