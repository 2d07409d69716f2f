"""Alembic's entry to this folder."""

from beaver.db.migrate import run_environment
from beaver.memory.migrations import metadata

run_environment(metadata)
