"""What is heard as a wish to forget, and what is not."""

from __future__ import annotations

import pytest

from beaver.memory.capture.forget_requests import ForgetRequest, hear
from beaver.memory.capture.rules import candidates
from beaver.memory.transcripts.said import SaidMessage


def message(content: str, *, role: str = "user", speaker: str = "ada") -> SaidMessage:
    return SaidMessage("t", "t.0", role, speaker, content, 1)


def heard(content: str) -> ForgetRequest | None:
    requests = hear([message(content)], "ada").requests
    return requests[0] if requests else None


@pytest.mark.parametrize(
    ("content", "statements"),
    [
        ("Forget that I live in Paris.", ("I live in Paris",)),
        ("please forget i live in paris", ("i live in paris",)),
        ("Please forget that I live in Paris, I moved.", ("I live in Paris",)),
        ("Can you forget that I live in Paris?", ("I live in Paris",)),
        ("Hey Beaver, could you please forget that my dog is called Rex, thanks?", ("my dog is called Rex",)),
        ("You can forget that I like tea now.", ("I like tea",)),
        ("Forget that I'm vegan because I am not.", ("I'm vegan",)),
        ("I want you to forget that I work at Acme and that my boss is Tom", ("I work at Acme", "my boss is Tom")),
        ("Delete from your memory that I smoke.", ("I smoke",)),
        ("Stop remembering that we have a cat called Mia.", ("we have a cat called Mia",)),
        ("Please don't remember that I live in Paris any more", ("I live in Paris",)),
        ("Forget that Bob is my brother.", ("Bob is my brother",)),
        ("忘记我住在巴黎", ("我住在巴黎",)),
        ("请忘掉我喜欢喝茶。", ("我喜欢喝茶",)),
        ("别再记我在腾讯上班", ("我在腾讯上班",)),
        ("把我住在巴黎这件事忘掉吧", ("我住在巴黎",)),
        ("請忘記我住在巴黎", ("我住在巴黎",)),
    ],
)
def test_a_statement(content: str, statements: tuple[str, ...]) -> None:
    request = heard(content)
    assert request is not None
    assert request.statements == statements


@pytest.mark.parametrize(
    ("content", "attribute"),
    [
        ("forget my address", "my address"),
        ("Please forget where I live.", "where I live"),
        ("Remove my phone number from your memory.", "my phone number"),
        ("Forget about my job, please", "my job"),
        ("请忘记我的地址", "我的地址"),
        ("忘掉我住在哪里", "我住在哪里"),
    ],
)
def test_an_attribute(content: str, attribute: str) -> None:
    request = heard(content)
    assert request is not None
    assert request.attributes == (attribute,)


@pytest.mark.parametrize("content", ["Forget what I just said.", "please forget my last message", "忘记我刚才说的"])
def test_the_message_before(content: str) -> None:
    request = heard(content)
    assert request is not None
    assert request.last


@pytest.mark.parametrize("content", ["Forget everything about my ex.", "forget all", "忘记所有关于我前任的事"])
def test_too_much(content: str) -> None:
    request = heard(content)
    assert request is not None
    assert request.too_much
    assert not request.statements


@pytest.mark.parametrize(
    "content",
    [
        "Did you forget that I live in Paris?",
        "Why did you forget that I live in Paris?",
        "Forget that I live in Paris?",
        "Don't forget that I live in Paris.",
        "Never forget that I live in Paris.",
        "Let's not forget that I live in Paris.",
        "I forgot that I live in Paris.",
        "You forgot that I live in Paris.",
        "Sometimes I forget that I live in Paris.",
        "If I forget that I live in Paris, remind me.",
        "Forget that I live in Paris for a moment.",
        "Forget that I live in Paris if you can.",
        "Forget it.",
        "Forget that idea.",
        "Forget what I said about it.",
        "Forget that I said anything.",
        "He told me to forget that I live in Paris.",
        'He said: "Forget that I live in Paris."',
        "> Forget that I live in Paris.",
        "```\nForget that I live in Paris.\n```",
        "Translate to French: forget that I live in Paris.",
        "<memory>\nForget that I live in Paris.\n</memory>",
        "Forget that I live in Paris. " + "It is a story. " * 8,
        "不要忘记我住在巴黎",
        "别忘了我住在巴黎",
        "我忘记我住在哪里了",
        "你忘记我住在巴黎了吗？",
        "忘记我密码是多少了",
        "别忘记我的生日",
        "忘了带钥匙",
    ],
)
def test_no_wish(content: str) -> None:
    assert heard(content) is None


def test_only_the_user_asks() -> None:
    words = "Forget that I live in Paris."
    others = [message(words, role="assistant", speaker="beaver"), message(words, speaker="bob")]
    assert hear(others, "ada").requests == []


def test_what_else_is_said_beside_it_is_left_to_be_read() -> None:
    both = "I moved.\n  Forget that I  live in Paris. I live in Rome now."
    (left,) = hear([message(both)], "ada").others
    assert left.content.split() == ["I", "moved.", "I", "live", "in", "Rome", "now."]
    assert hear([message("Forget that I live in Paris.")], "ada").others == []
    (left,) = hear([message("I live in Paris. I like tea. Forget that I live in Paris.")], "ada").others
    assert left.content.strip() == "I like tea."


def test_what_was_just_said_in_the_same_message_is_left_out_with_all_of_it() -> None:
    both = message("I live in Paris. Forget what I just said.")
    assert hear([both], "ada").requests == []
    assert candidates([both], "ada") == []
