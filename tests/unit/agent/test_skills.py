"""Skills keep to the SKILL.md standard, or are skipped with the rule they break; nothing outside their folder is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from beaver.agent.messages import ToolCall
from beaver.agent.skills import SkillLibrary
from beaver.agent.tools.base import ToolContext
from beaver.agent.tools.dispatch import ToolDispatch, ToolResult
from beaver.agent.tools.skill import SkillTool
from beaver.errors import InvalidInput

GOOD = "---\nname: {name}\ndescription: Does {name}.\n---\n\nDo it like {name}.\n"


def write_skill(root: Path, name: str, text: str | None = None) -> Path:
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(GOOD.format(name=name) if text is None else text, encoding="utf-8")
    return folder


def warning_for(root: Path, text: str, name: str = "sums") -> str:
    write_skill(root, name, text)
    library = SkillLibrary.load(root)
    assert not library.skills
    (warning,) = library.warnings
    return warning


def test_a_root_that_does_not_exist_has_no_skills_and_no_catalogue(tmp_path: Path) -> None:
    library = SkillLibrary.load(tmp_path / "absent")
    assert (dict(library.skills), library.warnings, library.catalogue()) == ({}, (), None)


def test_the_catalogue_lists_names_and_descriptions_on_one_line_each_and_no_body(tmp_path: Path) -> None:
    write_skill(tmp_path, "tables")
    write_skill(tmp_path, "sums", "---\nname: sums\ndescription: |\n  Adds\n  numbers.\n---\nSECRET METHOD")
    catalogue = SkillLibrary.load(tmp_path).catalogue()
    assert catalogue is not None
    assert catalogue.splitlines()[1:] == ["- sums: Adds numbers.", "- tables: Does tables."]
    assert "SECRET METHOD" not in catalogue


def test_optional_fields_are_read(tmp_path: Path) -> None:
    write_skill(
        tmp_path,
        "sums",
        "---\r\nname: sums\r\ndescription: Adds.\r\nlicense: MIT\r\ncompatibility: any\r\n"
        "metadata:\r\n  author: me\r\nallowed-tools: skill memory\r\n---\r\nBody",
    )
    skill = SkillLibrary.load(tmp_path).skills["sums"]
    assert (skill.license, skill.compatibility, skill.metadata) == ("MIT", "any", {"author": "me"})
    assert skill.allowed_tools == ("skill", "memory")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Just do it.", "must begin with YAML front matter"),
        ("---\nname: [\n---\nx", "front matter: must be valid YAML"),
        ("---\n- a\n---\nx", "front matter: must be a YAML mapping"),
        ("---\ndescription: Adds.\n---\nx", "name: must be lowercase"),
        ("---\nname: Sums\ndescription: Adds.\n---\nx", "name: must be lowercase"),
        ("---\nname: sums--up\ndescription: Adds.\n---\nx", "name: must be lowercase"),
        ("---\nname: 7\ndescription: Adds.\n---\nx", "name: must be text"),
        (f"---\nname: {'a' * 65}\ndescription: Adds.\n---\nx", "name: must be at most 64"),
        ("---\nname: other\ndescription: Adds.\n---\nx", "name: must equal the folder's name"),
        ("---\nname: sums\n---\nx", "description: must be given"),
        (f"---\nname: sums\ndescription: {'a' * 1025}\n---\nx", "description: must be at most 1024"),
        ("---\nname: sums\ndescription: Adds.\nmetadata: 1\n---\nx", "metadata: must be a mapping"),
        ("---\nname: sums\ndescription: Adds.\nallowed-tools: [1]\n---\nx", "allowed-tools: must be names"),
        ("---\nname: sums\ndescription: Adds.\n---\n  \n", "body: must not be blank"),
        ("---\nname: sums\ndescription: Adds.\n---\n" + "x" * 100_001, "SKILL.md: must be at most 100000 bytes"),
        ("---\nname: !!python/object/apply:os.getcwd []\ndescription: x\n---\nx", "front matter: must be valid YAML"),
    ],
)
def test_a_skill_that_breaks_a_rule_is_skipped_with_a_warning_that_names_it(
    tmp_path: Path, text: str, rule: str
) -> None:
    assert rule in warning_for(tmp_path, text)


def test_a_file_that_is_no_utf8_is_skipped(tmp_path: Path) -> None:
    (write_skill(tmp_path, "sums") / "SKILL.md").write_bytes(b"---\n\xff\n---\n")
    assert "must be readable UTF-8" in SkillLibrary.load(tmp_path).warnings[0]


def test_one_bad_skill_does_not_hide_the_good_ones(tmp_path: Path) -> None:
    write_skill(tmp_path, "bad", "nothing")
    write_skill(tmp_path, "good")
    library = SkillLibrary.load(tmp_path)
    assert (list(library.skills), len(library.warnings)) == (["good"], 1)


def test_a_skill_file_or_folder_that_is_a_link_to_elsewhere_is_refused(tmp_path: Path) -> None:
    elsewhere = write_skill(tmp_path / "elsewhere", "linked")
    root = tmp_path / "skills"
    root.mkdir()
    (root / "linked").symlink_to(elsewhere)
    (root / "halfway").mkdir()
    (root / "halfway" / "SKILL.md").symlink_to(elsewhere / "SKILL.md")
    library = SkillLibrary.load(root)
    assert not library.skills
    assert all("symbolic link" in warning for warning in library.warnings)
    assert len(library.warnings) == 2


def test_activated_bodies_are_labelled_and_say_that_the_user_did_not_write_them(tmp_path: Path) -> None:
    write_skill(tmp_path, "sums")
    write_skill(tmp_path, "tables")
    messages = SkillLibrary.load(tmp_path).activate(["tables", "sums", "tables"])
    assert [message.label for message in messages] == ["skill", "skill"]
    assert "Do it like tables." in messages[0].text
    assert "not the user's words" in messages[0].text


def test_unknown_and_too_many_skills_are_refused(tmp_path: Path) -> None:
    for number in range(6):
        write_skill(tmp_path, f"s{number}")
    library = SkillLibrary.load(tmp_path)
    with pytest.raises(InvalidInput, match="must name skills of this instance"):
        library.activate(["absent"])
    with pytest.raises(InvalidInput, match="at most 5"):
        library.activate([f"s{number}" for number in range(6)])


async def ask(root: Path, arguments: str) -> ToolResult:
    tool = SkillTool(SkillLibrary.load(root))
    return await ToolDispatch([tool]).call(ToolCall("1", "skill", arguments), ToolContext("s", "r"))


async def test_the_tool_reads_the_body_and_names_the_further_files(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "sums")
    (folder / "refs").mkdir()
    (folder / "refs" / "table.md").write_text("1+1=2")
    result = await ask(tmp_path, '{"name": "sums"}')
    assert result == ToolResult("Do it like sums.\n\nFiles: refs/table.md", is_error=False)


async def test_the_tool_reads_a_file_inside_the_folder(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "sums")
    (folder / "table.md").write_text("1+1=2")
    (folder / "alias.md").symlink_to(folder / "table.md")
    assert await ask(tmp_path, '{"name": "sums", "resource": "./table.md"}') == ToolResult("1+1=2", is_error=False)
    assert await ask(tmp_path, '{"name": "sums", "resource": "alias.md"}') == ToolResult("1+1=2", is_error=False)


@pytest.mark.parametrize(
    "path", ["../secret.txt", "/etc/hostname", "refs/../../secret.txt", "link.txt", "out/x", "a\\u0000"]
)
async def test_no_path_leads_out_of_the_folder(tmp_path: Path, path: str) -> None:
    folder = write_skill(tmp_path / "skills", "sums")
    (tmp_path / "skills" / "secret.txt").write_text("TOP SECRET")
    (folder / "link.txt").symlink_to(tmp_path / "skills" / "secret.txt")
    (folder / "out").symlink_to(tmp_path)
    result = await ask(tmp_path / "skills", f'{{"name": "sums", "resource": "{path}"}}')
    assert result.is_error
    assert "must be a relative path inside the skill's folder" in result.text


@pytest.mark.parametrize(
    ("path", "told"),
    [("absent.md", "it has data.bin"), (".", "no such file"), ("data.bin", "must be UTF-8 text")],
)
async def test_what_cannot_be_read_is_told_in_plain_words(tmp_path: Path, path: str, told: str) -> None:
    (write_skill(tmp_path, "sums") / "data.bin").write_bytes(b"\xff\xfe")
    result = await ask(tmp_path, f'{{"name": "sums", "resource": "{path}"}}')
    assert result.is_error
    assert told in result.text


async def test_an_unknown_skill_is_answered_with_the_names_there_are(tmp_path: Path) -> None:
    write_skill(tmp_path, "sums")
    assert 'name must be one of ["sums"]' in (await ask(tmp_path, '{"name": "sum"}')).text
