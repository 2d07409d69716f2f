"""The host's write side: what the privacy gate finds and takes wrongly, and how much of real chats is kept and sent."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from beaver.agent.policy.denylist import Denylist
from beaver.agent.policy.lane import REMOTE_WRITES_MAX, DistilledLane
from beaver.agent.policy.privacy import redact
from beaver.agent.policy.stores import Owner
from beaver.agent.policy.writer import FinishedTurn, ItemWriter
from beaver.cli.local_memory.capture import rule_capture
from beaver.cli.local_memory.store import LocalItemStore
from beaver.client.jobs import PersistQueue
from beaver.db.engine import Database
from beaver.memory.runtime import MemoryRuntime
from beaver.redaction import Redactor
from beaver.sessions.memory.turn_store import GatedTurn
from beaver.sessions.store import SessionStore
from tests.bench.figures import Table
from tests.bench.locomo_data import Conversation, read_conversations
from tests.bench.options import Options
from tests.support.databases import migrate
from tests.support.ledger import gateway_settings
from tests.support.private_texts import CLEAN, private_texts

ABOUT = "the privacy gate's recall and precision; with --data, items kept and sent of LoCoMo's turns"


async def measure(options: Options) -> list[Table]:
    """A table of the privacy gate by kind; one of the write gate by conversation."""
    tables = [Table("privacy gate, made-up secrets and clean texts", list(_privacy()))]
    if options.data is not None:
        rows = [await _writes(one, options.turns) for one in read_conversations(options.data)]
        tables.append(Table("write gate by rules, one speaker's messages as the user's turns", rows))
    return tables


def _privacy() -> Iterator[dict[str, Any]]:
    """Recall by kind and of all; precision beside clean texts."""
    found: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for private in private_texts():
        held[private.kind] += 1
        found[private.kind] += not private.leaks_into(redact(private.text).text)
    wrong = sum(redact(text).text != text for text in CLEAN)
    for kind, count in held.items():
        yield {"kind": kind, "texts": count, "found": found[kind], "recall": round(found[kind] / count, 3)}
    whole, seen = held.total(), found.total()
    yield {"kind": "all", "texts": whole, "found": seen, "recall": round(seen / whole, 3)}
    yield {"kind": "clean, taken wrongly", "texts": len(CLEAN), "found": wrong, "recall": None}
    yield {"kind": "precision", "texts": None, "found": None, "recall": round(seen / (seen + wrong), 3)}


async def _writes(conversation: Conversation, turns_max: int | None) -> dict[str, Any]:
    """One conversation's first speaker as the user: a turn a message."""
    speaker = conversation.said[0].speaker
    said = [one.text for one in conversation.said if one.speaker == speaker][:turns_max]
    with tempfile.TemporaryDirectory() as folder:
        gated, seconds = await _kept(said, Path(folder), conversation.name)
    rejected: Counter[str] = Counter()
    for turn in gated:
        rejected.update(turn.rejected)
    windows = [sum(turn.remote for turn in gated[end - 100 : end]) for end in range(100, len(gated) + 1)]
    return {
        "conversation": conversation.name,
        "turns": len(gated),
        "candidates": sum(turn.attempted for turn in gated),
        "kept": sum(turn.accepted for turn in gated),
        "known already": sum(turn.deduped for turn in gated),
        "sent per 100 turns, most": max(windows, default=sum(turn.remote for turn in gated)),
        "bound": REMOTE_WRITES_MAX,
        "not kept": ", ".join(f"{reason} {count}" for reason, count in rejected.most_common()),
        "ms a turn": round(1000 * seconds / max(1, len(gated)), 1),
    }


async def _kept(said: list[str], folder: Path, name: str) -> tuple[list[GatedTurn], float]:
    url = f"sqlite:///{folder / 'sessions.db'}"
    await migrate(url, "beaver.db.migrations")
    database = Database.open(url)
    store = LocalItemStore(await MemoryRuntime.open(f"sqlite:///{folder / 'items.db'}"))
    queue = PersistQueue.open(f"unix://{folder}/none.sock", timeout_ms=50)
    lane = DistilledLane(database.dialect, queue, gateway_settings("http://127.0.0.1:9"))
    writer = ItemWriter(store, database, mode="write", denylist=Denylist(), credentials=Redactor(), lane=lane)
    async with database.write() as tx:
        await SessionStore(database.dialect).ensure_session(tx, name)
    owner, gated, began = Owner("default", "default", "ada", name), [], time.monotonic()
    for number, text in enumerate(said):
        turn = FinishedTurn(owner, f"run_{number}", "stop", text, (), tuple(rule_capture(text)))
        gated.append(await writer.keep(turn))
    seconds = time.monotonic() - began
    await lane.aclose()
    await store.close()
    await database.close()
    return gated, seconds
