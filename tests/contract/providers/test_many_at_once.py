"""As many runs as a server allows ask the model at once: none waits for another's answer to end."""

from __future__ import annotations

import asyncio

from beaver.agent.providers.connection import http_client

RUNS = 130
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


async def test_a_call_waits_for_no_other_calls_end() -> None:
    # Nobody is answered before everybody has asked.
    all_have_asked = asyncio.Barrier(RUNS)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await all_have_asked.wait()
        writer.write(ANSWER)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=RUNS)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, http_client(60, None) as client:
        answers = await asyncio.wait_for(asyncio.gather(*(client.get(url) for _ in range(RUNS))), 30)
    assert [answer.status_code for answer in answers] == [200] * RUNS
