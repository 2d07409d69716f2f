"""MemoryRuntime: the one door to the memory engine. It holds no logic: each call is one service's use case."""

from __future__ import annotations

from collections.abc import Sequence

from beaver.clock import Clock, system_clock
from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from beaver.errors import ConfigError
from beaver.ids import IdSource, new_id
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import Namespace
from beaver.memory.records import (
    AddedTurn,
    Found,
    NewDocument,
    NewMessage,
    NewUser,
    Question,
    StoredDocument,
)
from beaver.memory.resources.service import ResourceService
from beaver.memory.search import SearchService
from beaver.memory.transcripts.service import TranscriptService
from beaver.memory.users.keys import KeySource, new_key
from beaver.memory.users.service import UserService

MIGRATIONS = "beaver.memory.migrations"


class MemoryRuntime:
    """Owns the memory database. Safe to share between tasks; close it when done.

    Any call may raise Unavailable when the database cannot serve. Writes are durable on return and serialise;
    a call that names an identity can be repeated: nothing is stored twice.
    """

    def __init__(
        self,
        database: Database,
        *,
        clock: Clock = system_clock,
        new_id: IdSource = new_id,
        new_key: KeySource = new_key,
    ) -> None:
        self._database = database
        self._users = UserService(database, clock, new_id, new_key)
        self._transcripts = TranscriptService(database, clock, new_id)
        self._resources = ResourceService(database, clock, new_id)
        self._search = SearchService(database, clock)

    @classmethod
    async def open(cls, url: str, *, clock: Clock = system_clock) -> MemoryRuntime:
        """Open the database at `sqlite:///absolute/path` and bring its schema up to date."""
        if not url.startswith("sqlite:///"):
            raise ConfigError("gatewayServer.databaseUrl", "must be a sqlite:/// URL")
        database = Database.open(url)
        try:
            await ensure_schema(database, MIGRATIONS)
        except BaseException:
            await database.close()
            raise
        return cls(database, clock=clock)

    async def create_user(self, user_id: str | None = None, *, identity: RequestIdentity | None = None) -> NewUser:
        """Make a user, with a chosen id where none is given, and a key. Raises Conflict when the id is taken."""
        return await self._users.create(user_id, identity)

    async def authenticate(self, user_id: str, key: str) -> None:
        """Raise Unauthenticated unless the key is the user's."""
        await self._users.authenticate(user_id, key)

    async def add(
        self,
        namespace: Namespace,
        session_id: str,
        messages: Sequence[NewMessage],
        *,
        identity: RequestIdentity | None = None,
    ) -> AddedTurn:
        """Store the messages of one turn: durable, and findable, on return."""
        return await self._transcripts.add(namespace, session_id, messages, identity)

    async def flush(self, namespace: Namespace, session_id: str) -> int:
        """Close the session's staged turns; returns how many messages had waited. Can be repeated."""
        return await self._transcripts.flush(namespace, session_id)

    async def search(self, namespace: Namespace, question: Question) -> list[Found]:
        """What the namespace remembers about the question, best first; without text, the newest."""
        return await self._search.search(namespace, question)

    async def put_resource(
        self, namespace: Namespace, document: NewDocument, *, identity: RequestIdentity | None = None
    ) -> StoredDocument:
        """Store a document under its URI, replacing what stood there."""
        return await self._resources.put(namespace, document, identity)

    async def close(self) -> None:
        """Close the database. Can be repeated."""
        await self._database.close()
