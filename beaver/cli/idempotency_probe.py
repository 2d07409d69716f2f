"""Asks a Memory Gateway whether it honours `Idempotency-Key`, by a question that stores nothing anywhere."""

from __future__ import annotations

import asyncio
import json
import ssl
from typing import Final

import httpx

PROBE_TIMEOUT_S: Final = 3.0
_ANSWER_BYTES_MAX: Final = 65_536
_FIELD: Final = "idempotency_key"


async def honours_idempotency_key(base_url: str) -> bool | None:
    """What `GET /health` of the Gateway says of it; None where it says nothing, or nothing that can be read in time.

    Whether a key works could only be tried by storing something twice, and a foreign Gateway might do just that.
    """
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            health = json.loads(await _answer(f"{base_url}/health"))
    except (httpx.HTTPError, httpx.InvalidURL, OSError, TimeoutError, ValueError, RecursionError):
        return None
    said = health.get(_FIELD) if isinstance(health, dict) else None
    return said if isinstance(said, bool) else None


async def _answer(url: str) -> bytes:
    content = b""
    # The same trust as the Gateway's own client has.
    https = url.lower().startswith("https:")
    context = httpx.create_ssl_context(trust_env=False) if https else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    async with (
        httpx.AsyncClient(verify=context, trust_env=False, timeout=PROBE_TIMEOUT_S) as client,
        client.stream("GET", url) as response,
    ):
        response.raise_for_status()
        async for chunk in response.aiter_raw():
            content += chunk
            if len(content) > _ANSWER_BYTES_MAX:
                raise ValueError("too large for a health answer")
    return content
