"""What a PostgreSQL URL says in its query reaches the server, beside our own settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from beaver.db.engine import IDLE_IN_TRANSACTION_MS, Database
from beaver.errors import Unavailable
from tests.support.postgres import PostgresServer
from tests.support.postgres_tls import tls_in_front_of_postgres
from tests.support.valkey_kinds import make_certificates


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
        ("channel_binding=prefer&gssencmode=disable&connect_timeout=9&application_name=x", "application_name", "x"),
    ],
)
async def test_a_parameter_of_the_url_is_kept(
    postgres_server: PostgresServer, query: str, setting: str, value: str
) -> None:
    assert await shown(f"{postgres_server.url('postgres')}&{query}", setting) == value


async def test_what_the_url_says_does_not_replace_our_own_settings(postgres_server: PostgresServer) -> None:
    url = f"{postgres_server.url('postgres')}&application_name=x"
    assert await shown(url, "idle_in_transaction_session_timeout") == f"{IDLE_IN_TRANSACTION_MS // 1000}s"


async def test_where_the_channel_is_to_be_bound_the_servers_certificate_is_checked(
    postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = make_certificates(tmp_path, "DNS:localhost")
    (tmp_path / "other").mkdir()
    wrong = make_certificates(tmp_path / "other", "DNS:localhost")
    checked = "application_name=x&sslmode=verify-full&channel_binding=require"
    async with tls_in_front_of_postgres(postgres_server, right) as port:
        url = f"postgresql://postgres@localhost:{port}/postgres?{checked}"
        assert await shown(f"{url}&sslrootcert={right.authority}", "application_name") == "x"
        with pytest.raises(Unavailable):
            await shown(f"{url}&sslrootcert={wrong.authority}", "application_name")
        with pytest.raises(Unavailable):
            await shown(f"{url}&sslrootcert=system", "application_name")
        monkeypatch.setenv("SSL_CERT_FILE", str(right.authority))
        assert await shown(f"{url}&sslrootcert=system", "application_name") == "x"
