"""Credentials go out of a text; speech about credentials stays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beaver import redaction
from beaver.redaction import KNOWN_SECRET_LENGTH_MIN, Redactor, find_secret

# text -> the secret in it
SECRETS = {
    "private_key": {
        "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----": "MIIabc",
        "cut off: -----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz": "b3BlbnNz",
    },
    "jwt": {"cookie eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl;": "c2lnbmF0dXJl"},
    "api_key": {
        "key uk_0123456789abcdef0123": "uk_0123456789abcdef0123",
        "key bk_AbCdEfGhIjKlMn": "bk_AbCdEfGhIjKlMn",
        "sk-proj-abcd1234efgh5678 fails": "abcd1234efgh5678",
        "ghp_0123456789abcdefghij": "0123456789abcdefghij",
        "xoxb-123456789-abcdef": "123456789-abcdef",
        "AKIAIOSFODNN7EXAMPLE": "IOSFODNN7EXAMPLE",
        "AIzaSyA1234567890abcdef": "SyA1234567890abcdef",
        "hf_abcDEFghiJKLmno": "abcDEFghiJKLmno",
    },
    "url_credentials": {
        "postgres://beaver:s3cret-pw@db/beaver": "s3cret-pw",
        "redis://:pw12@queue:6379": "pw12",
        "at https://user:pass@host/x": "user:pass",
    },
    "authorization": {
        "Authorization: Bearer abcdefghijkl": "abcdefghijkl",
        "'authorization': 'Basic dXNlcjpwYXNz'": "dXNlcjpwYXNz",
        "sent bearer abc123def456 to it": "abc123def456",
        "Basic dXNlcjpwYXNzd29yZA==": "dXNlcjpwYXNzd29yZA",
    },
    "password": {
        "password: hunter2": "hunter2",
        "the password is hunter2, again": "hunter2",
        "password: swordfish": "swordfish",
        "PASSWORD=swordfish\nUSER=x": "swordfish",
        '{"password": "correct horse battery"}': "correct horse battery",
        "secret = 's3cr3t!'": "s3cr3t!",
        "?token=abcdef&x=1": "abcdef",
        "API-KEY: abcdefgh": "abcdefgh",
        '"userKey": "uk_xxx"': "uk_xxx",
        "admin_key=letmein;": "letmein",
        "passphrase: p@ss": "p@ss",
    },
}

FEW = st.characters(max_codepoint=127, include_characters="\u017f\u212aİ٣ä中\u2003")
"""Among them letters and digits beyond ASCII that `re` takes for s, k, i and 3. Of all characters few pass a look ahead."""

SPIKY = 'key "one"\\two\n/7431'

CLEAN = [
    "token: the unit of text",
    "each token is ~4 characters; max_tokens: 4096, token_count=12345",
    "the password is in the vault",
    "The user's password is wrong.",
    "Password: required",
    "password: optional, see below",
    "the token is expired",
    "the secret is well-kept; the secret is out: he left",
    "secret: it's a surprise party",
    "secret = the recipe",
    "class Settings:\n    api_key: SecretStr\n    token: str",
    "Authorization: required",
    "basic understanding of JavaScript",
    "Basic instructions",
    "bearer certificates, bearer of good news",
    "sk-learn-contrib-pandas",
    "npm_config_registry",
    "uk_users_email_key",
    "http://127.0.0.1:8010/memories/search",
    "see http://host:8080/a@b and mail me@example.org",
    "eyJust a word",
    "BEGIN PRIVATE matters",
]


@pytest.mark.parametrize(
    ("kind", "text", "secret"),
    [(kind, text, secret) for kind, texts in SECRETS.items() for text, secret in texts.items()],
)
def test_a_credential_is_replaced_by_its_kind(kind: str, text: str, secret: str) -> None:
    redacted = Redactor().text(text)

    assert secret not in redacted
    assert "[REDACTED:" in redacted
    assert find_secret(text) == kind


@pytest.mark.parametrize("text", CLEAN)
def test_speech_about_credentials_is_left_alone(text: str) -> None:
    assert Redactor().text(text) == text
    assert find_secret(text) is None


def test_credentials_that_stand_wall_to_wall_all_go_at_once() -> None:
    assert Redactor().text("password: bananabreadtoken: bananabreadSecret = bananabread") == "[REDACTED:password]" * 3


def test_what_stands_around_a_credential_stays() -> None:
    assert Redactor().text("connecting to postgres://beaver:s3cret@db/beaver now") == (
        "connecting to postgres://[REDACTED:url_credentials]@db/beaver now"
    )


@settings(deadline=None)
@given(st.text(min_size=KNOWN_SECRET_LENGTH_MIN, max_size=40), st.text(max_size=20), st.text(max_size=20))
def test_a_known_value_is_hidden_wherever_it_stands(secret: str, before: str, after: str) -> None:
    redacted = Redactor([secret]).text(before + secret + after)

    assert secret not in redacted.replace("[REDACTED:known]", "")


@pytest.mark.parametrize(
    "quoted", [json.dumps, repr, str.encode, lambda value: f"http://x?key={quote(value, safe='')}"]
)
def test_a_known_value_is_hidden_where_it_stands_quoted(quoted: Callable[[str], object]) -> None:
    redacted = Redactor([SPIKY]).text(f"called with {quoted(SPIKY)}")

    assert "7431" not in redacted


def test_of_two_known_values_the_longer_is_hidden_whole() -> None:
    assert Redactor(["secret", "secret-and-more"]).text("a secret-and-more b secret") == (
        "a [REDACTED:known] b [REDACTED:known]"
    )


def test_a_known_value_is_no_pattern() -> None:
    assert Redactor(["a.c(d]*"]).text("abc(d]* a.c(d]*") == "abc(d]* [REDACTED:known]"


@pytest.mark.parametrize("short", ["", "a", "chat", "12345"])
def test_a_short_known_value_is_ignored_since_it_would_stand_in_any_text(short: str) -> None:
    assert Redactor([short]).text(f"a chat about {short}") == f"a chat about {short}"


def test_every_string_inside_a_value_is_reached() -> None:
    redactor = Redactor(["known-secret"])

    assert redactor.deep({"a": ["known-secret", ("x known-secret", 7)], "b": {"c": None, "d": True}}) == {
        "a": ["[REDACTED:known]", ["x [REDACTED:known]", 7]],
        "b": {"c": None, "d": True},
    }


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([*SECRETS["password"], *SECRETS["authorization"], *CLEAN, "token: ", "\n", " "])).map(
        "".join
    )
)
def test_what_is_redacted_stays_so(text: str) -> None:
    settled = Redactor().text(Redactor().text(text))

    assert Redactor().text(settled) == settled


@pytest.mark.parametrize("pattern", [pattern for _, pattern in redaction._PATTERNS], ids=lambda each: each.pattern[:24])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_what_a_pattern_finds_is_never_passed_over(pattern: re.Pattern[str], data: st.DataObject) -> None:
    assert find_secret(data.draw(st.from_regex(pattern, alphabet=FEW))) is not None
