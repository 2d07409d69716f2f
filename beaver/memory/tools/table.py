"""The table of tools, and how any of them is called."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from beaver.errors import InvalidInput
from beaver.memory.tools import handlers
from beaver.memory.tools.arguments import (
    AliasArguments,
    FilesArguments,
    GetArguments,
    HistoryArguments,
    PeopleArguments,
    SearchArguments,
    SessionsArguments,
    TimelineArguments,
    WriteArguments,
    parse_arguments,
)
from beaver.memory.tools.handlers import ToolCaller, ToolServices
from beaver.schemas.wire import Accepted

Handler = Callable[[ToolServices, ToolCaller, Any], Awaitable[dict[str, Any]]]


@dataclass(frozen=True)
class MemoryTool:
    """A tool: `arguments` is its schema, `mutating` whether it changes what is remembered."""

    name: str
    description: str
    arguments: type[Accepted]
    mutating: bool
    handle: Handler

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, which allows no other ones."""
        return self.arguments.model_json_schema()


TOOLS: Final = (
    MemoryTool(
        "memory_search",
        "Search what is remembered about the user: observations, best first. Without a query: what is recent.",
        SearchArguments,
        False,
        handlers.search,
    ),
    MemoryTool(
        "memory_timeline",
        "Show what was learned just before and just after an observation.",
        TimelineArguments,
        False,
        handlers.timeline,
    ),
    MemoryTool("memory_get", "Read observations in full, by id.", GetArguments, False, handlers.get),
    MemoryTool(
        "memory_write",
        "Remember something lasting about the user. What is known already is merged, and what is no longer true replaced.",
        WriteArguments,
        True,
        handlers.write,
    ),
    MemoryTool(
        "memory_history",
        "Show how an observation came about and changed, also after its end.",
        HistoryArguments,
        False,
        handlers.history,
    ),
    MemoryTool(
        "memory_people",
        "Show the people whom the user has mentioned, or one of them.",
        PeopleArguments,
        False,
        handlers.people,
    ),
    MemoryTool("memory_sessions", "Show summaries of the last sessions.", SessionsArguments, False, handlers.sessions),
    MemoryTool(
        "memory_files",
        "Show the files that are remembered, or what is remembered about one of them.",
        FilesArguments,
        False,
        handlers.files,
    ),
    MemoryTool("memory_alias", "Note another name of a person who is known.", AliasArguments, True, handlers.alias),
)
_BY_NAME: Final = {tool.name: tool for tool in TOOLS}


class MemoryTools:
    """Calls tools by name. Safe to share between tasks."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    async def call(self, name: str, arguments: Mapping[str, Any], caller: ToolCaller) -> dict[str, Any]:
        """What the tool answers, as JSON.

        Raises InvalidInput for a name or an argument that is not known or breaks a rule, Forbidden and NotFound for what the
        caller's trust does not reach, Conflict, and Unavailable.
        """
        tool = _BY_NAME.get(name)
        if tool is None:
            raise InvalidInput("tool", f"must be one of {', '.join(_BY_NAME)}")
        return await tool.handle(self._services, caller, parse_arguments(tool.arguments, arguments))
