"""Numbered migrations of the memory database. Each is frozen once released; `tables.py` says where they lead."""

from beaver.memory.tables import metadata as metadata

HEAD = "0010"
# Its own, so that the memory database may share a PostgreSQL database with the session store one day.
VERSION_TABLE = "memory_alembic_version"
