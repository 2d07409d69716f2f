"""Documents into passages: each within one section and on one page, and with their names."""

from __future__ import annotations

import pytest

from beaver.memory.resources.outline import outline_of, title_of
from beaver.memory.resources.passages import document_passages
from beaver.memory.retrieval.chunking import PASSAGE_LENGTH_MAX

HANDBOOK = """# Handbook

Welcome.

## Boiler

### Service

Every March.

```sh
# not a heading
make service
```

## Pump

Twice a year.
"""


def parts(text: str, title: str = "") -> list[tuple[str, str | None, int | None]]:
    """The words, the section and the page of each passage."""
    found = document_passages(text, title, observed_ms=1)
    return [(text[one.span.start : one.span.start + one.span.length].strip(), one.section, one.page) for one in found]


def test_a_passage_is_of_one_section_and_says_which() -> None:
    said, service, pump = parts(HANDBOOK, "Handbook")
    assert said == ("# Handbook\n\nWelcome.", None, None)
    assert service[1:] == ("Boiler › Service", None)
    assert service[0].startswith("## Boiler\n\n### Service")
    assert service[0].endswith("```")
    assert pump == ("## Pump\n\nTwice a year.", "Pump", None)


def test_a_document_named_otherwise_than_its_first_heading_says_that_too() -> None:
    assert [section for _, section, _ in parts(HANDBOOK, "notes")] == [
        "Handbook",
        "Handbook › Boiler › Service",
        "Handbook › Pump",
    ]


def test_a_passage_is_found_by_the_headings_above_it() -> None:
    text = "# Handbook\n\n## Boiler\n\n" + "Every March. " * 200
    words = [one.words for one in document_passages(text, "Handbook", observed_ms=1)]
    assert len(words) > 2
    assert all(one.startswith("handbook boiler ") for one in words)


def test_headings_underlined_headings_and_what_only_looks_like_one() -> None:
    underlined = "Title\n=====\n\nSub\n---\n\n- item\n---\n\n| a |\n---\n\ntwo\nlines\n---\n\n"
    text = underlined + "#hashtag\n\n## C#\n\n## Plan ##\n####### seven"
    assert [(one.level, one.title) for one in outline_of(text).headings] == [
        (1, "Title"),
        (2, "Sub"),
        (2, "C#"),
        (2, "Plan"),
    ]


def test_front_matter_names_the_document_and_holds_no_heading() -> None:
    text = "---\n# no heading\ntitle: 'My notes'\n---\n\n# Boiler\n"
    assert title_of(text) == "My notes"
    assert [one.title for one in outline_of(text).headings] == ["Boiler"]
    assert title_of("---\n\n# Rule above") == "Rule above"
    assert title_of("none") == ""


@pytest.mark.parametrize("block", ["```\n{}```\n", "~~~ py\n{}~~~\n", "| a | b |\n|---|---|\n{}"])
def test_code_and_tables_that_fit_are_not_torn(block: str) -> None:
    row = "| one | two |\n" if block.startswith("|") else "one two\n\n"
    whole = block.format(row * 50)
    text = "Words before. " * 45 + "\n\n" + whole + "\n" + "Words after. " * 60
    assert any(whole.strip() in said for said, _, _ in parts(text))


def test_a_block_that_fits_into_no_passage_is_parted_at_its_lines() -> None:
    table = "| a | b |\n" * 1000
    for said, _, _ in parts(table):
        assert said.startswith("| a")
        assert said.endswith("b |")


def test_a_passage_is_on_one_page_and_says_which() -> None:
    text = "one\n\f\n\n\f\nthree " + "more words " * 150 + "\n\f\nfour"
    assert [page for _, _, page in parts(text)] == [1, 3, 3, 4]
    assert [page for _, _, page in parts("\n\f\n" + "word " * 400)] == [2, 2]
    assert parts("# A\n\none\n\f\ntwo") == [("# A\n\none", "A", 1), ("two", "A", 2)]
    assert [page for _, _, page in parts("no pages")] == [None]


@pytest.mark.parametrize(
    "text",
    [
        HANDBOOK * 50,
        "# a\n" * 5000,
        "word " * 5000,
        "x" * 5000,
        "```\n" * 5000,
        "\n\f\n" * 5000 + "end",
        "| a\n" * 5000,
        "#" * 5000,
        "---\n" * 5000,
        "a\n---\n" * 5000,
        " " * 5000 + "end",
    ],
)
def test_every_word_is_in_one_passage_of_bounded_length(text: str) -> None:
    spans = [one.span for one in document_passages(text, "", observed_ms=1)]
    assert all(0 < span.length <= PASSAGE_LENGTH_MAX for span in spans)
    kept = "".join(text[span.start : span.start + span.length] for span in spans)
    assert "".join(kept.split()) == "".join(text.split())
    assert sorted(span.start for span in spans) == [span.start for span in spans]


def test_nothing_gives_no_passage() -> None:
    assert parts("") == parts(" \n\f\n") == []
