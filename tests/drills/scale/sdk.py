"""OpenAI's own client, with its own retries, behind a balancer that loses some of the answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import Final

import httpx2
import openai

from tests.drills.scale.doors import Crashed, Doors
from tests.drills.scale.ways import Answer, Message, Way

RETRIES_MAX: Final = 12
LOST: Final = 0.3
RETRY_COUNT: Final = "x-stainless-retry-count"


class LossyBalancer(httpx2.AsyncBaseTransport):
    """Sends each request to a random server that takes it. Of the first tries it loses some answers, with the connection."""

    def __init__(self, urls: Sequence[str], random: Random) -> None:
        self._urls = [httpx2.URL(url) for url in urls]
        self._random = random
        self._inner = httpx2.AsyncHTTPTransport(limits=httpx2.Limits(max_connections=None))

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """As httpx2 wants it."""
        response = await self._balanced(request)
        if request.headers[RETRY_COUNT] == "0" and self._random.random() < LOST:
            await response.aclose()
            raise httpx2.ReadError("lost on the way")
        return response

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()

    async def _balanced(self, request: httpx2.Request) -> httpx2.Response:
        for url in self._random.sample(self._urls, len(self._urls)):
            request.url = request.url.copy_with(host=url.host, port=url.port)
            request.headers["Host"] = f"{url.host}:{url.port}"
            try:
                return await self._inner.handle_async_request(request)
            except httpx2.ConnectError:
                continue
        raise httpx2.ConnectError("no server takes connections")


@asynccontextmanager
async def by_sdk(urls: Sequence[str], random: Random) -> AsyncIterator[Way]:
    """The way of a program that uses the client and leaves the rest to it: no key, no second look."""
    http = httpx2.AsyncClient(transport=LossyBalancer(urls, random), trust_env=False)
    async with openai.AsyncOpenAI(
        base_url="http://127.0.0.1/v1", api_key="none", max_retries=RETRIES_MAX, http_client=http
    ) as client:

        async def say(_doors: Doors, message: Message) -> Answer:
            try:
                said = await client.chat.completions.create(
                    model="beaver",
                    messages=[{"role": "user", "content": message.prompt}],
                    extra_headers={"X-Beaver-Session": message.session_id},
                )
            except openai.APIStatusError as error:
                if error.response.headers.get("x-should-retry") != "false":
                    raise
                raise Crashed(str(error)) from None
            return Answer(said.id, said.choices[0].message.content or "")

        yield say
