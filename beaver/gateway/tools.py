"""The operations for models: the memory tools and the prompt index."""

from __future__ import annotations

from beaver.gateway.showing import namespace_of
from beaver.memory.flushing import KEY_TRUST
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.observations.trust import weakest
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tools.handlers import ToolCaller
from beaver.memory.tools.table import TOOLS
from beaver.schemas.memory_tools import (
    PromptIndexAnswer,
    PromptIndexRequest,
    ToolAnswer,
    ToolItem,
    ToolList,
    ToolRequest,
    ToolsRequest,
)


async def list_tools(_runtime: MemoryRuntime, _request: ToolsRequest, _identity: RequestIdentity | None) -> ToolList:
    """All tools, with their schemas."""
    return ToolList(
        tools=[
            ToolItem(name=tool.name, description=tool.description, parameters=tool.schema, mutating=tool.mutating)
            for tool in TOOLS
        ]
    )


async def call_tool(runtime: MemoryRuntime, request: ToolRequest, identity: RequestIdentity | None) -> ToolAnswer:
    """Call one, as far as the situation is trusted."""
    caller = ToolCaller(namespace_of(request), weakest(KEY_TRUST, request.trust), request.session_id, identity)
    return ToolAnswer(tool=request.tool, result=await runtime.call_tool(request.tool, request.arguments, caller))


async def prompt_index(
    runtime: MemoryRuntime, request: PromptIndexRequest, _identity: RequestIdentity | None
) -> PromptIndexAnswer:
    """What is remembered, in short."""
    index = await runtime.prompt_index(namespace_of(request), request.query, trust=weakest(KEY_TRUST, request.trust))
    return PromptIndexAnswer(
        text=index.text, observations=index.observations, truncated=index.truncated, degraded=list(index.degraded)
    )
