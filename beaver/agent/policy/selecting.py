"""How a person says what is to be forgotten, pure: a word, and an id, a tag or a session."""

from __future__ import annotations

import re
from typing import Final, Literal

from beaver.agent.policy.stores import (
    TAG_CHARACTERS_MAX,
    ById,
    ByProject,
    BySession,
    ByTag,
    ByUser,
    Selection,
)
from beaver.errors import InvalidInput, NotFound
from beaver.ids import validate_session_id

By = Literal["id", "tag", "session", "project", "user"]
SAID_NOT_FOUND: Final = "not found"
_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


def known_form(item_id: str) -> str:
    """The id, if it has the form of one. Raises NotFound: no other can be anything's."""
    if _ID.fullmatch(item_id) is None:
        raise NotFound(SAID_NOT_FOUND)
    return item_id


def selection_of(by: By, value: str) -> Selection:
    """What a word and a name select; the name of a project or user is not asked for: they are the owner's own.

    Raises NotFound for an id of no form, InvalidInput for a tag or a session that breaks a rule.
    """
    match by:
        case "id":
            return ById(known_form(value))
        case "tag":
            if len(value) > TAG_CHARACTERS_MAX or not value.isprintable():
                raise InvalidInput("value", f"must be a tag of at most {TAG_CHARACTERS_MAX} visible characters")
            return ByTag(value)
        case "session":
            return BySession(validate_session_id(value, "value"))
        case "project":
            return ByProject()
        case "user":
            return ByUser()


def word_for(selection: Selection) -> By:
    """The word that selects so."""
    names: dict[type, By] = {ById: "id", ByTag: "tag", BySession: "session", ByProject: "project", ByUser: "user"}
    return names[type(selection)]
