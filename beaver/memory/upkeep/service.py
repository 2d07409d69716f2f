"""A run of maintenance: compress, archive, clean up; each act its own transaction under the lease of the one runner."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.errors import Conflict, NotFound
from beaver.ids import IdSource
from beaver.logs import get_logger
from beaver.memory.forgetting.observation_store import with_origins
from beaver.memory.forgetting.purge import Purger
from beaver.memory.forgetting.store import conversations_naming
from beaver.memory.namespace import Namespace
from beaver.memory.observations import applying
from beaver.memory.observations.archive_store import add_archived, find_archived, remove_archived
from beaver.memory.observations.editing import forget_observation
from beaver.memory.observations.entries import content_hash
from beaver.memory.observations.history_store import append_history
from beaver.memory.observations.records import Evidence, Observation
from beaver.memory.observations.store import add_observation, find_same, remove_observation
from beaver.memory.portability.staging import Staging
from beaver.memory.retracting.restoring import REASON, hold_again, search_taken_back
from beaver.memory.retrieval.words import query_terms
from beaver.memory.summaries.summarising import summarise
from beaver.memory.upkeep import store
from beaver.memory.upkeep.policy import DAY_MS, Archived, RetentionPolicy, UpkeepReport, split, summary_of
from beaver.memory.users.store import find_namespace, replace_in_namespace, rewrite_namespace

LEASE: Final = "retention"
LEASE_MS: Final = 120_000
NAMESPACES_A_LOOK: Final = 100
ARCHIVE_ANSWERS_MAX: Final = 100

Stage = Callable[[Transaction, int, int], Awaitable[int]]
"""Does at most so many rows of a namespace; returns how many."""


class UpkeepService:
    """Maintenance over all namespaces, and what a person may do with the archive."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        new_id: IdSource,
        staging: Staging,
        purger: Purger,
        policy: RetentionPolicy | None = None,
    ) -> None:
        self._database = database
        self._staging = staging
        self._purger = purger
        self._clock = clock
        self._new_id = new_id
        self._policy = policy or RetentionPolicy()

    async def run(self, policy: RetentionPolicy | None = None) -> UpkeepReport:
        """One run, each stage of at most `rows_a_run_max` rows, from where the run before ended. Two never run at once.

        What a killed restore left goes first; any number may be at that.
        """
        wanted, holder, began_ms = policy or self._policy, self._new_id("upkeep"), self._clock()
        leftovers = await self._staging.remove_leftovers()
        run: _Run | None = None
        try:
            async with self._database.write() as tx:
                progress = await store.take_lease(tx, LEASE, holder, LEASE_MS)
                if progress is None:
                    return UpkeepReport(ran=False, leftovers=leftovers)
                run = _Run(self._database, wanted, holder, began_ms, self._new_id, self._purger, dict(progress))
            await run.all_stages()
        finally:  # also when it is cancelled while the lease is committed
            if run is not None:
                async with self._database.write() as tx:
                    await store.end_lease(tx, LEASE, holder, run.progress, began_ms)
                self._purger.start()
        report = replace(run.report, leftovers=leftovers, duration_ms=max(0, self._clock() - began_ms))
        get_logger().info("upkeep.ran", **asdict(report))
        return report

    async def search_archive(self, namespace: Namespace, text: str, limit: int = 20) -> Sequence[Archived]:
        """What was archived or taken back and holds all the words of the text; without words, the last of it."""
        words, limit = [spellings[0] for spellings in query_terms(text)], max(1, min(limit, ARCHIVE_ANSWERS_MAX))
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            if namespace_id is None:
                return []
            archived = await store.search_archived(tx, namespace_id, words, limit)
            taken_back = await search_taken_back(tx, namespace_id, words)
        found = [Archived(_observation(content), reason, archived_ms) for content, reason, archived_ms in archived]
        found += [Archived(one, REASON, one.ended_ms or one.updated_ms) for one in taken_back]
        return sorted(found, key=lambda one: -one.archived_ms)[:limit]

    async def restore(self, namespace: Namespace, observation_id: str) -> Observation:
        """Make active again what was archived or taken back. Raises NotFound, or Conflict when another says the same by now."""
        now_ms = self._clock()
        async with self._database.write() as tx:
            namespace_id = await find_namespace(tx, namespace)
            if namespace_id is None:
                raise NotFound("no observation of that id is in the archive")
            await rewrite_namespace(tx, namespace_id)
            held = await find_archived(tx, namespace_id, observation_id)
            if held is None:
                return await hold_again(tx, namespace_id, observation_id, self._new_id, now_ms)
            archived = _observation(held)
            hash_ = content_hash(archived.title, archived.facts)
            same = await find_same(tx, namespace_id, archived.store, archived.type, hash_)
            if any(one.ended_ms is None for one in same):
                raise Conflict("another observation says the same by now")
            alive = replace(archived, updated_ms=now_ms, expires_ms=None)
            await add_observation(tx, namespace_id, alive)
            await remove_archived(tx, namespace_id, observation_id)
            await append_history(
                tx, namespace_id, alive.id, "ADD", after=applying.described(alive), reason="restored", at_ms=now_ms
            )
        return alive


class _Run:
    """One runner's way through the namespaces."""

    def __init__(
        self,
        database: Database,
        policy: RetentionPolicy,
        holder: str,
        now_ms: int,
        new_id: IdSource,
        purger: Purger,
        progress: dict[str, Any],
    ) -> None:
        self._database = database
        self._policy = policy
        self._holder = holder
        self._now_ms = now_ms
        self._new_id = new_id
        self._purger = purger
        self.progress = progress
        self.report = UpkeepReport(ran=True)

    async def all_stages(self) -> None:
        for name, stage in (("compress", self._compress), ("archive", self._archive), ("clean_up", self._clean_up)):
            await self._through(name, stage)

    async def _through(self, name: str, stage: Stage) -> None:
        """Each namespace from where this stage ended last, once around, until the rows of a run are done."""
        left, began = self._policy.rows_a_run_max, int(self.progress.get(name, 0))
        for first, last in ((began, None), (0, began)):
            after = first
            while numbers := await self._behind(after, last):
                for number in numbers:
                    left -= await self._act(stage, number, left)
                    # Also when the rows of this run end within it: the others come first next time, then the rest of it.
                    after = self.progress[name] = number
                    if left <= 0:
                        return

    async def _behind(self, after: int, last: int | None) -> list[int]:
        async with self._database.read() as tx:
            numbers = await store.next_namespaces(tx, after, NAMESPACES_A_LOOK)
        return [number for number in numbers if last is None or number <= last]

    async def _act(self, stage: Stage, namespace_id: int, rows_max: int) -> int:
        async with self._database.write() as tx:
            if not await store.keep_lease(tx, LEASE, self._holder, LEASE_MS):
                raise Conflict("maintenance took too long: another runner goes on")
            return await stage(tx, namespace_id, rows_max)

    async def _compress(self, tx: Transaction, namespace_id: int, rows_max: int) -> int:
        policy, done = self._policy, 0
        if rows_max < policy.cluster_min:
            return rows_max
        before_ms = self._now_ms - policy.compress_after_days * DAY_MS
        clusters = await store.find_clusters(tx, namespace_id, before_ms, at_least=policy.cluster_min, limit=rows_max)
        for cluster in clusters:
            for part in split(cluster, policy.cluster_max, policy.cluster_min):
                await self._compress_one(tx, namespace_id, part)
                done += len(part)
        return done

    async def _compress_one(self, tx: Transaction, namespace_id: int, cluster: Sequence[Observation]) -> None:
        summary = summary_of(cluster, self._new_id("obs"))
        for one in cluster:
            await applying.end(tx, namespace_id, one, "compressed", self._now_ms, self._now_ms, summary.id)
        await add_observation(tx, namespace_id, summary)
        said = applying.described(summary)
        await append_history(tx, namespace_id, summary.id, "ADD", after=said, reason="compressed", at_ms=self._now_ms)
        self.report = replace(
            self.report, compressed=self.report.compressed + len(cluster), summaries=self.report.summaries + 1
        )

    async def _archive(self, tx: Transaction, namespace_id: int, rows_max: int) -> int:
        before_ms = self._now_ms - self._policy.archive_after_days * DAY_MS
        due = await store.find_unused(tx, namespace_id, before_ms, self._now_ms, rows_max)
        for one in due:
            expired = one.expires_ms is not None and one.expires_ms <= self._now_ms
            reason = "expired" if expired else "unused"
            await add_archived(tx, namespace_id, one, reason, self._now_ms)
            await remove_observation(tx, namespace_id, one.id)
            await append_history(
                tx,
                namespace_id,
                one.id,
                "DELETE",
                before=applying.described(one),
                reason=f"archived: {reason}",
                at_ms=self._now_ms,
            )
        self.report = replace(self.report, archived=self.report.archived + len(due))
        return len(due)

    async def _clean_up(self, tx: Transaction, namespace_id: int, rows_max: int) -> int:
        before_ms = self._now_ms - self._policy.delete_after_days * DAY_MS
        due = await store.find_outdated(tx, namespace_id, before_ms, rows_max)
        if due:
            await replace_in_namespace(tx, namespace_id)
            await self._delete(tx, namespace_id, due)
            await self._purger.note(tx)
        self.report = replace(self.report, deleted=self.report.deleted + len(due))
        return len(due)

    async def _delete(self, tx: Transaction, namespace_id: int, due: Sequence[str]) -> None:
        """Delete them everywhere, older wordings too: without the row nobody could tell from which messages its words came."""
        titles, why = set[str](), "removed from the archive"
        for one in await with_origins(tx, namespace_id, due):
            titles |= await forget_observation(tx, namespace_id, one, self._now_ms, may_return=True, reason=why)
        for conversation_id in await conversations_naming(tx, namespace_id, titles):
            await summarise(tx, namespace_id, conversation_id, self._new_id, self._now_ms)


def _observation(held: Mapping[str, Any]) -> Observation:
    lists = {name: tuple(held[name]) for name in ("facts", "tags", "related_files", "related_people")}
    return Observation(**{**held, **lists, "evidence": tuple(Evidence(**one) for one in held["evidence"])})
