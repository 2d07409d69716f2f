"""Something that a turn may leave behind: what extraction gives, and what the write gate judges."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from beaver.agent.policy.stores import ItemScope, ItemSource, ItemType, NewItem

DAY_MS: Final = 86_400_000

SESSION_DAYS: Final = 7
_DAYS: Final[Mapping[ItemType, int | None]] = {
    "todo": 30,
    "fix": 180,
    "fact": 180,
    "preference": None,
    "rule": None,
    "decision": None,
}
_SCOPES: Final[Mapping[ItemType, ItemScope]] = {
    "preference": "global",
    "fact": "global",
    "rule": "project",
    "decision": "project",
    "fix": "project",
    "todo": "project",
}
_ONLY_HERE: Final = re.compile(
    r"\b(?:(?:in|for) this (?:chat|session|conversation)|for (?:now|today)|just this once|until (?:tonight|tomorrow))\b"
    r"|这次(?:聊天|对话|会话)|本次(?:聊天|对话|会话)|今天先|暂时",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Candidate:
    """A statement on one line. `confidence` in [0, 1] is how sure its source is that it is worth keeping."""

    type: ItemType
    text: str
    confidence: float
    source: ItemSource
    tags: tuple[str, ...] = field(default=())

    @property
    def scope(self) -> ItemScope:
        """Where it is to be recalled: in its session alone where it says so, else by its type."""
        return "session" if _ONLY_HERE.search(self.text) else _SCOPES[self.type]

    def item(self, now_ms: int) -> NewItem:
        """The item it becomes, with the time at which it ends by itself."""
        return NewItem(
            type=self.type,
            text=self.text,
            scope=self.scope,
            confidence=self.confidence,
            source=self.source,
            tags=self.tags,
            expires_ms=expires_ms(self.type, self.scope, now_ms),
        )


@dataclass(frozen=True)
class Attributes:
    """Attributes that have one value at a time, as the memory engine reads them out of a statement: where somebody lives, a name.

    `stated`: whether a statement gives one its value. `differ`: whether two give the same one different values. Both pure.
    """

    stated: Callable[[str], bool]
    differ: Callable[[str, str], bool]


NO_ATTRIBUTES: Final = Attributes(lambda _: False, lambda *_: False)

RuleCapture = Callable[[str], list[Candidate]]
"""The memory engine's rules over one user message, which the composition fills in. Pure; may take a few milliseconds."""


def expires_ms(item_type: ItemType, scope: ItemScope, now_ms: int) -> int | None:
    """When an item ends by itself: a session's after 7 days, a todo after 30, a fix or fact after 180, others never."""
    days = SESSION_DAYS if scope == "session" else _DAYS[item_type]
    return None if days is None else now_ms + days * DAY_MS
