"""Clients of servers on this machine. They speak plain HTTP, and read no list of authorities: that would be 20 ms of each."""

from __future__ import annotations

import ssl
from typing import Any

import httpx


def loopback_client(url: str = "", *, timeout: float = 30, **more: Any) -> httpx.AsyncClient:
    """A client whose addresses begin with this one; `timeout` in seconds."""
    no_authority = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx.AsyncClient(base_url=url, trust_env=False, timeout=timeout, verify=no_authority, **more)
