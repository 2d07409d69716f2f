"""Regular expressions that are compiled when first asked: all of two languages take half a second, and few are needed at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Expression:
    """As `re.Pattern`, in what capture asks of one. A mistake in it shows when it is first asked."""

    pattern: str
    flags: int = 0

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Where it fits from `start` on."""
        return self._compiled.match(text, start)

    def search(self, text: str) -> re.Match[str] | None:
        """The first place where it fits."""
        return self._compiled.search(text)

    def sub(self, replacement: str, text: str) -> str:
        """The text with every place where it fits replaced."""
        return self._compiled.sub(replacement, text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All places where it fits, one behind the other."""
        return self._compiled.finditer(text)

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self.flags)
