"""What an operation answers: a wire type, or a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from beaver.schemas.wire import Answered


@dataclass(frozen=True)
class FileAnswer:
    """A file in place of JSON, at its beginning. Whoever sends it closes it."""

    content: IO[bytes]
    media_type: str
    name: str


Answer = Answered | FileAnswer
