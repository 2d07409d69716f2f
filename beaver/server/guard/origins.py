"""Pages of other sites: which may read answers (CORS), and that none changes anything on a server that asks for no keys.

A browser sends requests for whichever page is open in it, also to this machine. What it sends tells where the page is
from: `Sec-Fetch-Site` and `Origin`, which a page cannot forge and programs do not send. Where keys are needed nothing is
to be checked: a browser adds none by itself.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from beaver.errors import Forbidden
from beaver.schemas.chat import SESSION_HEADER
from beaver.server.guard.access_log import REQUEST_ID_HEADER
from beaver.server.guard.rate_check import RATE_HEADERS
from beaver.server.problems import problem_answer

_CHANGES_NOTHING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN: Final = frozenset({"same-origin", "none"})


def cors(origins: Collection[str]) -> dict[str, Any]:
    """How Starlette's CORSMiddleware is set. A key is a header that scripts add, so cookies and the like are never asked for."""
    return {
        "allow_origins": tuple(origins),
        "allow_methods": ("GET", "POST", "DELETE"),
        "allow_headers": ("*",),
        "allow_credentials": False,
        "expose_headers": (SESSION_HEADER, REQUEST_ID_HEADER, "Retry-After", "x-should-retry", *RATE_HEADERS),
    }


class CrossSiteCheck:
    """ASGI middleware: 403 for a request that may change something and comes from a page of another site."""

    def __init__(self, app: ASGIApp, allowed: Collection[str]) -> None:
        """`allowed` origins are as good as our own."""
        self._app = app
        self._allowed = frozenset(allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in _CHANGES_NOTHING and self._is_foreign(scope):
            refusal = Forbidden("a page of another site may not ask for this; server.corsOrigins names those that may")
            await problem_answer(refusal)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_foreign(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin in self._allowed:
            return False
        if site is not None:
            return site not in _OWN
        # Older browsers say only the origin; the scheme may be that of a proxy before us.
        return origin is not None and origin.partition("://")[2].lower() != headers.get("host", "").lower()
