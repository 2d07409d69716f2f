"""MemoryRuntime: the one door to the memory engine. It holds no logic: each call is one service's use case."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import IO, Any, TypeVar

from beaver.clock import Clock, system_clock
from beaver.config.prompt_index import PromptIndexSettings
from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from beaver.memory.capture.service import MODEL_TIMEOUT_S
from beaver.memory.embedding.figures import EncodingFigures
from beaver.memory.embedding.migration import Coverage, FormerEncoders
from beaver.memory.flushing import Flushed
from beaver.memory.forgetting.records import Forgotten
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.inference.encoders import former_encoder
from beaver.memory.inference.port import Encoder, LanguageModel
from beaver.memory.listing.records import ALL_MEMORIES, Memory, MemoryFilter, MemoryPage, ResourcePage, Source
from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import (
    HistoryEntry,
    NewObservation,
    Observation,
    ObservationEdit,
    ObservationFilter,
    ObservationPage,
    Person,
    Trust,
    Written,
)
from beaver.memory.portability.export import Exported, Progress
from beaver.memory.portability.learning import Learned
from beaver.memory.portability.merging import Merged
from beaver.memory.prompt_index.service import PromptIndex
from beaver.memory.records import (
    SAID,
    AddedTurn,
    Found,
    NewDocument,
    NewMessage,
    NewUser,
    Question,
    StoredDocument,
    TurnOrigin,
)
from beaver.memory.retrieval.index.memory_index import BYTES_MAX, IndexFigures
from beaver.memory.services import Services, compose
from beaver.memory.tools.handlers import ToolCaller
from beaver.memory.upkeep.figures import Figures, read_figures
from beaver.memory.upkeep.figures_store import list_users
from beaver.memory.upkeep.policy import Archived, RetentionPolicy, UpkeepReport
from beaver.memory.users.store import StoredKey, find_standing, names_of_namespaces

MIGRATIONS = "beaver.memory.migrations"
T = TypeVar("T")


class MemoryRuntime:
    """Owns the memory database. Safe to share between tasks; close it when done.

    Any call may raise Unavailable when the database cannot serve. Writes are durable on return and serialise;
    a call that names an identity can be repeated: nothing is stored twice.
    """

    def __init__(self, services: Services) -> None:
        self._on = services

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        encoder: Encoder | None = None,
        judging: Encoder | None = None,
        model: LanguageModel | None = None,
        model_timeout_s: float = MODEL_TIMEOUT_S,
        prompt_index: PromptIndexSettings = PromptIndexSettings(),  # noqa: B008 - frozen
        index_bytes_max: int = BYTES_MAX,
        former_encoders: FormerEncoders = former_encoder,
        clock: Clock = system_clock,
    ) -> MemoryRuntime:
        """Open the database at `sqlite:///absolute/path` or `postgresql://…` and bring its schema up to date.

        With an encoder, which is the runtime's to close, what is stored gets its vectors in the background. Where there is none,
        `judging` is one that capture alone asks, and stays the caller's. With a model, that captures and reconciles,
        `model_timeout_s` a call at most; without, rules do. `index_bytes_max`: what searches keep of the memories that were
        searched last.
        """
        database = Database.open(url)
        try:
            await ensure_schema(database, MIGRATIONS)
        except BaseException:
            await database.close()
            if encoder is not None:
                await encoder.close()
            raise
        services = compose(
            database,
            encoder=encoder,
            judging=judging,
            former_encoders=former_encoders,
            model=model,
            model_timeout_s=model_timeout_s,
            prompt_index=prompt_index,
            index_bytes_max=index_bytes_max,
            clock=clock,
        )
        services.embedding.start()
        services.purger.start()
        return cls(services)

    async def create_user(self, user_id: str | None = None, *, identity: RequestIdentity | None = None) -> NewUser:
        """Make a user, with a chosen id where none is given, and a key. Raises Conflict when the id is taken."""
        return await self._on.users.create(user_id, identity)

    async def authenticate(self, user_id: str, key: str) -> None:
        """Raise Unauthenticated unless the key is the user's."""
        await self._on.users.authenticate(user_id, key)

    async def add_key(self, user_id: str) -> NewUser:
        """Give a user one more key. Raises NotFound."""
        return await self._on.users.add_key(user_id)

    async def list_keys(self, user_id: str) -> Sequence[StoredKey]:
        """A user's keys as hashes. Raises NotFound."""
        return await self._on.users.list_keys(user_id)

    async def revoke_key(self, user_id: str, hash_prefix: str) -> StoredKey:
        """Revoke the key whose hash begins so. Raises NotFound, or Conflict when several do."""
        return await self._on.users.revoke_key(user_id, hash_prefix)

    async def add(
        self,
        namespace: Namespace,
        session_id: str,
        messages: Sequence[NewMessage],
        *,
        identity: RequestIdentity | None = None,
        origin: TurnOrigin = SAID,
    ) -> AddedTurn:
        """Store the messages of one turn: durable, and findable, on return."""
        return self._stored(await self._on.transcripts.add(namespace, session_id, messages, identity, origin))

    async def flush(self, namespace: Namespace, session_id: str) -> Flushed:
        """Turn what waits of a session into memory. Can be repeated."""
        return self._stored(await self._on.flushing.flush(namespace, session_id))

    async def prompt_index(self, namespace: Namespace, text: str, *, trust: Trust = "owner") -> PromptIndex:
        """A short list of what is remembered, for a prompt's reference message. What fails is left out and named."""
        return await self._on.prompt_index.build(namespace, text, trust)

    async def search(self, namespace: Namespace, question: Question) -> list[Found]:
        """What the namespace remembers about the question, best first; without text, the newest."""
        return await self._on.search.search(namespace, question)

    def note_used(self, namespace: Namespace, memory_ids: Sequence[str]) -> None:
        """Say that memories served an answer: the observations among them do not age. Never blocks, never raises."""
        self._on.uses.note(namespace, memory_ids)

    async def put_resource(
        self, namespace: Namespace, document: NewDocument, *, identity: RequestIdentity | None = None
    ) -> StoredDocument:
        """Store a document under its URI, replacing what stood there."""
        return self._stored(await self._on.resources.put(namespace, document, identity))

    async def write_observation(
        self,
        namespace: Namespace,
        new: NewObservation,
        *,
        trust: Trust = "owner",
        identity: RequestIdentity | None = None,
    ) -> Written:
        """Remember something, as far as it is new."""
        return self._stored(await self._on.observations.write(namespace, new, trust, identity))

    async def read_observations(self, namespace: Namespace, observation_ids: Sequence[str]) -> Sequence[Observation]:
        """Those of the ids that are active, in any order."""
        return await self._on.observed.several(namespace, observation_ids)

    async def count_observations(self, namespace: Namespace) -> int:
        """How many observations are active and have time left."""
        return await self._on.observed.count(namespace)

    async def revision(self, namespace: Namespace) -> int:
        """A number that every write to the namespace raises; 0 where nothing was stored."""
        async with self._on.database.read() as tx:
            found = await find_standing(tx, namespace)
        return 0 if found is None else found.revision

    async def namespaces_of(self, user_id: str) -> Sequence[Namespace]:
        """The namespaces in which something of the user's is or was stored."""
        async with self._on.database.read() as tx:
            return await names_of_namespaces(tx, user_id)

    async def list_observations(
        self,
        namespace: Namespace,
        where: ObservationFilter = ObservationFilter(),  # noqa: B008 - frozen
        *,
        cursor: str | None = None,
        limit: int = 50,
        trust: Trust = "owner",
    ) -> ObservationPage:
        """Active observations, the newest first, page by page."""
        return await self._on.observed.list(namespace, where, cursor=cursor, limit=limit, trust=trust)

    async def observation_history(self, namespace: Namespace, observation_id: str) -> Sequence[HistoryEntry]:
        """What happened to an observation, the first first; its words are gone once it is forgotten."""
        return await self._on.observed.history(namespace, observation_id)

    async def observation_evidence(self, namespace: Namespace, observation_id: str) -> Sequence[Source]:
        """The messages that an observation was learned from. Raises NotFound."""
        return await self._on.listing.evidence(namespace, observation_id)

    async def edit_observation(self, namespace: Namespace, observation_id: str, edit: ObservationEdit) -> Observation:
        """Change what an observation says. Raises NotFound, or Conflict when another says the same."""
        return self._stored(await self._on.editing.edit(namespace, observation_id, edit))

    async def pin_observation(self, namespace: Namespace, observation_id: str, pinned: bool) -> Observation:
        """Keep an observation from ageing, or let it age again."""
        return await self._on.editing.pin(namespace, observation_id, pinned)

    async def list_people(self, namespace: Namespace, *, limit: int = 200, trust: Trust = "owner") -> Sequence[Person]:
        """People who were mentioned, the last mentioned first."""
        return await self._on.people.list(namespace, trust, limit=limit)

    async def add_alias(self, namespace: Namespace, name: str, alias: str, *, trust: Trust = "owner") -> Person:
        """Give somebody one more name. Raises NotFound, or Conflict when it is another's."""
        return await self._on.people.add_alias(namespace, name, alias, trust)

    async def list_memories(
        self, namespace: Namespace, where: MemoryFilter = ALL_MEMORIES, *, cursor: str | None = None, limit: int = 50
    ) -> MemoryPage:
        """Messages and active observations, the newest first, page by page."""
        return await self._on.listing.memories(namespace, where, cursor=cursor, limit=limit)

    async def read_memory(self, namespace: Namespace, memory_id: str) -> Memory:
        """One message or observation. Raises NotFound."""
        return await self._on.listing.memory(namespace, memory_id)

    async def list_resources(self, namespace: Namespace, *, cursor: str | None = None, limit: int = 50) -> ResourcePage:
        """Stored documents in the order of their URIs, page by page."""
        return await self._on.listing.resources(namespace, cursor=cursor, limit=limit)

    async def forget_memory(self, namespace: Namespace, memory_id: str) -> Forgotten:
        """Remove a message with what was learned from it alone, or an observation, everywhere. Raises NotFound."""
        return await self._on.forgetting.forget_memory(namespace, memory_id)

    async def forget_session(self, namespace: Namespace, session_id: str) -> Forgotten:
        """Remove a session with what was learned in it alone. Raises NotFound."""
        return await self._on.forgetting.forget_session(namespace, session_id)

    async def forget_resource(self, namespace: Namespace, uri: str) -> Forgotten:
        """Remove the document under a URI. Raises NotFound."""
        return await self._on.forgetting.forget_resource(namespace, uri)

    async def forget_expired(self, *, rows_max: int) -> int:
        """Remove some observations whose time is over, from one namespace; how many, 0 where none is left."""
        return await self._on.forgetting.forget_expired(rows_max=rows_max)

    async def forget_user(self, user_id: str) -> None:
        """Remove a user with all that is theirs. Raises NotFound."""
        await self._on.forgetting.forget_user(user_id)
        self._on.users.doubt(user_id)

    async def export(self, namespace: Namespace, target: IO[bytes], on_progress: Progress) -> Exported:
        """Write all of a namespace to a file. Raises NotFound where nothing was ever stored."""
        return await self._on.portability.export(namespace, target, on_progress)

    async def restore(self, namespace: Namespace, source: IO[bytes], on_progress: Progress) -> Merged:
        """All of an export file into an empty namespace, or nothing. Raises InvalidInput, Conflict."""
        return self._stored(await self._on.portability.restore(namespace, source, on_progress))

    async def merge(self, namespace: Namespace, source: IO[bytes], on_progress: Progress) -> Merged:
        """What of an export file the namespace lacks; what was forgotten stays out. Can be repeated. Raises InvalidInput."""
        return self._stored(await self._on.portability.merge(namespace, source, on_progress))

    async def take_over(self, namespace: Namespace, source: IO[bytes], shape: str, on_progress: Progress) -> Merged:
        """What another system wrote, in one of the shapes of `portability.foreign`. Can be repeated. Raises InvalidInput."""
        return self._stored(await self._on.taking.take_over(namespace, source, shape, on_progress))

    async def learn_from(self, namespace: Namespace, source: IO[bytes], shape: str, on_progress: Progress) -> Learned:
        """Flush each session of a file that was taken over. Can be repeated; a session that fails is told, and costs no other."""
        return self._stored(await self._on.learning.learn(namespace, source, shape, on_progress))

    async def maintain(self, policy: RetentionPolicy) -> UpkeepReport:
        """One run of maintenance, bounded; none where another process is at it."""
        return self._stored(await self._on.upkeep.run(policy))

    async def search_archive(self, namespace: Namespace, text: str, *, limit: int = 20) -> Sequence[Archived]:
        """Archived observations that hold all the words, the last archived first."""
        return await self._on.upkeep.search_archive(namespace, text, limit)

    async def restore_observation(self, namespace: Namespace, observation_id: str) -> Observation:
        """Take an observation out of the archive. Raises NotFound, or Conflict when another says the same."""
        return self._stored(await self._on.upkeep.restore(namespace, observation_id))

    async def list_users(self, *, after: str = "", limit: int = 50) -> Sequence[tuple[str, int]]:
        """Users by id behind one, with when each was made (UTC epoch ms)."""
        async with self._on.database.read() as tx:
            return await list_users(tx, after, limit)

    async def figures(self) -> Figures:
        """How much is stored."""
        return await read_figures(self._on.database)

    async def wait_until_purged(self) -> None:
        """Return when the file's bytes hold no word of what was forgotten before this call."""
        await self._on.purger.wait_until_done()

    async def call_tool(self, name: str, arguments: Mapping[str, Any], caller: ToolCaller) -> dict[str, Any]:
        """What one of the nine memory tools answers; they are listed in `beaver.memory.tools.table.TOOLS`."""
        return self._stored(await self._on.tools.call(name, arguments, caller))

    async def wait_until_encoded(self) -> None:
        """Return when all that was stored before this call has vectors; at once without an encoder. Raises its next failure."""
        await self._on.embedding.wait_until_done()

    async def encoding(self) -> EncodingFigures | None:
        """How encoding stands; None without an encoder."""
        return await self._on.embedding.figures()

    def index(self) -> IndexFigures:
        """What searches keep in memory, and how often they had to read it."""
        return self._on.search.index

    def reindex(self) -> AsyncIterator[Coverage]:
        """How far the encoder's vectors are, now and then until all have them; then other encoders' are gone. Nothing without
        an encoder. Raises its next failure.
        """
        return self._on.embedding.progress()

    async def close(self) -> None:
        """Close the encoder and the database; what has no vectors yet gets them after the next start. Can be repeated."""
        await self._on.uses.close()
        await self._on.purger.close()
        await self._on.embedding.close()
        await self._on.database.close()

    def _stored(self, result: T) -> T:
        self._on.embedding.wake()
        return result
