"""Query plans: what is looked for, where, and how little a caller can break."""

from __future__ import annotations

import pytest

from beaver.memory.retrieval.asking.query import TERMS_MAX, ForTerms, MostRecent, NothingAsked, WhatIsKnown, plan_query
from beaver.memory.retrieval.terms import Term, match_expression, scope_expression, scope_tokens


def test_stop_words_are_not_asked_for() -> None:
    assert plan_query("What is the name of my dog?") == ForTerms((Term(("name",)), Term(("dog",))))


def test_no_text_asks_for_the_most_recent() -> None:
    assert plan_query(" \n\t") == MostRecent()


def test_text_without_a_word_to_look_for_asks_nothing() -> None:
    assert plan_query("?!...") == NothingAsked()
    assert plan_query("who are you") == NothingAsked()


@pytest.mark.parametrize(
    "text",
    [
        "What do you know about me?",
        "so, what do you still remember about me",
        "Who am I?",
        "Tell me everything you know about me, please",
        "What have I told you so far?",
        "Do you remember me?",
        "Was weißt du über mich?",
        "Wer bin ich?",
        "Que sais-tu de moi ?",
        "¿Qué sabes de mí?",
        "你知道我什么？",
        "我是谁?",
        "私について何を知っていますか？",
        "나에 대해 뭘 알아?",
    ],
)
def test_who_they_are_asks_for_what_is_known_of_them(text: str) -> None:
    assert plan_query(text) == WhatIsKnown()


@pytest.mark.parametrize(
    "text",
    [
        "What do you know about my dog?",
        "Who am I meeting on Friday?",
        "What have I told you about Biscuit?",
        "Do you know the way?",
        "Was weißt du über meinen Hund?",
        "你知道我的狗叫什么吗？",
        "What do you think?",
        "who are you",
    ],
)
def test_what_names_something_asks_for_that(text: str) -> None:
    assert plan_query(text) != WhatIsKnown()


def test_a_term_is_asked_for_once() -> None:
    assert plan_query("dog Dog DOG") == ForTerms((Term(("dog",)),))


def test_a_long_prompt_is_asked_by_its_first_and_its_last_words() -> None:
    plan = plan_query(" ".join(f"word{number}" for number in range(5000)))
    assert isinstance(plan, ForTerms)
    assert len(plan.terms) == TERMS_MAX
    assert plan.terms[0] == Term(("word0",))
    assert plan.terms[-1] == Term(("word4999",))


def test_the_filter_always_holds_the_namespace() -> None:
    assert scope_expression(7, 3, ["current_chat"]) == "scope : (n7 AND (c3))"
    assert scope_expression(7, 3, ["resources", "all_user_memory"]) == "scope : (n7 AND (r7 OR m7))"


def test_a_chat_in_which_nothing_was_said_holds_nothing() -> None:
    assert scope_expression(7, None, ["current_chat"]) is None
    assert scope_expression(7, None, ["current_chat", "resources"]) == "scope : (n7 AND (r7))"


def test_a_passage_carries_the_tokens_that_the_filter_asks_for() -> None:
    assert scope_tokens(7, 3).split() == ["n7", "m7", "c3"]
    assert scope_tokens(7, None).split() == ["n7", "r7"]


def test_terms_are_joined_by_or_inside_the_filter() -> None:
    terms = [Term(("dog",)), Term(("koln", "koeln"))]
    assert match_expression("scope : (n7 AND (r7))", terms) == (
        'scope : (n7 AND (r7)) AND text : ("dog" OR "koln" OR "koeln")'
    )
