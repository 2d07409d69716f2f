"""A conversation with Beaver, whichever process answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

Show = Callable[[str], None]
"""Shows a further piece of the answer."""

SAID_MESSAGES_MAX: Final = 1000
"""Of how many of a session's newest messages a terminal brings back what the person said."""


@dataclass(frozen=True)
class Question:
    """One message of a person. Without a session id a new session begins."""

    prompt: str
    session_id: str | None
    skills: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What came of it. With `error` (a code of beaver.errors) `text` says in plain words what went wrong.

    `provider` is the kind that was asked, None where nobody told: `offline` is no model, and `text` an extract.
    """

    session_id: str
    run_id: str | None
    text: str
    stop_reason: str
    usage: Mapping[str, int]
    tools_used: tuple[str, ...]
    error: str | None
    provider: str | None


class Conversation(Protocol):
    """Answers questions, one at a time. Cancelling `ask` stops the run."""

    async def ask(self, question: Question, show: Show | None) -> Answer:
        """Ask; `show`, where given, gets the answer in pieces as it comes. Raises BeaverError where no run could begin."""

    async def last_used(self, session_id: str) -> int | None:
        """When a session was used last, in UTC epoch milliseconds; None where there is none with this id.

        Raises BeaverError where that cannot be told.
        """

    async def said(self, session_id: str) -> Sequence[str]:
        """What the person said in a session, oldest first, of its newest messages; nothing where there is none.

        Raises BeaverError where that cannot be told.
        """

    async def memory(self, line: str, session_id: str) -> list[str]:
        """Do what a line that begins with `/memory` asks; what came of it, a line each. Raises BeaverError."""

    async def settled(self, *, within_s: float) -> bool:
        """Wait until the turns asked for here have come to an end in the ledger; False at the bound.

        Returns at once where another process, which stays, sees to that.
        """
