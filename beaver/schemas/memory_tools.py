"""The Gateway's API for models: the memory tools, and the prompt index."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from beaver.schemas.gateway import Credentials
from beaver.schemas.wire import Answered, JsonObject, NotBlank, Text

TOOLS_PATH: Final = "/tools"
TOOL_PATH: Final = "/tools/{tool}"
PROMPT_INDEX_PATH: Final = "/prompt-index"

Trust = Literal["owner", "full", "inner", "familiar", "public"]
"""How far the situation is trusted in which a model speaks. A key's own trust, which is full, is never exceeded."""


class ToolsRequest(Credentials):
    """Which tools there are."""


class ToolRequest(Credentials):
    """Call one. `session_id`: the session in which it is called, as it was added."""

    tool: NotBlank
    arguments: JsonObject = Field(default_factory=dict)
    trust: Trust = "full"
    session_id: NotBlank | None = None


class PromptIndexRequest(Credentials):
    """A short list of what is remembered, for the prompt of an answer to `query`."""

    query: Annotated[Text, Field(max_length=100_000)] = ""
    trust: Trust = "full"


class ToolItem(Answered):
    """A tool as models are told of it; `parameters` is a JSON schema, `mutating` whether it changes what is remembered."""

    name: str
    description: str
    parameters: dict[str, Any]
    mutating: bool


class ToolList(Answered):
    """All tools."""

    tools: list[ToolItem]


class ToolAnswer(Answered):
    """What a tool answered."""

    tool: str
    result: dict[str, Any]


class PromptIndexAnswer(Answered):
    """Reference data for a prompt, which nobody has to obey: a line of JSON an observation or session. `truncated`: the budget
    cut it; `degraded`: which parts are missing, and why (`relevant:unavailable`).
    """

    text: str
    observations: int
    truncated: bool
    degraded: list[str]
