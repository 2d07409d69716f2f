"""Which statements say the same, and which take another's place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.agent.policy.candidates import Candidate
from beaver.agent.policy.likeness import distance, normalised_hash, relate, says_the_same, simhash
from beaver.agent.policy.stores import Hit, ItemType, MemoryItem

VOCABULARY = ["linter", "commit", "always", "tabs", "spaces", "Go", "answer", "German", "tests", "deploy", "Friday"]
words = st.lists(st.sampled_from(VOCABULARY), min_size=1)


def item(text: str, kind: ItemType = "rule") -> MemoryItem:
    return MemoryItem("m_1", kind, text, "project", (), False, 0.9, 0, None, "rules", 0)


def relation(new: str, old: str, kind: ItemType = "rule", semantic: float | None = None) -> str | None:
    found = relate(Candidate(kind, new, 0.9, "rules"), [Hit(item(old, kind), semantic, 0.5)])
    return None if found is None else found.relation


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Always run the linter before a commit.", "always run the linter  before a commit"),
        ("I prefer tabs over spaces in Go!", "I prefer tabs over spaces, in Go"),
        ("以后请用中文回答", "以后请用中文回答。"),
        ("From now on: always run the linter before a commit", "Always run the linter before a commit"),
        ("请记住以后用中文回答问题", "用中文回答问题"),
    ],
)
def test_case_spaces_and_punctuation_make_no_difference(new: str, old: str) -> None:
    assert normalised_hash(new) == normalised_hash(old)
    assert relation(new, old) == "same"


def test_what_means_the_same_to_an_encoder_is_the_same() -> None:
    assert relation("Lint before each commit", "Always run the linter before you commit", semantic=0.92) == "same"
    assert relation("Lint before each commit", "Always run the linter before you commit", semantic=0.91) is None
    assert relation("Lint before each commit", "Always run the linter before you commit") is None


@pytest.mark.parametrize(
    ("new", "old", "kind"),
    [
        ("Never deploy on Friday afternoons", "Always deploy on Friday afternoons", "rule"),
        ("I no longer drink coffee after lunch", "I drink coffee after lunch", "preference"),
        ("We switched the archive to SQLite", "The archive is on PostgreSQL, we decided", "decision"),
        ("I prefer spaces over tabs", "I prefer tabs over spaces", "preference"),
        ("Answer in German when I write German", "Answer in English when I write German", "rule"),
        ("Use pytest for the tests", "Use unittest for the tests", "decision"),
        ("别在周五部署到生产环境", "在周五部署到生产环境", "rule"),
    ],
)
def test_what_denies_or_chooses_otherwise_contradicts(new: str, old: str, kind: ItemType) -> None:
    assert relation(new, old, kind) == "contradicts"
    assert relation(new, old, kind, semantic=0.99) == "contradicts"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Use black for formatting the code", "Use pytest for the tests"),
        ("Never commit without a test", "Never deploy on Friday afternoons"),
        ("I do not like coriander in soup", "I like bread with olives"),
        ("From now on use pnpm in this project", "From now on use black in this project"),
        ("Answer in German when I write German", "Answer in short sentences"),
    ],
)
def test_other_matters_are_news(new: str, old: str) -> None:
    assert relation(new, old) is None


def test_another_type_contradicts_nothing() -> None:
    candidate = Candidate("fact", "Never deploy on Friday afternoons", 0.9, "rules")

    assert relate(candidate, [Hit(item("Always deploy on Friday afternoons"), 0.5, 0.5)]) is None


@given(words)
def test_a_text_is_like_itself_in_any_case(parts: list[str]) -> None:
    text = " ".join(parts)

    assert says_the_same(text, text.upper() + "!")
    assert distance(simhash(text), simhash(text.title())) == 0


@given(words, words)
def test_likeness_goes_both_ways(one: list[str], other: list[str]) -> None:
    first, second = " ".join(one), " ".join(other)

    assert says_the_same(first, second) is says_the_same(second, first)


@given(st.text(max_size=200))
def test_every_text_has_its_hashes(text: str) -> None:
    assert 0 <= simhash(text) < 2**64
    assert len(normalised_hash(text)) == 64
