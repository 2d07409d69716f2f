"""What of a Gateway's answer is looked at before it is shown."""

from __future__ import annotations

from dataclasses import replace

from beaver.agent.policy.blocks import Filter, remote_block
from beaver.agent.policy.denylist import Denylist
from beaver.agent.policy.privacy import Redacted, redact
from beaver.client.gateway import Newer, RecalledItem

TOKENS_MAX = 100
NOTHING_DENIED = Denylist((), (), ())


def recalled(text: str) -> RecalledItem:
    return RecalledItem("m1", None, text, 0.9, None, None)


class Reader:
    """Remembers the lengths of what it has read."""

    def __init__(self) -> None:
        self.lengths: list[int] = []

    def __call__(self, text: str) -> Redacted:
        self.lengths.append(len(text))
        return redact(text)


def test_a_text_that_cannot_fit_is_not_read_and_a_shorter_one_behind_it_is_shown() -> None:
    reader = Reader()
    items = [recalled("the boat is red. " * 100_000), recalled("the boat is blue")]
    block = remote_block(items, Filter(reader, NOTHING_DENIED, "project"), TOKENS_MAX)
    assert block.message is not None
    assert "the boat is blue" in block.message.text
    assert (block.places, reader.lengths) == ((1,), [len("the boat is blue")])


def test_what_fits_once_its_private_part_is_out_is_shown() -> None:
    said = "the boat is blue and lies in the harbour of the island. " * 6
    text = f"{said}sk-{'A1b2' * 50}"
    block = remote_block([recalled(text)], Filter(redact, NOTHING_DENIED, "project"), TOKENS_MAX)
    assert len(text) > 4 * TOKENS_MAX
    assert block.message is not None
    assert "[REDACTED:api_key]" in block.message.text


def test_the_names_of_a_document_and_a_section_are_looked_at_too() -> None:
    item = replace(recalled("the boat is red"), title="notes of ada@example.org", section="tom@example.org", page=3)
    block = remote_block([item], Filter(redact, Denylist((), (), ()), "project"), TOKENS_MAX)
    assert block.message is not None
    assert "example.org" not in block.message.text
    assert '"page": "3"' in block.message.text


def test_who_said_it_and_what_took_its_place_are_looked_at_too() -> None:
    newer = (Newer("my address is ada@example.org", 1), Newer("the shop is closed", 1))
    item = replace(recalled("the boat is red"), role="user", speaker="tom@example.org", superseded_by=newer)
    block = remote_block([item], Filter(redact, Denylist((), (), ()), "project"), TOKENS_MAX)
    assert block.message is not None
    assert "example.org" not in block.message.text
    assert "the shop is closed" in block.message.text
