"""The two bases of wire types: strict for what we accept, tolerant for what a peer answers."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from beaver.text import replace_surrogates, replace_surrogates_deep

INTEGER_MAX: Final = 2**63 - 1
"""The largest number that both databases can hold or be asked for."""


class Accepted(BaseModel):
    """A request that we accept: unknown keys are refused, so that a typo never goes unseen."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Answered(BaseModel):
    """A peer's answer: unknown keys are dropped, so that a newer peer does not break us."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


Text = Annotated[str, AfterValidator(replace_surrogates)]
"""Any text that can be encoded as UTF-8: lone surrogates are replaced."""

NotBlank = Annotated[Text, AfterValidator(_not_blank)]
"""Text with at least one character that is not white space."""

JsonObject = Annotated[dict[str, Any], BeforeValidator(replace_surrogates_deep)]
"""A JSON object whose strings can all be encoded as UTF-8."""
