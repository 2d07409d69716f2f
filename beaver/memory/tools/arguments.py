"""The arguments of the tools: limits are clamped, unknown names are refused by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final, TypeVar

from pydantic import AfterValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from beaver.errors import InvalidInput
from beaver.memory.observations.records import ObservationType
from beaver.schemas.wire import Accepted, NotBlank, Text

FOUND_MAX: Final = 50
AROUND_MAX: Final = 20
TOKENS_MIN: Final = 50
TOKENS_MAX: Final = 8_000
IDS_MAX: Final = 20
QUERY_LENGTH_MAX: Final = 8_000
_NAMES_MAX: Final = 20
_NAMEABLE: Final = re.compile(r"[A-Za-z_]{1,40}")
_PLAIN: Final = {
    "missing": "is required",
    "extra_forbidden": "is not a known argument",
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "list_type": "must be a list",
}


def _clamped(at_least: int, at_most: int) -> Any:
    return AfterValidator(lambda number: min(max(number, at_least), at_most))


Limit = Annotated[int, _clamped(1, FOUND_MAX)]
Around = Annotated[int, _clamped(0, AROUND_MAX)]
Names = Annotated[list[Text], Field(max_length=_NAMES_MAX)]


class SearchArguments(Accepted):
    """What to look for, and among what."""

    query: Annotated[Text, Field(max_length=QUERY_LENGTH_MAX)] = Field(
        default="", description="What to look for, in any language; leave out for what is recent."
    )
    types: list[ObservationType] = Field(default=[], description="Only these types.")
    people: Names = Field(default=[], description="Only about one of these people, by any of their names.")
    files: Names = Field(default=[], description="Only about one of these files, by path.")
    tags: Names = Field(default=[], description="Only with one of these tags.")
    since: datetime | None = Field(
        default=None, description="Only learned at or after this time (ISO 8601; UTC without zone)."
    )
    until: datetime | None = Field(
        default=None, description="Only learned before this time (ISO 8601; UTC without zone)."
    )
    limit: Limit = Field(default=10, description=f"At most so many, 1 to {FOUND_MAX}.")
    max_tokens: Annotated[int, _clamped(TOKENS_MIN, TOKENS_MAX)] = Field(
        default=2_000, description=f"At most about so many tokens, {TOKENS_MIN} to {TOKENS_MAX}."
    )


class TimelineArguments(Accepted):
    """A place in time."""

    id: NotBlank = Field(description="The id of the observation to look around.")
    before: Around = Field(default=5, description=f"How many before it, 0 to {AROUND_MAX}.")
    after: Around = Field(default=5, description=f"How many after it, 0 to {AROUND_MAX}.")


class GetArguments(Accepted):
    """Ids."""

    ids: Annotated[list[NotBlank], Field(min_length=1, max_length=IDS_MAX)] = Field(description="Ids of observations.")


class WriteArguments(Accepted):
    """Something to remember."""

    type: ObservationType = Field(description="What sort of thing it is.")
    title: NotBlank = Field(description="It in one line, at most 80 characters.")
    narrative: Text = Field(default="", description="How it came about, at most 400 characters.")
    facts: list[Text] = Field(
        default=[], description="Single statements that stand on their own, at most 200 characters each."
    )
    tags: list[Text] = Field(default=[], description="Keywords.")
    related_files: list[Text] = Field(default=[], description="Paths.")
    related_people: list[Text] = Field(default=[], description="Names.")


class HistoryArguments(Accepted):
    """An id."""

    id: NotBlank = Field(description="The id of an observation, also of one that has ended.")


class PeopleArguments(Accepted):
    """Whom."""

    name: Text | None = Field(default=None, description="One person, by any of their names; leave out for everybody.")
    limit: Limit = Field(default=20, description=f"At most so many, 1 to {FOUND_MAX}.")


class SessionsArguments(Accepted):
    """How many."""

    limit: Limit = Field(default=10, description=f"At most so many, 1 to {FOUND_MAX}.")


class FilesArguments(Accepted):
    """Which file."""

    path: Text | None = Field(default=None, description="What is known about this file; leave out to list the files.")
    limit: Limit = Field(default=20, description=f"At most so many, 1 to {FOUND_MAX}.")


class AliasArguments(Accepted):
    """One more name."""

    name: NotBlank = Field(description="A person's name.")
    alias: NotBlank = Field(description="Another name of the same person.")


Arguments = TypeVar("Arguments", bound=Accepted)


def parse_arguments(model: type[Arguments], given: Mapping[str, Any]) -> Arguments:
    """The arguments of a call. Raises InvalidInput naming the first one that breaks a rule, or that is not known."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        raise InvalidInput(_field(first), _rule(first)) from None


def epoch_ms(moment: datetime | None) -> int | None:
    """UTC epoch milliseconds; a time without a zone is UTC's."""
    if moment is None:
        return None
    zoned = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return int(zoned.timestamp() * 1000)


def _field(detail: ErrorDetails) -> str:
    path = [str(part) for part in detail["loc"]]
    if detail["type"] == "extra_forbidden" and _NAMEABLE.fullmatch(path[-1]) is None:
        path[-1] = "(an argument)"
    return ".".join(path) or "arguments"


def _rule(detail: ErrorDetails) -> str:
    plain = detail["msg"].removeprefix("Value error, ").removeprefix("Input ").replace("should", "must", 1)
    return _PLAIN.get(detail["type"], plain)
