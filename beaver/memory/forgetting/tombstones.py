"""Hashes of what was said and stored, pure: by them import leaves out what was forgotten. A person may say it again."""

from __future__ import annotations

import hashlib
import json


def message_hash(session_id: str, speaker: str, observed_ms: int, content: str) -> str:
    """A message by what was said, where, by whom and when."""
    return _hash("message", session_id, speaker, observed_ms, content)


def resource_hash(uri: str, content: str) -> str:
    """A document by its place and its words."""
    return _hash("resource", uri, content)


def _hash(*parts: str | int) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
