"""What may never be recalled or kept, pure: by paths that a text names, by tags, by project."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, Literal

Denied = Literal["path", "tag", "project"]

# Something with a slash, or a name with an ending: `src/app.py`, `~/.ssh/id_rsa`, `C:\keys\a.pem`, `.env`, `notes.txt`.
_PATH: Final = re.compile(
    r"[A-Za-z]:\\[^\s\"'`<>|]{1,300}"
    r"|[\w.~@+-]{0,100}(?:/[\w.~@+-]{0,100}){1,30}"
    r"|\.?[\w~@+-]{1,100}(?:\.[\w-]{1,30}){0,4}"
)
_PATHS_MAX: Final = 500


@dataclass(frozen=True)
class Denylist:
    """Patterns of paths (`*` and `?` as in a shell, where `*` also crosses folders), tags and projects.

    A pattern fits a path, any trailing part of it, and whatever lies below what it fits. Case counts for none of them.
    """

    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()

    def blocks(self, text: str, *, tags: Collection[str] = (), project: str = "") -> Denied | None:
        """Why nothing of this may be recalled or kept; None when it may."""
        if _fits_one(project, self.projects):
            return "project"
        if any(_fits_one(tag, self.tags) for tag in tags):
            return "tag"
        if self.paths and any(_fits_path(path, self.paths) for path in _paths_in(text)):
            return "path"
        return None


def _fits_one(name: str, patterns: Collection[str]) -> bool:
    return any(fnmatchcase(name.casefold(), pattern.casefold()) for pattern in patterns)


def _paths_in(text: str) -> Iterator[str]:
    """The paths a text names, most of them words that no pattern will fit; at most 500."""
    for number, match in enumerate(_PATH.finditer(text)):
        if number >= _PATHS_MAX:
            return
        yield match[0].rstrip(".").replace("\\", "/").casefold()


def _fits_path(path: str, patterns: Collection[str]) -> bool:
    parts = path.strip("/").split("/")
    ends = ["/".join(parts[start:]) for start in range(len(parts))]
    wanted = [pattern.casefold().removesuffix("/**").strip("/") for pattern in patterns]
    return any(fnmatchcase(end, want) or fnmatchcase(end, f"{want}/*") for want in wanted for end in ends)
