"""For whom a limit counts."""

from __future__ import annotations

from typing import Any

import pytest

from beaver.server.guard.asker import asker_of
from beaver.server.guard.auth import NEIGHBOUR, Caller


def _scope(host: str | None, caller: Caller = NEIGHBOUR) -> dict[str, Any]:
    client = None if host is None else (host, 1234)
    return {"type": "http", "client": client, "headers": [], "state": {"caller": caller}}


def test_a_key_counts_wherever_it_is_used() -> None:
    caller = Caller("key_1", frozenset({"chat"}), front_end=False)
    assert {asker_of(_scope(host, caller)) for host in ("192.0.2.1", "2001:db8::1", None)} == {"key:key_1"}


@pytest.mark.parametrize(
    ("host", "asker"),
    [
        ("192.0.2.1", "address:192.0.2.1/32"),
        ("::ffff:192.0.2.1", "address:192.0.2.1/32"),
        ("2001:db8:0:1::1", "address:2001:db8:0:1::/64"),
        ("2001:db8:0:1:ffff:ffff:ffff:ffff", "address:2001:db8:0:1::/64"),
        ("fe80::1%eth0", "address:fe80::/64"),
        ("unknown", "address:unknown"),
        ("x" * 5000, "address:unknown"),
        (None, "address:unknown"),
    ],
)
def test_without_a_key_a_network_counts_that_one_machine_has(host: str | None, asker: str) -> None:
    assert asker_of(_scope(host)) == asker
