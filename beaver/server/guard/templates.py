"""Which route a request is for, told by its template alone: known before the routing, so that refused requests have it too."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_OTHER: Final = "other"


@dataclass(frozen=True)
class _Template:
    text: str
    pattern: re.Pattern[str]
    methods: frozenset[str]


class RouteTemplates:
    """The templates of an application's routes, in the order of its routing; read when the first request comes in."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    def find(self, method: str, path: str) -> str | None:
        """The template of the route that the path is for, even if the route does not know the method; None without one."""
        fitting = [template for template in self._templates if template.pattern.match(path)]
        knowing = (template for template in fitting if method in template.methods)
        found = next(knowing, fitting[0] if fitting else None)
        return None if found is None else found.text

    @cached_property
    def _templates(self) -> tuple[_Template, ...]:
        contexts = iter_route_contexts(self._app.routes)
        return tuple(
            _Template(each.path_format, each.path_regex, frozenset(each.methods or ()))
            for each in contexts
            if each.path_format
        )


def known_method(method: str) -> str:
    """The method as logs and metrics tell it: whoever asks may make up any number of others."""
    return method if method in METHODS else _OTHER
