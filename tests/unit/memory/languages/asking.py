"""The form of the small sets in other languages: what somebody told over a year, and what they ask of it later."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """`asked`: questions, each with the message that answers it; `besides`: more of the same topic that answers nothing."""

    asked: tuple[tuple[str, str], ...]
    besides: tuple[str, ...]
