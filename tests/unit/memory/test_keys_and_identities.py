"""Keys are long and compared by hash; identities tell requests apart; names keep their rule."""

from __future__ import annotations

import base64

import pytest

from beaver.errors import InvalidInput
from beaver.memory.idempotency.identity import identify
from beaver.memory.namespace import Namespace
from beaver.memory.users.keys import is_one_of, key_hash, new_key


def test_a_key_holds_256_random_bits_behind_its_prefix() -> None:
    key = new_key()
    assert key.startswith("uk_")
    assert len(base64.urlsafe_b64decode(key.removeprefix("uk_") + "=")) == 32
    assert key != new_key()


def test_a_key_is_known_by_its_hash_among_several() -> None:
    first, second = new_key(), new_key()
    hashes = [key_hash(first), key_hash(second)]
    assert is_one_of(first, hashes)
    assert is_one_of(second, hashes)
    assert not is_one_of(new_key(), hashes)
    assert not is_one_of(first, [])


def test_any_text_may_be_given_for_a_key() -> None:
    assert not is_one_of("\ud800 ключ", [key_hash("other")])


def test_the_same_request_has_the_same_identity_whatever_the_order_of_its_fields() -> None:
    assert identify("u", "k", "add", {"a": 1, "b": 2}) == identify("u", "k", "add", {"b": 2, "a": 1})


def test_another_operation_or_body_is_another_request() -> None:
    hashes = {
        identify("u", "k", operation, body).request_hash
        for operation, body in [("add", {"a": 1}), ("add", {"a": 2}), ("put", {"a": 1})]
    }
    assert len(hashes) == 3


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "é", "a\nb"])
def test_an_idempotency_key_is_short_printable_ascii(key: str) -> None:
    with pytest.raises(InvalidInput, match="Idempotency-Key"):
        identify("u", key, "add", {})


@pytest.mark.parametrize(
    ("parts", "field"),
    [(("", "p", "u"), "app_id"), (("a", "x" * 257, "u"), "project_id"), (("a", "p", "u\n"), "user_id")],
)
def test_a_namespace_of_a_bad_name_cannot_be_built(parts: tuple[str, str, str], field: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        Namespace(*parts)
    assert raised.value.field == field
