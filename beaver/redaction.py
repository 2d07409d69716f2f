"""Secrets out of text: a pack of patterns for credentials, and the exact values a process knows to be secret."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

# kind -> pattern. Ordered: the most specific first, since the first to match takes the text.
_PATTERNS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("private_key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S)),
    ("jwt", re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}")),
    (
        "api_key",
        re.compile(
            r"\b(?:uk_|bk_|sk-|sk_live_|sk_test_|rk_live_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|hf_|"
            r"npm_|pypi-|SG\.)[\w.-]{10,}"
        ),
    ),
    ("url_credentials", re.compile(r"(?<=://)[^\s/@:]*:[^\s/@]+(?=@)")),
    ("authorization", re.compile(r"(?i)\b(?:bearer|basic)\s+[\w.~+/=-]{8,}")),
    (
        "password",
        re.compile(
            r"(?i)(?:password|passwd|secret|api[_-]?key|user[_-]?key|token)[\"']?\s*(?:is|[:=])\s*[\"']?[^\s\"',;]{4,}"
        ),
    ),
)
KNOWN_SECRET_LENGTH_MIN: Final = 6


class Redactor:
    """Replaces credentials by `[REDACTED:kind]`. Immutable; safe to share between tasks."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        """`known` are exact values to hide wherever they stand; those shorter than 6 characters are ignored."""
        values = sorted({value for value in known if len(value) >= KNOWN_SECRET_LENGTH_MIN}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, values))) if values else None

    def text(self, text: str) -> str:
        """The text without credentials."""
        if self._known is not None:
            text = self._known.sub("[REDACTED:known]", text)
        for kind, pattern in _PATTERNS:
            text = pattern.sub(f"[REDACTED:{kind}]", text)
        return text

    def deep(self, value: Any) -> Any:
        """The same for every string inside a JSON-like value."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return {key: self.deep(item) for key, item in value.items()}
            case list() | tuple():
                return [self.deep(item) for item in value]
            case _:
                return value
