"""Loaded by the fuzzer into its own process."""

from __future__ import annotations

import itertools
import re
from typing import Any

import schemathesis

from beaver.server.runs.asked import KEY_CHARS_MAX

_KEY = "Idempotency-Key"
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_numbers = itertools.count(1)


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case[Any], **_further: Any) -> None:
    """A key of its own for each request that has a good one: else all but the first would be conflicts, and say nothing."""
    headers: Any = case.headers or {}
    if 0 < len(headers.get(_KEY, "")) <= KEY_CHARS_MAX:
        headers[_KEY] = f"fuzz-{next(_numbers)}"


@schemathesis.hook
def filter_body(context: schemathesis.HookContext, body: Any) -> bool:
    """None whose id holds an escape: the fuzzer puts it into its next URL as it is, where it means another one."""
    return not (isinstance(body, dict) and _ESCAPE.search(str(body.get("id", ""))))
