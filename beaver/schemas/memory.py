"""The host's memory over the chat server's API, as it stands on the wire. Times are UTC epoch milliseconds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from beaver.schemas.wire import Accepted, Answered, NotBlank

WORDS_MAX = 2_000


class MemoryItemView(Answered):
    """An item, and where it came from: the session it was learned in, by whom or what."""

    id: str
    type: str
    text: str
    scope: str
    tags: list[str]
    pinned: bool
    confidence: float
    created_at: int
    updated_at: int
    expires_at: int | None
    session: str | None
    source: str


class MemoryOverview(Answered):
    """Active items (pinned, or the session's own) and the newest others. `off`: in the session that was named."""

    off: bool
    active: list[MemoryItemView]
    recent: list[MemoryItemView]


class MemoryPin(Accepted):
    """`POST /v1/memory/items/{id}/pin`."""

    pinned: Annotated[bool, Field(strict=True)] = True


class MemoryForget(Accepted):
    """`POST /v1/memory/forget`. `value`: the id, tag or session; none for a project or user, which are the server's own."""

    by: Literal["id", "tag", "session", "project", "user"]
    value: Annotated[NotBlank, Field(max_length=256)] | None = None


class MemoryForgotten(Answered):
    """Which items were erased."""

    by: str
    ids: list[str]


class MemorySwitch(Accepted):
    """`POST /v1/sessions/{id}/memory`."""

    off: Annotated[bool, Field(strict=True)]


class MemoryState(Answered):
    """How the memory stands in a session. `writes` and `queue` are counts."""

    off: bool
    keeps: bool
    items: int
    forgotten: int
    writes: dict[str, Any]
    queue: dict[str, Any]


class MemoryWhy(Answered):
    """What was recalled for a session's last answer, and from where; `recall` is null where nothing was."""

    recall: dict[str, Any] | None


class MemoryLine(Accepted):
    """`POST /v1/sessions/{id}/memory/command`: a line as one types it in a chat, such as `/memory pin ID`."""

    line: Annotated[NotBlank, Field(max_length=WORDS_MAX)]


class MemoryLines(Answered):
    """What came of it, for people."""

    lines: list[str]
