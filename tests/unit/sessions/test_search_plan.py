"""What a search looks for, before any database: terms, stages, bounds."""

from __future__ import annotations

import pytest

from beaver.db.fulltext import TextQuery
from beaver.errors import InvalidInput
from beaver.sessions.search import plan


def test_words_are_looked_for_all_together_then_as_pieces_then_any() -> None:
    assert list(plan("docker compose")) == [
        TextQuery(words=("docker", "compose")),
        TextQuery(pieces=("docker", "compose")),
        TextQuery(words=("docker", "compose"), every=False),
    ]


def test_characters_without_blanks_are_cut_out_of_their_chunk() -> None:
    assert next(plan("部署docker问题")) == TextQuery(words=("docker",), pieces=("部署", "问题"))


def test_a_long_question_without_blanks_is_looked_for_in_threes_at_last() -> None:
    assert list(plan("怎么部署它")) == [
        TextQuery(pieces=("怎么部署它",)),
        TextQuery(pieces=("怎么部", "么部署", "部署它"), every=False),
    ]


def test_chunks_of_punctuation_alone_are_left_out_while_there_are_words() -> None:
    assert next(plan("?? what's -- up !!")).words == ("what's", "up")


def test_punctuation_alone_is_looked_for_as_it_is() -> None:
    assert list(plan(":-) 🦫")) == [TextQuery(pieces=(":-)", "🦫"), everywhere=True)]


def test_the_number_of_terms_is_bounded() -> None:
    first = next(plan(" ".join(f"w{number}" for number in range(400))))

    assert len(first.words) == 64


@pytest.mark.parametrize(("query", "rule"), [("", "blank"), (" \n\t", "blank"), ("x" * 2_049, "2048")])
def test_a_bad_query_is_refused_at_once_naming_the_rule(query: str, rule: str) -> None:
    with pytest.raises(InvalidInput, match=rule):
        plan(query)
