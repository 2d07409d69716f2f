"""Source code, what a tool is told, and what it says of an error."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one
from beaver.memory.capture.language import Veto

_OPENING: Final = (
    r"^(?:#|//|/\*|\$|>|<|import |from \w+ import|def |class |const |let \w+ =|var |export |assert |select |insert |"
    r"update \w+ set|return |if \(|git |npm |pip |\w*(?:error|exception|warning)\b:)"
)
_ANYWHERE: Final = r"[{};]\W*$|\w\(\)|\w+\.\w+\(|=>|===?|!="
SOURCE_CODE: Final = Veto(one(_OPENING, _ANYWHERE))
