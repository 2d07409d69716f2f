"""What people are told of an instance to which nobody has given a model."""

from __future__ import annotations

from typing import Final

OFFLINE: Final = "offline"
"""The kind of the provider that answers without a model."""
NO_MODEL: Final = (
    "No model is configured, so answers are only extracts of what is stored: set `provider` in .beaver/config.json to "
    "have one answer."
)
