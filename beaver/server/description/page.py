"""The description as one HTML page. Everything is in it: no script, no file beside it, and its style is named by its hash."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from beaver.server.description.document import Document

_TEMPLATES: Final = Path(__file__).parent / "templates"


def rendered(document: Document) -> str:
    """The page that shows a document."""
    loader = FileSystemLoader(_TEMPLATES)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    filters = {"words": _words, "kind": _kind, "indented": _indented, "resolved": partial(_resolved, document)}
    environment.filters |= filters
    return environment.get_template("docs.html").render(document=document, style=_style())


@cache
def content_security_policy() -> str:
    """Nothing but the one style may work on this page."""
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


@cache
def _style() -> str:
    return (_TEMPLATES / "docs.css").read_text(encoding="utf-8")


def _words(text: str) -> Markup:
    """A docstring for people: what stands between backticks is code."""
    pieces = str(text).split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if number % 2 else escape(piece) for number, piece in enumerate(pieces)
    )


def _resolved(document: Document, each: Document) -> Document:
    """What a `$ref` points to; anything else as it is."""
    if "$ref" not in each:
        return each
    found: Any = document
    for part in each["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return dict(found)


def _kind(schema: Document) -> Markup:
    """A schema in a few words, with links to those it names."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Markup('<a href="#schema-{0}">{0}</a>').format(name)
    for one_of in ("anyOf", "oneOf"):
        if one_of in schema:
            return Markup(" or ").join(_kind(each) for each in schema[one_of])
    if "const" in schema:
        return Markup("<code>{}</code>").format(json.dumps(schema["const"]))
    if "enum" in schema:
        return Markup(", ").join(Markup("<code>{}</code>").format(json.dumps(each)) for each in schema["enum"])
    if schema.get("type") == "array":
        return Markup("list of {}").format(_kind(schema.get("items", {})))
    return escape(schema.get("type", "anything"))


def _indented(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
