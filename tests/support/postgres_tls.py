"""PostgreSQL over TLS: the wheel's server is built without it, so that a port in front of it ends TLS as a server does."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from tests.support.postgres import PostgresServer
from tests.support.relaying import joined, listening
from tests.support.valkey_kinds import Certificates

_REQUEST_BYTES: Final = 8
_WILLING: Final = b"S"


@asynccontextmanager
async def tls_in_front_of_postgres(server: PostgresServer, certificates: Certificates) -> AsyncIterator[int]:
    """A port that answers the request for TLS, and passes everything on to the server's socket."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificates.certificate, certificates.key)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            await reader.readexactly(_REQUEST_BYTES)
            writer.write(_WILLING)
            await writer.start_tls(context)
            path = server.socket_folder / ".s.PGSQL.5432"
            await joined((reader, writer), await asyncio.open_unix_connection(str(path)))
        writer.close()

    async with listening(serve) as port:
        yield port
