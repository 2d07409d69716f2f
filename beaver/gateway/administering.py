"""An administrator's operations: users and their keys. What users remember is not among them."""

from __future__ import annotations

from typing import Final

from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.users.store import StoredKey
from beaver.schemas.gateway import (
    DeletionReceipt,
    KeyItem,
    KeyList,
    KeyRequest,
    NamedUserRequest,
    UserReceipt,
    UserRequest,
)

KEY_ID_LENGTH: Final = 12


async def create_user(runtime: MemoryRuntime, request: UserRequest, identity: RequestIdentity | None) -> UserReceipt:
    """Make a user and show its key."""
    user = await runtime.create_user(request.user_id, identity=identity)
    return UserReceipt(user_id=user.user_id, user_key=user.key)


async def delete_user(
    runtime: MemoryRuntime, request: NamedUserRequest, _identity: RequestIdentity | None
) -> DeletionReceipt:
    """Forget a user."""
    await runtime.forget_user(request.user_id)
    return DeletionReceipt(users=1)


async def create_key(
    runtime: MemoryRuntime, request: NamedUserRequest, _identity: RequestIdentity | None
) -> UserReceipt:
    """Make one more key and show it."""
    user = await runtime.add_key(request.user_id)
    return UserReceipt(user_id=user.user_id, user_key=user.key)


async def list_keys(runtime: MemoryRuntime, request: NamedUserRequest, _identity: RequestIdentity | None) -> KeyList:
    """A user's keys, without the keys."""
    return await _keys(runtime, request.user_id)


async def revoke_key(runtime: MemoryRuntime, request: KeyRequest, _identity: RequestIdentity | None) -> KeyList:
    """Revoke a key; what the user has then."""
    await runtime.revoke_key(request.user_id, request.key_id)
    return await _keys(runtime, request.user_id)


async def _keys(runtime: MemoryRuntime, user_id: str) -> KeyList:
    return KeyList(user_id=user_id, keys=[_key(one) for one in await runtime.list_keys(user_id)])


def _key(stored: StoredKey) -> KeyItem:
    return KeyItem(key_id=stored.hash[:KEY_ID_LENGTH], created_at=stored.created_ms, revoked_at=stored.revoked_ms)
