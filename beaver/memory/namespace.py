"""The namespace (app, project, user) that every row and every query carries, and the rule for names from outside."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

from beaver.errors import InvalidInput

NAME_LENGTH_MAX: Final = 256


@dataclass(frozen=True)
class Namespace:
    """Whose memory a call touches. Nothing ever crosses from one namespace into another."""

    app_id: str
    project_id: str
    user_id: str

    def __post_init__(self) -> None:
        """Raise InvalidInput for a part that is no valid name."""
        for field in ("app_id", "project_id", "user_id"):
            validate_name(getattr(self, field), field)


def validate_name(name: str, field: str, *, characters_max: int = NAME_LENGTH_MAX) -> str:
    """Return the name unchanged, or raise InvalidInput naming the rule it breaks."""
    if not name.strip():
        raise InvalidInput(field, "must not be blank")
    if len(name) > characters_max:
        raise InvalidInput(field, f"must be at most {characters_max} characters")
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in name):
        raise InvalidInput(field, "must not hold control characters")
    return name
