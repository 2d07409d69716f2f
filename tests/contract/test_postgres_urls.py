"""What a PostgreSQL URL says in its query reaches the server, beside our own settings."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from beaver.db.engine import IDLE_IN_TRANSACTION_MS, Database
from tests.support.postgres import PostgresServer


async def shown(url: str, setting: str) -> str:
    database = Database.open(url)
    try:
        async with database.read() as tx:
            return str((await tx.execute(text(f"SHOW {setting}"))).scalar_one())
    finally:
        await database.close()


@pytest.mark.parametrize(
    ("query", "setting", "value"),
    [
        ("application_name=night%20shift", "application_name", "night shift"),
        ("sslmode=prefer&target_session_attrs=read-write", "search_path", '"$user", public'),
    ],
)
async def test_a_parameter_of_the_url_is_kept(
    postgres_server: PostgresServer, query: str, setting: str, value: str
) -> None:
    assert await shown(f"{postgres_server.url('postgres')}&{query}", setting) == value


async def test_what_the_url_says_does_not_replace_our_own_settings(postgres_server: PostgresServer) -> None:
    url = f"{postgres_server.url('postgres')}&application_name=x"
    assert await shown(url, "idle_in_transaction_session_timeout") == f"{IDLE_IN_TRANSACTION_MS // 1000}s"
