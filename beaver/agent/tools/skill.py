"""The `skill` tool: gives a model the body of a skill, or one file of its folder."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from beaver.agent.messages import ToolSpec
from beaver.agent.skills import SkillLibrary, list_resources, read_resource
from beaver.agent.tools.base import ToolContext, ToolFailure
from beaver.apart import apart
from beaver.errors import InvalidInput, NotFound


class SkillTool:
    """Reads skills. Nothing outside their folders can be reached."""

    def __init__(self, library: SkillLibrary) -> None:
        self._library = library
        self.spec = ToolSpec(
            name="skill",
            description="Read a skill's instructions, or with `resource` one file of its folder.",
            parameters={
                "type": "object",
                "properties": {
                    "name": {"type": "string", "enum": list(library.skills)},
                    "resource": {"type": "string", "description": "A file's path, relative to the skill's folder."},
                },
                "required": ["name"],
                "additionalProperties": False,
            },
        )

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:  # noqa: ARG002 - the same in every run
        """The text asked for."""
        skill = self._library.skills[arguments["name"]]
        resource = arguments.get("resource")
        if resource is None:
            files = await apart(partial(list_resources, skill))
            return f"{skill.body}\n\nFiles: {', '.join(files)}" if files else skill.body
        try:
            return await apart(partial(read_resource, skill, resource))
        except (InvalidInput, NotFound) as error:
            raise ToolFailure(str(error)) from None
