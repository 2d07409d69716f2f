"""Who may do what: users by their key; the making of users by the admin key, or where none is set from this machine."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from pydantic import SecretStr

from beaver.config.hosts import is_surely_loopback
from beaver.errors import Unauthenticated
from beaver.memory.idempotency.identity import ADMIN_PRINCIPAL, user_principal
from beaver.memory.runtime import MemoryRuntime
from beaver.schemas.gateway import Credentials
from beaver.tracing import Origin


@dataclass(frozen=True)
class Caller:
    """What a transport knows of who calls.

    `peer` is the address at the other end of the socket. `direct` is false for a call that a proxy passed on or that
    a browser's page makes: such a call comes from this machine without its user meaning it. `request_id` and `origin`: the
    call's name in the logs, and the trace that the caller is in.
    """

    peer: str | None
    direct: bool
    bearer: SecretStr | None = None
    request_id: str | None = None
    origin: Origin | None = None


class Gate:
    """Lets callers in. Refusals never tell a wrong key from an unknown user."""

    def __init__(self, runtime: MemoryRuntime, *, admin_key: SecretStr | None, trust_loopback: bool) -> None:
        """`trust_loopback` only where the listener itself is bound to loopback."""
        self._runtime = runtime
        self._admin_key = admin_key
        self._trust_loopback = trust_loopback

    async def admit_user(self, credentials: Credentials) -> str:
        """The principal of a user's request, or Unauthenticated."""
        await self._runtime.authenticate(credentials.user_id, credentials.user_key.get_secret_value())
        return user_principal(credentials.user_id)

    def admit_admin(self, caller: Caller) -> str:
        """The principal of an administrator's request, or Unauthenticated.

        An admin key that is set is asked of everybody: a proxy before us that adds no header of its own looks like this machine.
        """
        if _same(self._admin_key, caller.bearer) or (self._admin_key is None and self._is_neighbour(caller)):
            return ADMIN_PRINCIPAL
        raise Unauthenticated("this needs the Gateway's admin key as a bearer token")

    def admit_watcher(self, caller: Caller) -> None:
        """Who may see figures, which tell nothing of users: an administrator, or this machine. Raises Unauthenticated."""
        if not self._is_neighbour(caller):
            self.admit_admin(caller)

    def _is_neighbour(self, caller: Caller) -> bool:
        return self._trust_loopback and caller.direct and is_surely_loopback(caller.peer)


def _same(expected: SecretStr | None, given: SecretStr | None) -> bool:
    if expected is None or given is None:
        return False
    return hmac.compare_digest(expected.get_secret_value().encode(), given.get_secret_value().encode())
