"""Values made fit for storage."""

from __future__ import annotations

import json
from types import MappingProxyType

from hypothesis import given
from hypothesis import strategies as st

from beaver.sessions.storable import storable_json, storable_text


@given(st.text(alphabet=st.characters(codec=None)))
def test_any_text_can_be_encoded_and_holds_no_nul(text: str) -> None:
    stored = storable_text(text)

    assert b"\0" not in stored.encode("utf-8")
    assert len(stored) == len(text)


def test_the_text_of_nested_values_is_made_storable_keys_too() -> None:
    value = MappingProxyType({"a\ud800": ("b\0", [1, None, True, 1.5])})

    assert storable_json(value) == {"a\ufffd": ["b\ufffd", [1, None, True, 1.5]]}


def test_numbers_that_json_lacks_become_null() -> None:
    assert json.dumps(storable_json([float("nan"), float("inf"), -float("inf")])) == "[null, null, null]"
