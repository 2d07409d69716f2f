"""Which route a request is for, told by its template alone: known before the routing, so that refused requests have it too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter
from starlette.routing import Route

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OTHER: Final = "other"


@dataclass(frozen=True)
class _Template:
    text: str
    pattern: re.Pattern[str]
    methods: frozenset[str]


class RouteTemplates:
    """The templates of some routers' routes, in the order of the routing, for an application that has them under no prefix.

    FastAPI tells the routes of an application too, but builds all of them anew for it, which is most of a first request.
    """

    def __init__(self, routers: Iterable[APIRouter]) -> None:
        self._templates = tuple(
            _Template(each.path_format, each.path_regex, frozenset(each.methods or ()))
            for router in routers
            for each in router.routes
            if isinstance(each, Route)
        )

    def find(self, method: str, path: str) -> str | None:
        """The template of the route that the path is for, even if the route does not know the method; None without one."""
        fitting = [template for template in self._templates if template.pattern.match(path)]
        knowing = (template for template in fitting if method in template.methods)
        found = next(knowing, fitting[0] if fitting else None)
        return None if found is None else found.text


def known_method(method: str) -> str:
    """The method as logs and metrics tell it: whoever asks may make up any number of others."""
    return method if method in METHODS else _OTHER
