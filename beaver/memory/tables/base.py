"""What every table of the memory database shares: the metadata with its naming rule, rising ids, the namespace column."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, ColumnElement, ForeignKey, MetaData, Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite gives ids that are never used twice only to INTEGER PRIMARY KEY AUTOINCREMENT.
RISING = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def namespace_column() -> Column[int]:
    """The column that every row of a user's memory carries; the row goes when its namespace goes."""
    return Column("namespace_id", BigInteger, ForeignKey("namespaces.id", ondelete="CASCADE"), nullable=False)


def is_in(table: Table, namespace_id: int | ColumnElement[int]) -> ColumnElement[bool]:
    """Whether a row that is looked up by its own id is of the namespace. SQLite, which cannot tell how few ids there are, must
    not read the whole namespace by its index for them."""
    return _NotByIndex(table.c.namespace_id) == namespace_id


class _NotByIndex(FunctionElement[int]):
    """A column as SQLite looks nothing up by. To PostgreSQL it is the column: what it has counted of it serves its plans."""

    inherit_cache = True
    type = BigInteger()


@compiles(_NotByIndex)
def _the_column(element: _NotByIndex, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(_NotByIndex, "sqlite")
def _plus_the_column(element: _NotByIndex, compiler: SQLCompiler, **options: Any) -> str:
    return f"+{compiler.process(element.clauses, **options)}"
