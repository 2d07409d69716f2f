"""What each path asks of whoever comes: the one table that keys, limits, hosts and the API's description go by."""

from __future__ import annotations

import re
from typing import Final

PROBES: Final = frozenset({"/health", "/ready"})
"""They need no key and no name of this server: they hide nothing, and who probes names an address of its own choice."""

_OPEN: Final = re.compile(r"/(openapi\.json|docs|page/.*)?")
# The first row that fits decides: method (None: any), a pattern for the whole path, the scope. What no row names
# needs `admin`, so a new path is shut until somebody decides about it.
_NEEDS: Final[tuple[tuple[str | None, str, str], ...]] = (
    (None, r"/v1/(chat|responses|runs|models)(/.*)?", "chat"),
    ("POST", r"/v1/sessions(/.*)?", "chat"),
    ("GET", r"/v1/sessions(/.*)?", "read"),
)
# As Starlette's routes match: its `$` lets a line break follow.
_COUNTED: Final = re.compile(r"/v1/(chat/completions|responses|sessions/[^/]+/runs)$")


def scope_for(method: str, path: str) -> str | None:
    """The scope that a path needs; None when it is open to everybody."""
    if path in PROBES or _OPEN.fullmatch(path):
        return None
    fitting = (scope for wanted, pattern, scope in _NEEDS if wanted in (None, method) and re.fullmatch(pattern, path))
    return next(fitting, "admin")


def is_counted(method: str, path: str) -> bool:
    """Whether a request counts for the rate limit: every POST that starts a run or asks the model; a repeated one too."""
    return method == "POST" and _COUNTED.match(path) is not None
