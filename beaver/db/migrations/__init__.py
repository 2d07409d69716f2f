"""Numbered migrations of the session database. Each is frozen once released; `tables.py` says where they lead."""

from beaver.db.tables import metadata as metadata

HEAD = "0008"
