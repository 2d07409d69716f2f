"""Secrets out of text: a pack of patterns for credentials, and the exact values a process knows to be secret."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import quote

# Words that stand where a value would, in plain speech, forms and type annotations.
_NO_VALUE: Final = (
    r"(?:required|optional|expired|invalid|missing|none|null|nil|true|false|unset|empty|unknown|wrong|rejected|denied|refused|"
    r"absent|hidden|masked|secret|password|passwords|token|tokens|string|bytes|bool|SecretStr|redacted|changed|revoked|rotated)\b"
)
_KEY_NAME: Final = r"(?:password|passwd|passphrase|secret|api[_-]?key|user[_-]?key|admin[_-]?key|access[_-]?key|token)"
_PEM_KEY: Final = r"[A-Z ]*PRIVATE KEY(?: BLOCK)?"

# kind -> pattern. Ordered: the most specific first, since the first to match takes the text. Speech *about* secrets
# is not one: outside quotes a value that is all letters counts only where it stands alone after `:` or `=`. What is
# looked at in vain from many beginnings in one word is bounded, so that a text takes time in proportion to its length.
_PATTERNS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("private_key", re.compile(rf"-----BEGIN {_PEM_KEY}-----.*?(?:-----END {_PEM_KEY}-----|\Z)", re.S)),
    ("jwt", re.compile(r"(?<![A-Za-z0-9_])eyJ[\w-]{8,1000}\.[\w-]{8,}\.[\w-]{8,}")),
    (
        "api_key",
        re.compile(
            r"(?<![A-Za-z0-9_])(?:bvr_|uk_|bk_|sk-|sk_live_|sk_test_|rk_live_|gh[oprsu]_|github_pat_|glpat-|"
            r"xox[abprs]-|xapp-|AKIA|ASIA|AIza|hf_|"
            r"gsk_|ya29\.|whsec_|dop_v1_|shpat_|AGE-SECRET-KEY-1|"
            # A digit or a capital: `sk-learn-contrib` and `npm_config_cache` are names.
            r"npm_|pypi-|SG\.)(?=[\w.-]{0,200}?[0-9A-Z])[\w.-]{10,}"
        ),
    ),
    ("url_credentials", re.compile(r"(?<=://)[^\s/@:]*:[^\s/@]+(?=@)")),
    (
        "authorization",
        re.compile(
            rf"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?(?:(?:bearer|basic)\s+)?(?!{_NO_VALUE})[\w.~+/=-]{{8,}}"
        ),
    ),
    ("authorization", re.compile(r"(?i)\bbearer\s+(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}|\bbearer\s+[\w.~+/=-]{24,}")),
    (
        "authorization",
        re.compile(
            r"\b[Bb]asic\s+(?=[\w+/]*(?:\d|[a-z][A-Z]))(?:[A-Za-z0-9+/]{4}){2,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|(?![\w+/=]))"
        ),
    ),
    ("password", re.compile(rf"(?i){_KEY_NAME}[\"']?\s*[:=]\s*(?!{_NO_VALUE})(?:\"[^\"\n]{{4,}}\"|'[^'\n]{{4,}}')")),
    (
        "password",
        re.compile(
            rf"(?i){_KEY_NAME}[\"']?\s*(?:is|[:=])\s*[\"']?(?=[^\s\"',;]{{0,200}}?[^A-Za-z\s\"',;.!?():\[\]{{}}-])"
            r"[^\s\"',;]{4,}"
        ),
    ),
    (
        "password",
        re.compile(
            rf"(?i){_KEY_NAME}\s*[:=]\s*(?!{_NO_VALUE})(?:[^\s\"',;]{{4,256}}(?=\s*(?:$|[,;\"'}}&\n]))"
            # Or the next one follows wall to wall.
            rf"|[^\s\"',;]{{4,256}}?(?={_KEY_NAME}\s*[:=]))"
        ),
    ),
)
# Each pattern needs one of these, in whatever case: most text has none of them, and need not be searched ten times.
_HINTS: Final = (
    *("-----begin", "eyj", "://", "authorization", "bearer", "basic", "passw", "passphrase", "secret", "key", "token"),
    *(
        "bvr_",
        "uk_",
        "bk_",
        "sk-",
        "sk_",
        "rk_",
        "ghp_",
        "gho_",
        "ghs_",
        "ghr_",
        "ghu_",
        "xapp-",
        "gsk_",
        "ya29.",
        "whsec_",
        "dop_v1_",
        "shpat_",
        "github_",
        "glpat-",
        "xox",
        "akia",
        "asia",
        "aiza",
    ),
    *("hf_", "npm_", "pypi-", "sg."),
)
KNOWN_SECRET_LENGTH_MIN: Final = 6


def find_secret(text: str) -> str | None:
    """The kind of the first credential that the patterns see in the text, or None."""
    if not _may_hold_secret(text):
        return None
    return next((kind for kind, pattern in _PATTERNS if pattern.search(text)), None)


class Redactor:
    """Replaces credentials by `[REDACTED:kind]`. Immutable; safe to share between tasks."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        """`known` are values to hide wherever they stand, quoted for JSON, Python or a URL too.

        Those shorter than 6 characters are ignored, since they would stand in any text.
        """
        forms = {form for value in known if len(value) >= KNOWN_SECRET_LENGTH_MIN for form in _forms(value)}
        values = sorted(forms, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, values))) if values else None

    def text(self, text: str) -> str:
        """The text without credentials."""
        if self._known is not None:
            text = self._known.sub("[REDACTED:known]", text)
        if not _may_hold_secret(text):
            return text
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


def _may_hold_secret(text: str) -> bool:
    # Beyond ASCII the patterns' own idea of case is wider than lower(): they decide.
    lower = text.lower()
    return not text.isascii() or any(hint in lower for hint in _HINTS)


def _forms(value: str) -> set[str]:
    json_forms = {json.dumps(value, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    return {value, repr(value)[1:-1], quote(value, safe="", errors="replace"), *json_forms}
