"""The privacy gate: what is private goes, what only looks so stays, and no text takes long."""

from __future__ import annotations

from time import thread_time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from beaver.agent.policy.privacy import entropy, redact
from beaver.redaction import Redactor
from tests.support.private_texts import CLEAN, Private, private_texts

SPOKEN_BARELY = {"hidden_email", "bare_password"}
"""Kinds that no pattern of ours is meant to see; the measured recall counts them all the same."""

# Runs of beginnings that come to nothing: what makes a careless pattern take the square of a text's length.
TIRING = (
    *("eyJ-", "sk-", "token:", "tokenis", "bearer ", "basic aA", "-----BEGIN ", "://a:", "a@a.", "a@", "password is "),
    *(
        "+1 1",
        "(12) ",
        "1 ",
        "4111 ",
        "4111-",
        "Aa1",
        "tel ",
        "phone (",
        "pin ",
        "密码是",
        "电话",
        " ",
        "é",
        "[REDACTED:",
    ),
)


def test_recall_and_precision_on_made_up_secrets_and_clean_texts() -> None:
    private = list(private_texts())
    missed = [each for each in private if each.leaks_into(redact(each.text).text)]
    wrong = [text for text in CLEAN if redact(text).text != text]
    found = len(private) - len(missed)
    recall, precision = found / len(private), found / (found + len(wrong))
    print(f"privacy gate: recall {recall:.3f} of {len(private)}, precision {precision:.3f} beside {len(CLEAN)} clean")
    print(f"missed: {sorted({each.kind for each in missed})}; taken wrongly: {wrong}")

    assert recall >= 0.93
    assert precision >= 0.99


@pytest.mark.parametrize("seed", range(3))
def test_of_the_kinds_it_knows_it_misses_one_in_a_hundred_at_most(seed: int) -> None:
    private = [each for each in private_texts(seed) if each.kind not in SPOKEN_BARELY]
    missed = [each for each in private if each.leaks_into(redact(each.text).text)]

    assert len(missed) <= len(private) / 100


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("write to ada@example.org soon, please", "write to [REDACTED:email] soon, please"),
        ("the card 4111 1111 1111 1111 is only for tests", "the card [REDACTED:card] is only for tests"),
        ("my phone is out of order, ring +49 30 1234567 instead", None),
        (
            "The Wi-Fi password is swordfish. Tell the guests.",
            "The Wi-Fi password is [REDACTED:password]. Tell the guests.",
        ),
        (
            "the card 4111 1111 1111 1112 has a wrong check digit",
            "the card 4111 1111 1111 1112 has a wrong check digit",
        ),
    ],
)
def test_what_stands_around_it_stays(text: str, clean: str | None) -> None:
    wanted = "my phone is out of order, ring [REDACTED:phone] instead" if clean is None else clean

    assert redact(text).text == wanted


def test_each_kind_is_named_once() -> None:
    assert redact("ada@example.org and bob@example.org sit in the room next to the kitchen").kinds == ("email",)
    assert redact("nothing of the kind").kinds == ()


def test_a_text_that_is_private_for_the_most_part_is_refused() -> None:
    assert redact("key: uk_0123456789abcdef0123456789abcdef").refused
    assert not redact("the key for the staging machine is in the safe, and ada@example.org has it").refused
    assert not redact("nothing").refused
    assert not redact("").refused


def test_the_processs_own_secrets_go_too() -> None:
    assert redact("we call it blue-heron here", Redactor(["blue-heron"])).text == "we call it [REDACTED:known] here"


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.sampled_from([*(each.text for each in private_texts(1, 1)), *CLEAN, " ", "\n", "a", "1"])).map("".join)
)
@example("password: bananabread" * 3)
def test_what_is_redacted_stays_as_it_is(text: str) -> None:
    settled = redact(redact(text).text).text

    assert redact(settled).text == settled


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(list(private_texts(2, 1))), st.sampled_from(CLEAN), st.sampled_from(CLEAN))
def test_a_secret_between_other_words_goes_all_the_same(private: Private, before: str, after: str) -> None:
    # Four digits may well stand in the other words too.
    if private.kind not in {*SPOKEN_BARELY, "pin"}:
        assert private.secret not in redact(f"{before}\n{private.text}\n{after}").text


@pytest.mark.parametrize("piece", TIRING)
def test_the_time_grows_with_the_length_and_not_with_its_square(piece: str) -> None:
    # The thread's own time, the least of three: eight times the text may take thirty times as long, not sixty-four times.
    def seconds(length: int) -> float:
        text = (piece * length)[:length] + " x"
        return min(_seconds(text) for _ in range(3))

    assert seconds(24_000) <= 30 * seconds(3_000) + 0.1


def _seconds(text: str) -> float:
    started = thread_time()
    redact(text)
    return thread_time() - started


def test_entropy_is_that_of_the_characters() -> None:
    assert entropy("") == 0
    assert entropy("aaaa") == 0
    assert entropy("abcd") == 2
