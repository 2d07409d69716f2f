"""Making users and telling whether a key is theirs."""

from __future__ import annotations

from typing import Final

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.errors import Conflict, InvalidInput, NotFound, Unauthenticated
from beaver.ids import IdSource
from beaver.memory.idempotency import store as receipts
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import validate_name
from beaver.memory.records import NewUser
from beaver.memory.users import store
from beaver.memory.users.keys import KeySource, is_one_of, key_hash
from beaver.memory.users.store import StoredKey

BELIEVED_MS: Final = 3_000
BELIEVED_MAX: Final = 10_000
HASH_PREFIX_LENGTH: Final = 8


class UserService:
    """Users and keys."""

    def __init__(self, database: Database, clock: Clock, new_id: IdSource, new_key: KeySource) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id
        self._new_key = new_key
        self._believed: dict[tuple[str, str], int] = {}

    async def create(self, user_id: str | None, identity: RequestIdentity | None = None) -> NewUser:
        """Make a user and its first key. Raises Conflict when the id is taken.

        The same request again gives the same user and a fresh key that works beside the first: keys are not
        kept, so the first cannot be shown again.
        """
        now_ms, key = self._clock(), self._new_key()
        async with self._database.write() as tx:
            chosen = validate_name(user_id or self._new_id("user"), "user_id")
            known = await receipts.claim_receipt(tx, identity, {"user_id": chosen}, now_ms)
            if known is not None:
                chosen = known["user_id"]
            elif not await store.add_user(tx, chosen, now_ms):
                raise Conflict("this user id is taken")
            await store.add_key(tx, chosen, key_hash(key), now_ms)
        return NewUser(chosen, key)

    async def authenticate(self, user_id: str, key: str) -> None:
        """Raise Unauthenticated unless the key is one of the user's; the same for a wrong key and an unknown user.

        A key that was looked up is believed for 3 s.
        """
        known_as, now_ms = (user_id, key_hash(key)), self._clock()
        if now_ms - self._believed.get(known_as, -BELIEVED_MS) < BELIEVED_MS:
            return
        async with self._database.read_apart() as tx:
            hashes = await store.active_key_hashes(tx, user_id)
        if not is_one_of(key, hashes):
            raise Unauthenticated("the user id or the key is not known")
        if len(self._believed) >= BELIEVED_MAX:
            self._believed.clear()
        self._believed[known_as] = now_ms

    async def add_key(self, user_id: str) -> NewUser:
        """Give a user one more key, which is shown this once. Raises NotFound."""
        key = self._new_key()
        async with self._database.write() as tx:
            await _check_exists(tx, user_id)
            await store.add_key(tx, user_id, key_hash(key), self._clock())
        return NewUser(user_id, key)

    async def list_keys(self, user_id: str) -> list[StoredKey]:
        """A user's keys as their hashes, the revoked ones too, the oldest first. Raises NotFound."""
        async with self._database.read() as tx:
            await _check_exists(tx, user_id)
            return await store.keys_of(tx, user_id)

    async def revoke_key(self, user_id: str, hash_prefix: str) -> StoredKey:
        """Revoke the key whose hash begins so; one that is revoked already stays so.

        Raises InvalidInput for a prefix under 8 characters, NotFound, Conflict when several keys begin so.
        """
        if len(hash_prefix) < HASH_PREFIX_LENGTH:
            raise InvalidInput("key_id", f"must be at least the first {HASH_PREFIX_LENGTH} characters of a key's hash")
        async with self._database.write() as tx:
            meant = [known for known in await store.keys_of(tx, user_id) if known.hash.startswith(hash_prefix)]
            if not meant:
                raise NotFound("there is no such key")
            if len(meant) > 1:
                raise Conflict("several keys begin so")
            await store.revoke_key(tx, user_id, meant[0].hash, self._clock())
        self.doubt(user_id)
        return meant[0]

    def doubt(self, user_id: str) -> None:
        """Look this user's keys up again, since they have changed."""
        for known_as in [one for one in self._believed if one[0] == user_id]:
            del self._believed[known_as]


async def _check_exists(tx: Transaction, user_id: str) -> None:
    if not await store.user_exists(tx, user_id):
        raise NotFound("there is no such user")
