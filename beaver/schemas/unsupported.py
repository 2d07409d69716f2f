"""What OpenAI's APIs know and Beaver has not, where to go on without it would be a wrong answer: refused by name.

Everything else that is not known is dropped: a wish (temperature, stop, tools that may be used) breaks nobody's reading.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import AfterValidator

OUTPUT_LOGPROBS: Final = "message.output_text.logprobs"


def _plain(kind: dict[str, Any] | None) -> dict[str, Any] | None:
    if kind is not None and kind.get("type") not in (None, "text"):
        raise ValueError("must be of type text: an answer is not forced into JSON")
    return kind


def _no_logprobs(wanted: bool | int | None) -> bool | int | None:
    if wanted:
        raise ValueError("must be left out: there are no log probabilities of an agent's answer")
    return wanted


def _may_answer_freely(choice: str | dict[str, Any] | None) -> str | dict[str, Any] | None:
    if choice not in (None, "auto", "none"):
        raise ValueError("must be auto or none: the agent uses its own tools, and calls none of the client's")
    return choice


def _text_only(modalities: list[str] | None) -> list[str] | None:
    if modalities and modalities != ["text"]:
        raise ValueError("must be text alone")
    return modalities


def _no_output_logprobs(wanted: list[str] | None) -> list[str] | None:
    if wanted and OUTPUT_LOGPROBS in wanted:
        raise ValueError(f"must not hold {OUTPUT_LOGPROBS}: there are no log probabilities of an agent's answer")
    return wanted


def _nothing(wanted: dict[str, Any] | None) -> dict[str, Any] | None:
    if wanted is not None:
        raise ValueError("must be left out: prompts that are kept at OpenAI are not known here")
    return wanted


NoLogprobs = Annotated[bool | None, AfterValidator(_no_logprobs)]
"""`logprobs`."""

NoTopLogprobs = Annotated[int | None, AfterValidator(_no_logprobs)]
"""`top_logprobs`."""

FreeToolChoice = Annotated[str | dict[str, Any] | None, AfterValidator(_may_answer_freely)]
"""`tool_choice`, `function_call`: a client that insists on a call of its tool would wait for what never comes."""

PlainText = Annotated[dict[str, Any] | None, AfterValidator(_plain)]
"""`response_format`, `text.format`."""

TextModality = Annotated[list[str] | None, AfterValidator(_text_only)]
"""`modalities`."""

NoOutputLogprobs = Annotated[list[str] | None, AfterValidator(_no_output_logprobs)]
"""`include`."""

NoStoredPrompt = Annotated[dict[str, Any] | None, AfterValidator(_nothing)]
"""`prompt` of the Responses API."""
