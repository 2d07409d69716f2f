"""Query plans: what is looked for, where, and how little a caller can break."""

from __future__ import annotations

from beaver.memory.retrieval.query import (
    TERMS_MAX,
    ForTerms,
    MostRecent,
    NothingAsked,
    Term,
    match_expression,
    plan_query,
    scope_expression,
    scope_tokens,
)


def test_stop_words_are_not_asked_for() -> None:
    assert plan_query("What is the name of my dog?") == ForTerms((Term(("name",)), Term(("dog",))))


def test_no_text_asks_for_the_most_recent() -> None:
    assert plan_query(" \n\t") == MostRecent()


def test_text_without_a_word_to_look_for_asks_nothing() -> None:
    assert plan_query("?!...") == NothingAsked()
    assert plan_query("who are you") == NothingAsked()


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
