"""Text at the border: lone surrogates, what would steer a terminal, and scripts written without spaces."""

from __future__ import annotations

import json
import re
from typing import Any, Final

DEPTH_MAX: Final = 100
"""Of a JSON value from outside: deeper ones would exhaust the stack of whoever walks through them."""

# Han, Hiragana, Katakana, Hangul, and the supplementary ideographic planes.
_UNSPACED: Final = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3130-\u318f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# Controls, and what turns the order of the characters after it around. A newline and a tab are in order.
_STEERING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# Those that JSON's own escapes leave as they are, and the lines' and paragraphs' ends that some readers see.
_STEERING_IN_JSON: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates by U+FFFD, so that the text can be encoded as UTF-8; other text is returned as it is."""
    return _SURROGATE.sub("\ufffd", text)


def replace_surrogates_deep(value: Any, *, depth_max: int = DEPTH_MAX) -> Any:
    """The same for every string inside a JSON-like value (keys too). Raises ValueError for one that is nested deeper."""
    match value:
        case str():
            return replace_surrogates(value)
        case dict() | list() | tuple() if depth_max == 0:
            raise ValueError(f"must be nested at most {DEPTH_MAX} deep")
        case dict():
            return {
                replace_surrogates(str(key)): replace_surrogates_deep(item, depth_max=depth_max - 1)
                for key, item in value.items()
            }
        case list() | tuple():
            return [replace_surrogates_deep(item, depth_max=depth_max - 1) for item in value]
        case _:
            return value


def printable(text: str) -> str:
    """The text without what would steer a terminal: stored words, and a peer's, may hold anything."""
    return replace_surrogates(_STEERING.sub("", text))


def json_line(value: Any, **options: Any) -> str:
    """The value as one line of JSON in which such characters are escaped; `options` are those of json.dumps."""
    text = json.dumps(value, ensure_ascii=False, **options)
    return _STEERING_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def is_unspaced(character: str) -> bool:
    """Whether the character belongs to a script written without spaces (Chinese, Japanese, Korean)."""
    return _UNSPACED.match(character) is not None


def count_unspaced(text: str) -> int:
    """How many characters of the text do."""
    return len(text) - len(_UNSPACED.sub("", text))


def has_unspaced(text: str) -> bool:
    """Whether any character of the text belongs to a script written without spaces."""
    return _UNSPACED.search(text) is not None
