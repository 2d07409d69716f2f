"""The scene on both databases."""

from __future__ import annotations

import pytest

from beaver.db.engine import Database
from tests.contract.observations.scene import Scene


@pytest.fixture
async def scene(memory_database: Database) -> Scene:
    made = Scene(memory_database)
    await made.make_users()
    return made
