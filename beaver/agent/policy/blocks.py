"""What of the stores' answers reaches a prompt, pure: without what is private or denied, within a budget, a block a store."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from beaver.agent.messages import PromptMessage
from beaver.agent.policy.budget import fitting
from beaver.agent.policy.denylist import Denylist
from beaver.agent.policy.privacy import Redacted
from beaver.agent.policy.ranking import Ranked
from beaver.agent.reference import entries_message, reference_message
from beaver.agent.tokens import CHARACTERS_PER_TOKEN, estimate_tokens
from beaver.client.gateway import RecalledItem

Redact = Callable[[str], Redacted]


@dataclass(frozen=True)
class Filter:
    """What is kept out of every prompt: private words, and what the owner's denylist names."""

    redact: Redact
    denylist: Denylist
    project: str

    def text(self, text: str, tags: Sequence[str] = ()) -> str | None:
        """The text as it may be shown; None when it may not."""
        if self.denylist.blocks(text, tags=tags, project=self.project):
            return None
        redacted = self.redact(text)
        return None if redacted.refused else redacted.text


@dataclass(frozen=True)
class Block:
    """One store's part of a prompt: the message, None for nothing, and which of its answers are in it."""

    message: PromptMessage | None
    places: tuple[int, ...]
    tokens: int


def local_block(ranked: Sequence[Ranked], allowed: Filter, tokens_max: int) -> Block:
    """The local store's items, each with where it is from and why it is there."""
    shown = [(place, one, allowed.text(one.item.text, one.item.tags)) for place, one in enumerate(ranked)]
    lines = [(place, _entry(one, text)) for place, one, text in shown if text is not None]
    kept = fitting(lines, lambda line: estimate_tokens(json.dumps(line[1], ensure_ascii=False)), tokens_max)
    return _block(entries_message([entry for _, entry in kept]), [place for place, _ in kept])


def remote_block(items: Sequence[RecalledItem], allowed: Filter, tokens_max: int) -> Block:
    """The Gateway's memories, in its own order."""
    # A text of which at most half is private does not fit however it is shortened: megabytes are not read for nothing.
    characters_max = round(2 * CHARACTERS_PER_TOKEN * tokens_max)
    read = [(place, item) for place, item in enumerate(items) if len(item.text) <= characters_max]
    shown = [(place, item, allowed.text(item.text)) for place, item in read]
    lines = [(place, _told(item, text, allowed)) for place, item, text in shown if text is not None]
    kept = fitting(lines, lambda line: _tokens(line[1]), tokens_max)
    return _block(reference_message([item for _, item in kept]), [place for place, _ in kept])


def _told(item: RecalledItem, text: str, allowed: Filter) -> RecalledItem:
    newer = [(allowed.text(one.title), one) for one in item.superseded_by]
    superseded_by = tuple(replace(one, title=title) for title, one in newer if title is not None)
    speaker, title, section = (
        allowed.text(told) if told else None for told in (item.speaker, item.title, item.section)
    )
    return replace(item, text=text, speaker=speaker, superseded_by=superseded_by, title=title, section=section)


def _tokens(item: RecalledItem) -> int:
    return estimate_tokens(" ".join((item.text, *(newer.title for newer in item.superseded_by))))


def _block(message: PromptMessage | None, places: Sequence[int]) -> Block:
    return (
        Block(message, tuple(places), 0)
        if message is None
        else Block(message, tuple(places), estimate_tokens(message.text))
    )


def _entry(one: Ranked, text: str) -> dict[str, Any]:
    item = one.item
    return {
        "id": item.id,
        "kind": f"{item.type}/{item.scope}",
        "session": item.session or "",
        "date": datetime.fromtimestamp(item.created_at / 1000, UTC).date().isoformat(),
        "why": one.reason,
        "text": text,
    }
