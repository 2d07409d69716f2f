"""Who may make users."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from beaver.config.hosts import is_surely_loopback
from beaver.errors import Unauthenticated
from beaver.gateway.auth import Caller, Gate
from beaver.memory.runtime import MemoryRuntime


def gate(*, admin_key: str | None, trust_loopback: bool) -> Gate:
    runtime = MemoryRuntime.__new__(MemoryRuntime)  # an administrator is told without asking the memory
    return Gate(runtime, admin_key=SecretStr(admin_key) if admin_key else None, trust_loopback=trust_loopback)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("gateway", False),
        ("localhost.evil.example", False),
        ("one.localhost", False),
        (None, False),
    ],
)
def test_loopback_is_told_from_other_addresses(host: str | None, loopback: bool) -> None:
    assert is_surely_loopback(host) is loopback


@pytest.mark.parametrize(
    ("caller", "admin_key", "trust_loopback", "admitted"),
    [
        (Caller("127.0.0.1", direct=True), None, True, True),
        (Caller("127.0.0.1", direct=True), None, False, False),
        (Caller("127.0.0.1", direct=False), None, True, False),
        (Caller("127.0.0.1", direct=True), "admin-key", True, False),
        (Caller("10.0.0.1", direct=True), None, True, False),
        (Caller(None, direct=True), None, True, False),
        (Caller("127.0.0.1", direct=True, bearer=SecretStr("admin-key")), "admin-key", True, True),
        (Caller("10.0.0.1", direct=False, bearer=SecretStr("admin-key")), "admin-key", False, True),
        (Caller("10.0.0.1", direct=True, bearer=SecretStr("admin-ke")), "admin-key", True, False),
    ],
)
def test_an_administrator_has_the_key_or_where_none_is_set_is_on_this_machine(
    caller: Caller, admin_key: str | None, trust_loopback: bool, admitted: bool
) -> None:
    door = gate(admin_key=admin_key, trust_loopback=trust_loopback)
    if admitted:
        assert door.admit_admin(caller) == "admin"
    else:
        with pytest.raises(Unauthenticated):
            door.admit_admin(caller)


def test_figures_are_shown_to_this_machine_too() -> None:
    door = gate(admin_key="admin-key", trust_loopback=True)
    door.admit_watcher(Caller("127.0.0.1", direct=True))
    door.admit_watcher(Caller("10.0.0.1", direct=True, bearer=SecretStr("admin-key")))
    for stranger in (Caller("127.0.0.1", direct=False), Caller("10.0.0.1", direct=True)):
        with pytest.raises(Unauthenticated):
            door.admit_watcher(stranger)


def test_without_an_admin_key_no_bearer_is_right() -> None:
    with pytest.raises(Unauthenticated):
        gate(admin_key=None, trust_loopback=False).admit_admin(Caller("10.0.0.1", direct=True, bearer=SecretStr("")))
