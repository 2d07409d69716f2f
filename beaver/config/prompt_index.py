"""How much of the memory stands in the prompt index."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from beaver.config.rules import Section, Whole


class PromptIndexSettings(Section):
    """The short list of observations that a prompt may carry."""

    limit: Annotated[Whole, Field(ge=1, le=200, description="Most observations in the prompt index.")] = 30
    tokens_max: Annotated[Whole, Field(ge=1, le=32_000, description="Most tokens of the prompt index.")] = 3_000
    recent_days: Annotated[
        Whole,
        Field(ge=1, le=30, description="What changed in so many days comes first, in at most half of the places."),
    ] = 3
