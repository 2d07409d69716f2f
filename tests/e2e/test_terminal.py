"""The chat at a terminal: lines are edited, earlier ones brought back, and no file keeps them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.instance import Instance
from tests.support.terminal import (
    BACKSPACE,
    CTRL_C,
    CTRL_D,
    END,
    ENTER,
    HOME,
    KILL_LINE,
    LEFT,
    UP,
    Terminal,
    terminal,
)

PROMPT = "you> "
SESSION = "kitchen"


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    """One without a Gateway, so that a chat starts no other process."""
    home = tmp_path / ".beaver"
    home.mkdir(mode=0o700)
    (home / "config.json").write_text(json.dumps({"memory": {"mode": "curated"}}))
    return Instance(tmp_path)


async def said(instance: Instance) -> list[str]:
    """What the person has said in the session."""
    told: list[dict[str, Any]] = await instance.json("sessions", "show", SESSION)
    return [event["content"] for event in told if event["role"] == "user"]


async def press(screen: Terminal, *keys: str) -> None:
    """Press keys and Enter, and wait until the chat asks again: the answer is out then."""
    screen.types(*keys, ENTER)
    await screen.shows(f"\n{PROMPT}")


async def test_lines_are_edited_and_brought_back_within_a_chat_and_when_it_goes_on(instance: Instance) -> None:
    with terminal(instance.folder, "chat", "--session", SESSION) as screen:
        await screen.shows(PROMPT)
        await press(screen, "The pan is blue.")
        await press(screen, UP, LEFT * 5, BACKSPACE * 3, "was ", HOME, "No: ", END, "!")
        await press(screen, "not this", KILL_LINE, UP, UP)
        screen.types("nor that")
        await screen.shows("nor that")
        screen.types(CTRL_C)
        await screen.shows("(Ctrl-D or /quit leaves)")
        await screen.shows(PROMPT)
        screen.types(CTRL_D)
        await screen.shows("session kitchen")
        assert screen.process.wait(30) == 0
    assert await said(instance) == ["The pan is blue.", "No: The pan was blue.!", "The pan is blue."]

    with terminal(instance.folder, "chat", "--session", SESSION) as screen:
        await screen.shows(PROMPT)
        await press(screen, UP, UP)
    assert (await said(instance))[-1] == "No: The pan was blue.!"
    kept = [path.name for path in (instance.folder / ".beaver").iterdir() if "history" in path.name]
    assert kept == []
