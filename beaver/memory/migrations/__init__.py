"""Numbered migrations of the memory database. Each is frozen once released; `tables.py` says where they lead."""

from beaver.memory.tables import metadata as metadata

HEAD = "0001"
