"""What the page consists of, read once: the rendered HTML, and the static files under a version made of their content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from beaver.schemas.chat import MODEL_ID

_HERE: Final = Path(__file__).parent
_MEDIA_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_VERSION_CHARS: Final = 12


@dataclass(frozen=True)
class StaticFile:
    """One file, as it goes out."""

    content: bytes
    media_type: str


@dataclass(frozen=True)
class PageFiles:
    """The page. Its HTML names the static files below their version, so that browsers may keep those for ever.

    `html_offline` is the page of a server to which nobody has given a model.
    """

    html: str
    html_offline: str
    version: str
    static: Mapping[str, StaticFile]


@cache
def page_files() -> PageFiles:
    """The page of this process."""
    static = {file.name: _static_file(file) for file in sorted((_HERE / "static").iterdir())}
    version = _version(static)
    return PageFiles(_rendered(version), _rendered(version, has_model=False), version, static)


def _static_file(file: Path) -> StaticFile:
    return StaticFile(file.read_bytes(), _MEDIA_TYPES[file.suffix])


def _version(static: Mapping[str, StaticFile]) -> str:
    digest = hashlib.sha256()
    for name, file in static.items():
        digest.update(f"{name}:{len(file.content)}:".encode() + file.content)
    return digest.hexdigest()[:_VERSION_CHARS]


def _rendered(version: str, *, has_model: bool = True) -> str:
    loader = FileSystemLoader(_HERE / "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("chat.html").render(version=version, model=MODEL_ID, has_model=has_model)
