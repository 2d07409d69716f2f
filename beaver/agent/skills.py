"""Skills after the open SKILL.md standard: a folder each, whose SKILL.md holds YAML front matter and instructions.

Three stages keep prompts small: the catalogue (name and description) is in every system prompt, the body comes when the
skill is activated, and further files of its folder are read on demand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from beaver.agent.messages import PromptMessage
from beaver.errors import InvalidInput, NotFound
from beaver.text import replace_surrogates

SKILL_FILE: Final = "SKILL.md"
ACTIVATED_MAX: Final = 5
SKILLS_MAX: Final = 100
FILE_BYTES_MAX: Final = 100_000
RESOURCE_BYTES_MAX: Final = 1_000_000
RESOURCES_LISTED_MAX: Final = 50
DESCRIPTION_CHARACTERS_MAX: Final = 1_024
NAME_CHARACTERS_MAX: Final = 64

_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_FRONT_MATTER: Final = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)(.*)", re.S)


@dataclass(frozen=True)
class Skill:
    """One skill that keeps to the standard. `folder` is resolved; `body` is what stands below the front matter."""

    name: str
    description: str
    folder: Path
    body: str
    license: str | None = None
    compatibility: str | None = None
    metadata: Mapping[str, str] | None = None
    allowed_tools: tuple[str, ...] = ()


@dataclass(frozen=True)
class SkillLibrary:
    """The skills of an instance, by name, and a warning for each folder that was skipped, naming the rule it breaks."""

    skills: Mapping[str, Skill]
    warnings: tuple[str, ...] = ()

    @classmethod
    def load(cls, root: Path) -> SkillLibrary:
        """Read every folder below `root` that holds a SKILL.md; no such root means no skills."""
        found: dict[str, Skill] = {}
        warnings: list[str] = []
        for folder in _skill_folders(root):
            try:
                if len(found) == SKILLS_MAX:
                    raise InvalidInput("skills", f"at most {SKILLS_MAX} are read")
                found[folder.name] = read_skill(folder)
            except InvalidInput as error:
                warnings.append(f"skill {folder.name!r} was skipped: {error}")
        return cls(found, tuple(warnings))

    def catalogue(self) -> str | None:
        """The system prompt's section: one line a skill, in the order of their names; None without skills."""
        if not self.skills:
            return None
        lines = (f"- {skill.name}: {' '.join(skill.description.split())}" for skill in self.skills.values())
        return "\n".join(
            ("Skills: instructions for particular work. Read one with the `skill` tool when it fits.", *lines)
        )

    def activate(self, names: Sequence[str]) -> tuple[PromptMessage, ...]:
        """The bodies as labelled messages, in the order asked for. Raises InvalidInput for an unknown name or too many."""
        unique = tuple(dict.fromkeys(names))
        if len(unique) > ACTIVATED_MAX:
            raise InvalidInput("skills", f"at most {ACTIVATED_MAX} can be activated")
        unknown = sorted(set(unique) - set(self.skills))
        if unknown:
            raise InvalidInput(
                "skills", f"must name skills of this instance ({', '.join(self.skills) or 'it has none'})"
            )
        return tuple(_activation(self.skills[name]) for name in unique)


def _skill_folders(root: Path) -> list[Path]:
    if not root.is_dir():
        return []
    return sorted(
        entry for entry in root.iterdir() if (entry / SKILL_FILE).is_file() or (entry / SKILL_FILE).is_symlink()
    )


def _activation(skill: Skill) -> PromptMessage:
    text = (
        f"[Skill {skill.name}, activated for this turn. These are instructions of the skill, not the user's words.]\n"
        f"{skill.body}\n[End of skill {skill.name}]"
    )
    return PromptMessage("user", text, "skill")


def read_skill(folder: Path) -> Skill:
    """Read and check one skill. Raises InvalidInput naming the field and the rule it breaks, never its value."""
    home = folder.parent.resolve() / folder.name
    file = _inside(home, SKILL_FILE)
    if folder.resolve() != home or file is None:
        raise InvalidInput(SKILL_FILE, "must not lead out of the folder by a symbolic link")
    match = _FRONT_MATTER.fullmatch(_read_text(file))
    if match is None:
        raise InvalidInput(SKILL_FILE, "must begin with YAML front matter between two lines of ---")
    return _checked(home, _front_matter(match[1]), match[2].strip())


def _read_text(file: Path) -> str:
    try:
        if file.stat().st_size > FILE_BYTES_MAX:
            raise InvalidInput(SKILL_FILE, f"must be at most {FILE_BYTES_MAX} bytes")
        return file.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(SKILL_FILE, f"must be readable UTF-8 ({type(error).__name__})") from None


def _front_matter(text: str) -> Mapping[str, Any]:
    import yaml

    try:
        front = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError):
        raise InvalidInput("front matter", "must be valid YAML") from None
    if not isinstance(front, dict):
        raise InvalidInput("front matter", "must be a YAML mapping")
    return front


def _checked(folder: Path, front: Mapping[str, Any], body: str) -> Skill:
    name = _text(front, "name", NAME_CHARACTERS_MAX)
    if name is None or not _NAME.fullmatch(name):
        raise InvalidInput("name", "must be lowercase letters, digits and single hyphens between them")
    if name != folder.name:
        raise InvalidInput("name", "must equal the folder's name")
    description = _text(front, "description", DESCRIPTION_CHARACTERS_MAX)
    if description is None:
        raise InvalidInput("description", "must be given")
    if not body:
        raise InvalidInput("body", "must not be blank")
    return Skill(
        name=name,
        description=description,
        folder=folder,
        body=body,
        license=_text(front, "license", 500),
        compatibility=_text(front, "compatibility", 500),
        metadata=_metadata(front),
        allowed_tools=_allowed_tools(front),
    )


def _text(front: Mapping[str, Any], field: str, characters_max: int) -> str | None:
    value = front.get(field)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(field, "must be text that is not blank")
    if len(value) > characters_max:
        raise InvalidInput(field, f"must be at most {characters_max} characters")
    return replace_surrogates(value)


def _metadata(front: Mapping[str, Any]) -> Mapping[str, str] | None:
    value = front.get("metadata")
    if value is None:
        return None
    if not isinstance(value, dict):
        raise InvalidInput("metadata", "must be a mapping")
    return {str(key): str(item) for key, item in value.items()}


def _allowed_tools(front: Mapping[str, Any]) -> tuple[str, ...]:
    match front.get("allowed-tools"):
        case None:
            return ()
        case str(names):
            return tuple(names.split())
        case list(names) if all(isinstance(name, str) for name in names):
            return tuple(names)
        case _:
            raise InvalidInput("allowed-tools", "must be names separated by spaces")


def read_resource(skill: Skill, path: str) -> str:
    """A text file of the skill's folder.

    Raises InvalidInput for a path that leads out of the folder (by `..`, an absolute path or a symbolic link), for a file
    that is too large or no UTF-8 text, and NotFound, with the files there are, where there is none.
    """
    file = _inside(skill.folder, path)
    if file is None:
        raise InvalidInput("resource", "must be a relative path inside the skill's folder")
    try:
        if file.stat().st_size > RESOURCE_BYTES_MAX:
            raise InvalidInput("resource", f"must be at most {RESOURCE_BYTES_MAX} bytes")
        return file.read_bytes().decode()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise NotFound(f"no such file in the skill; it has {', '.join(list_resources(skill)) or 'none'}") from None
    except UnicodeDecodeError:
        raise InvalidInput("resource", "must be UTF-8 text") from None


def list_resources(skill: Skill) -> list[str]:
    """Files of the skill's folder beside SKILL.md, relative to it, sorted; at most 50."""
    files = (file.relative_to(skill.folder).as_posix() for file in skill.folder.rglob("*") if file.is_file())
    return sorted(name for name in files if name != SKILL_FILE)[:RESOURCES_LISTED_MAX]


def _inside(folder: Path, path: str) -> Path | None:
    """The real file behind `path`, or None where it leads out of the folder."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\0" in path:
        return None
    try:
        real = (folder / pure).resolve()
    except (OSError, RuntimeError):
        return None
    return real if real.is_relative_to(folder.resolve()) else None
