"""What was recalled for an answer, in words."""

from __future__ import annotations

from dataclasses import replace

from beaver.agent.policy.attribution import Recollected, Why, in_words
from tests.unit.agent.policy.recalled_items import NOW_MS

ITEM = Recollected("local", "i-1", "fact/project", "s-0", NOW_MS, 0.7, "words", "The port is 8443.")
MEMORY = Recollected("gateway", "m-1", "all_user_memory", "chat:s-9", None, 0.9, None, None)
RUN = Why("r-1", NOW_MS, "run", "session_start", 40, (ITEM, MEMORY), "succeeded", 1)


def test_each_memory_has_a_line_with_where_it_is_from() -> None:
    assert in_words(RUN) == [
        "Recalled: the session began, or went on after a silence.",
        "- local fact/project i-1 (session s-0, 2027-01-15, by words, score 0.70): The port is 8443.",
        "- gateway all_user_memory m-1 (session chat:s-9, score 0.90)",
    ]


def test_a_forgotten_item_is_named_without_its_words() -> None:
    assert in_words(replace(RUN, memories=(replace(ITEM, text=None),), gateway=None))[1].endswith("(forgotten)")


def test_a_skip_says_why() -> None:
    skipped = Why("r-1", NOW_MS, "skip", "off", 0, (), None, 0)
    assert in_words(skipped) == ["Recalled nothing: memory is off in this session."]


def test_where_no_policy_recalls_the_gateways_memories_are_counted() -> None:
    always = Why("r-1", NOW_MS, "run", None, 0, (), "succeeded", 3)
    assert in_words(always) == ["Recalled.", "The Memory Gateway brought 3 memories."]
    assert in_words(replace(always, gateway="failed"))[1] == "The Memory Gateway did not answer."


def test_what_the_gateway_does_not_tell_of_a_memory_is_left_out() -> None:
    bare = Recollected("gateway", None, "", None, None, None, None, None)
    assert in_words(replace(RUN, memories=(bare,)))[1] == "- gateway (no id) (no session)"


def test_a_search_that_found_nothing_says_so() -> None:
    assert in_words(replace(RUN, memories=(), gateway=None, gateway_count=0)) == [
        "Searched: the session began, or went on after a silence.",
        "Nothing was found that has to do with the message.",
    ]


def test_a_session_without_recall_says_so() -> None:
    assert in_words(None) == ["Nothing was recalled in this session yet."]
