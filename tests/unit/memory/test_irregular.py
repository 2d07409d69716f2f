"""Irregular forms: each finds the others, by words alone."""

from __future__ import annotations

import pytest

from beaver.memory.retrieval.asking.irregular import FORMS, with_forms
from beaver.memory.retrieval.asking.query import ForTerms, NothingAsked, plan_query
from beaver.memory.retrieval.stems import stem_word
from beaver.memory.retrieval.terms import Term
from beaver.memory.stopwords import STOP_WORDS
from tests.unit.memory.test_languages import first, memory

TOLD = [
    "I bought a red bicycle from Sam.",
    "My children were at the seaside.",
    "We went to the opera, it was long.",
    "I won the chess tournament!",
    "Anna wrote a letter to the mayor.",
]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What did I buy?", TOLD[0]),
        ("Where was my child?", TOLD[1]),
        ("Where did we go?", TOLD[2]),
        ("What did I win?", TOLD[3]),
        ("What has Anna written?", TOLD[4]),
    ],
)
def test_a_question_in_another_form_finds_what_was_said(question: str, told: str) -> None:
    assert first(memory(TOLD), TOLD, question)[:1] == [told]


@pytest.mark.parametrize("said", ["I won't come to the party.", "Sam won\u2019t come.", "WON'T!"])
def test_who_will_not_has_not_won(said: str) -> None:
    assert first(memory([said, "Tea."]), [said, "Tea."], "What did I win?") == []
    assert plan_query("won't") == NothingAsked()


def test_the_word_that_was_said_comes_first_and_each_form_once() -> None:
    assert with_forms(["bought"]) == ("bought", "buy")
    assert with_forms(["dog"]) == ("dog",)
    assert plan_query("Who wrote, who writes, who had written?") == ForTerms(
        (Term(("wrote", "write", "written")), Term(("writes",)))
    )


def test_no_form_says_nothing_and_none_has_two_meanings() -> None:
    assert not STOP_WORDS & FORMS.keys()
    groups = set(FORMS.values())
    assert len(FORMS) == sum(map(len, groups))
    assert all(len({stem_word(form) for form in forms}) > 1 for forms in groups)
