"""The port to the host's own store of distilled items, and the frozen records that go through it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, get_args

ItemType = Literal["preference", "rule", "decision", "fact", "fix", "todo"]
ITEM_TYPES: Final[tuple[ItemType, ...]] = get_args(ItemType)

ItemScope = Literal["session", "project", "global"]
"""Where an item is recalled: in its session, in its project, or in every project of its user."""

ItemSource = Literal["person", "rules", "model", "tool"]
"""Who made an item: a person who asked for it to be remembered, the rules, a model, or a tool's result."""

TEXT_CHARACTERS_MAX: Final = 400
TAG_CHARACTERS_MAX: Final = 50
TAGS_MAX: Final = 12


@dataclass(frozen=True)
class Owner:
    """Whose memory a call touches, and from which session. Nothing crosses from one tenant, or user, to another."""

    tenant: str
    project: str
    user: str
    session: str


@dataclass(frozen=True)
class NewItem:
    """An item to keep: redacted already, one line of at most 400 characters. `expires_ms`: UTC epoch ms; None is never."""

    type: ItemType
    text: str
    scope: ItemScope
    confidence: float
    source: ItemSource
    tags: tuple[str, ...] = ()
    expires_ms: int | None = None


@dataclass(frozen=True)
class MemoryItem:
    """A kept item. `confidence` is in [0, 1]; `session` is the one it was learned in; times are UTC epoch ms."""

    id: str
    type: ItemType
    text: str
    scope: ItemScope
    tags: tuple[str, ...]
    pinned: bool
    confidence: float
    created_at: int
    session: str | None
    source: ItemSource
    updated_at: int
    expires_at: int | None = None


@dataclass(frozen=True)
class Hit:
    """An item that answers. Each part is in [0, 1]; None where the store has no such measure (no encoder, say)."""

    item: MemoryItem
    semantic: float | None
    keyword: float | None


WriteOutcome = Literal["added", "merged", "superseded", "unchanged", "forgotten"]
"""It is new; it is now part of a like one; it took a like one's place; it stood there; it was forgotten and stays out."""


@dataclass(frozen=True)
class Written:
    """What a write came to, and the item that now says it; None where nothing does. `replaced_id`: the item that it ended."""

    outcome: WriteOutcome
    item_id: str | None
    replaced_id: str | None = None


@dataclass(frozen=True)
class ById:
    """One item."""

    id: str


@dataclass(frozen=True)
class ByTag:
    """The owner's items with a tag, in the project and the global ones."""

    tag: str


@dataclass(frozen=True)
class BySession:
    """The owner's items learned in a session."""

    session: str


@dataclass(frozen=True)
class ByProject:
    """The owner's items of the owner's project; global ones stay."""


@dataclass(frozen=True)
class ByUser:
    """All of the user's items of this tenant, in every project."""


Selection = ById | ByTag | BySession | ByProject | ByUser


class ItemStore(Protocol):
    """Keeps items and finds them. An id of another owner is as one that never was.

    Every method may raise Unavailable, and InvalidInput for an owner's name or a field that breaks a rule. Writes are
    durable on return and serialise for one owner. Calls may take as long as the database does: put a deadline around them.
    """

    async def search(self, owner: Owner, text: str, *, limit: int) -> Sequence[Hit]:
        """What the owner may recall about a text, best first: the project's items, global ones, the session's own."""

    async def recent(self, owner: Owner, *, limit: int) -> Sequence[MemoryItem]:
        """The owner's active items, the newest first; at most 200."""

    async def count(self, owner: Owner) -> int:
        """How many active items the owner has, in the project and global ones."""

    async def find(self, owner: Owner, item_id: str) -> MemoryItem | None:
        """One active item."""

    async def write(self, owner: Owner, new: NewItem) -> Written:
        """Keep an item, unless it stands there or was forgotten; only a `person` brings back what was forgotten.

        The store puts a new value of a known attribute in the old one's place, with history, by itself.
        """

    async def merge(self, owner: Owner, item_id: str) -> MemoryItem | None:
        """Count one more mention of an item; nothing else of it changes. None for an unknown id."""

    async def supersede(self, owner: Owner, item_id: str, new: NewItem) -> Written:
        """Have an item say something else, for as long as that lives; what it said stays in its history. Raises NotFound."""

    async def pin(self, owner: Owner, item_id: str, *, pinned: bool) -> MemoryItem | None:
        """Pin or unpin; None for an unknown id."""

    async def select(self, owner: Owner, selection: Selection) -> Sequence[MemoryItem]:
        """What `forget` would erase now."""

    async def forget(self, owner: Owner, selection: Selection) -> Sequence[MemoryItem]:
        """Erase what is selected from rows, index, vectors, history and archive, and from the file's bytes soon after.

        What was there, so that the caller can leave tombstones and audit events; empty where nothing was selected.
        """

    async def end_session(self, owner: Owner) -> None:
        """Erase, as `forget` does, what is recalled in the owner's session alone, in every project: the session is over.

        Unlike what is forgotten it may be learned again.
        """

    async def erased(self) -> None:
        """Return when the bytes hold nothing of what was forgotten before this call."""

    async def generation(self, owner: Owner) -> str:
        """Changes with every write, merge, pin and forget of the owner's items, by whichever process."""

    async def close(self) -> None:
        """Give back what is open; idempotent."""


@dataclass(frozen=True)
class Switched:
    """Whether a session's memory is off, and how often that changed: a count that no two states share."""

    off: bool = False
    changes: int = 0


class SessionSwitch(Protocol):
    """Whether a session's memory is off, in the session store. May raise Unavailable."""

    async def read(self, session_id: str) -> Switched:
        """The state; on for a session that nobody switched."""
