"""What a Gateway's answer, or the lack of one, comes to: pure rules from status, bytes and broken connections to values."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal, NoReturn, TypeVar

import httpx

from beaver.text import replace_surrogates

Category = Literal[
    "connect_failed",
    "timeout",
    "connection_lost",
    "unauthorized",
    "http_status",
    "invalid_json",
    "invalid_shape",
    "too_large",
]
Outcome = Literal["refused", "unknown"]
T = TypeVar("T")

# 4xx answers that do not tell whether the request was carried out.
_INCONCLUSIVE: Final = frozenset({408, 425})
RETRY_AFTER_S_MAX: Final = 3600.0
PAGE_MAX: Final = 10**6
TIME_MS_MAX: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""
_CONNECT_PHASE: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


@dataclass(frozen=True)
class Answer:
    """A 2xx answer, read in full."""

    status: int
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Failure:
    """Why a call failed, the HTTP status if there was one, and whether the peer surely did not act (`refused`).

    `retry_after_s`: for how long it asked not to be asked again.
    """

    category: Category
    status: int | None
    outcome: Outcome
    retry_after_s: float | None = None


@dataclass(frozen=True)
class Newer:
    """What holds now in the place of something that a memory tells; `since_ms`: UTC epoch milliseconds."""

    title: str = field(repr=False)
    since_ms: int | None


@dataclass(frozen=True)
class RecalledItem:
    """One memory that a search brought. `text` is never blank; the rest is what the Gateway told about it.

    `at_ms`: when it was said, learned or stored, UTC epoch milliseconds. `superseded_by`: what of it is outdated, and since when.
    `title`, `section`, `page`: of the document that it is of.
    """

    id: str | None
    session_id: str | None
    text: str = field(repr=False)
    score: float | None
    source_scope: str | None
    resource_uri: str | None
    at_ms: int | None = None
    role: str | None = None
    speaker: str | None = field(default=None, repr=False)
    superseded_by: tuple[Newer, ...] = ()
    title: str | None = field(default=None, repr=False)
    section: str | None = field(default=None, repr=False)
    page: int | None = None


def broken(error: OSError | httpx.TransportError, *, departed: bool) -> Failure:
    """A call without a whole answer. `departed`: a byte of the request may have left."""
    surely_not = not departed or isinstance(error, _CONNECT_PHASE)
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        category: Category = "timeout"
    else:
        category = "connect_failed" if surely_not else "connection_lost"
    return Failure(category, None, "refused" if surely_not else "unknown")


def refusal(response: httpx.Response) -> Failure | None:
    """What status and headers alone say: a failure, or nothing against reading the body."""
    status = response.status_code
    if not 200 <= status < 300:
        category: Category = "unauthorized" if status in {401, 403} else "http_status"
        surely_not = 400 <= status < 500 and status not in _INCONCLUSIVE
        outcome: Outcome = "refused" if surely_not else "unknown"
        return Failure(category, status, outcome, _retry_after_s(response.headers.get("retry-after", "")))
    # Compression was not asked for, and unpacking could turn a small body into a huge one.
    if response.headers.get("content-encoding", "identity") != "identity":
        return Failure("invalid_json", status, "unknown")
    return None


def _retry_after_s(header: str) -> float | None:
    """Seconds, as a number alone says them; a date is as good as nothing, for it hangs on two clocks."""
    return min(float(header), RETRY_AFTER_S_MAX) if header.isascii() and header.isdigit() else None


def read_json(answer: Answer, read: Callable[[object], T | None]) -> T | Failure:
    """What `read` makes of the answer's JSON; it gives None for a shape that it does not take."""
    try:
        decoded = json.loads(answer.body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return Failure("invalid_json", answer.status, "unknown")
    found = read(decoded)
    return Failure("invalid_shape", answer.status, "unknown") if found is None else found


def _refuse_constant(_name: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")


def read_receipt(decoded: object) -> Literal[True] | None:
    """Any JSON object is a receipt."""
    return True if isinstance(decoded, dict) else None


def read_message_ids(decoded: object) -> tuple[str, ...] | None:
    """The ids of an add's receipt, which is any JSON object; none where it has no list of them."""
    ids = decoded.get("message_ids") if isinstance(decoded, dict) else None
    if not isinstance(ids, list):
        return () if isinstance(decoded, dict) else None
    return tuple(each for each in ids if isinstance(each, str) and each)


def read_results(decoded: object, *, items_max: int) -> list[RecalledItem] | None:
    """The usable entries of a top-level `results` list, at most `items_max`; None when there is no such list."""
    results = decoded.get("results") if isinstance(decoded, dict) else None
    if not isinstance(results, list):
        return None
    usable = (item for item in map(_item, results) if item is not None)
    return list(islice(usable, items_max))


def _item(entry: object) -> RecalledItem | None:
    """The fields that we take, or None without text. Everything else, `raw` above all, stays behind."""
    if not isinstance(entry, dict):
        return None
    text = _text(entry.get("text"))
    if text is None or not text.strip():
        return None
    return RecalledItem(
        id=_text(entry.get("id")),
        session_id=_text(entry.get("session_id")),
        text=text,
        score=_score(entry.get("score")),
        source_scope=_text(entry.get("source_scope")),
        resource_uri=_text(entry.get("resource_uri")),
        at_ms=_time(entry.get("at")),
        role=_text(entry.get("role")),
        speaker=_text(entry.get("speaker")),
        superseded_by=_newer(entry.get("superseded_by")),
        title=_text(entry.get("title")),
        section=_text(entry.get("section")),
        page=_page(entry.get("page")),
    )


def _newer(value: object) -> tuple[Newer, ...]:
    entries = value if isinstance(value, list) else []
    told = ((_text(each.get("title")), _time(each.get("since"))) for each in entries if isinstance(each, dict))
    return tuple(Newer(title, since_ms) for title, since_ms in told if title)


def _time(value: object) -> int | None:
    return value if type(value) is int and 0 < value <= TIME_MS_MAX else None


def _page(value: object) -> int | None:
    return value if type(value) is int and 0 < value <= PAGE_MAX else None


def _text(value: object) -> str | None:
    return replace_surrogates(value) if isinstance(value, str) else None


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        score = float(value)
    except OverflowError:
        return None
    return score if math.isfinite(score) else None
