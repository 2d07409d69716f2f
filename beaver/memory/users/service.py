"""Making users and telling whether a key is theirs."""

from __future__ import annotations

from beaver.clock import Clock
from beaver.db.engine import Database
from beaver.errors import Conflict, Unauthenticated
from beaver.ids import IdSource
from beaver.memory.idempotency import store as receipts
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import validate_name
from beaver.memory.records import NewUser
from beaver.memory.users import store
from beaver.memory.users.keys import KeySource, is_one_of, key_hash


class UserService:
    """Users and keys."""

    def __init__(self, database: Database, clock: Clock, new_id: IdSource, new_key: KeySource) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id
        self._new_key = new_key

    async def create(self, user_id: str | None, identity: RequestIdentity | None = None) -> NewUser:
        """Make a user and its first key. Raises Conflict when the id is taken.

        The same request again gives the same user and a fresh key that works beside the first: keys are not
        kept, so the first cannot be shown again.
        """
        now_ms, key = self._clock(), self._new_key()
        async with self._database.write() as tx:
            known = await receipts.find_receipt(tx, identity)
            chosen = known["user_id"] if known else validate_name(user_id or self._new_id("user"), "user_id")
            if known is None:
                if await store.user_exists(tx, chosen):
                    raise Conflict("this user id is taken")
                await store.add_user(tx, chosen, now_ms)
                await receipts.record_receipt(tx, identity, {"user_id": chosen}, now_ms)
            await store.add_key(tx, chosen, key_hash(key), now_ms)
        return NewUser(chosen, key)

    async def authenticate(self, user_id: str, key: str) -> None:
        """Raise Unauthenticated unless the key is one of the user's; the same for a wrong key and an unknown user."""
        async with self._database.read() as tx:
            hashes = await store.active_key_hashes(tx, user_id)
        if not is_one_of(key, hashes):
            raise Unauthenticated("the user id or the key is not known")
