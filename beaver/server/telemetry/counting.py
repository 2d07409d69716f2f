"""Where nobody counts."""

from __future__ import annotations


def uncounted(_reason: str) -> None:
    """For parts whose refusals nobody counts."""
