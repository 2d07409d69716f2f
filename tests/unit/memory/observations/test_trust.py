"""Trust, pure."""

from __future__ import annotations

import itertools

import pytest

from beaver.errors import InvalidInput
from beaver.memory.observations.records import STORES
from beaver.memory.observations.trust import (
    TRUSTS,
    is_readable_within,
    narrowest_store,
    parse_trust,
    readable_stores,
    weakest,
    write_store,
)


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(TRUSTS, 2)))
def test_the_weaker_of_user_and_situation_counts(one: str, other: str) -> None:
    assert weakest(parse_trust(one), parse_trust(other)) == weakest(parse_trust(other), parse_trust(one)) == other


@pytest.mark.parametrize("trust", TRUSTS)
def test_everybody_reads_what_they_write_and_no_weaker_trust_reads_more(trust: str) -> None:
    ours = parse_trust(trust)
    assert write_store(ours) in (*readable_stores(ours), None)
    for weaker in TRUSTS[TRUSTS.index(ours) :]:
        assert set(readable_stores(weaker)) <= set(readable_stores(ours))


@pytest.mark.parametrize(("one", "other"), list(itertools.product(STORES, STORES)))
def test_nobody_reads_what_is_derived_who_could_not_read_every_source(one: str, other: str) -> None:
    sources = [store for store in STORES if store in (one, other)]
    derived = narrowest_store(sources)
    for trust in TRUSTS:
        if derived in readable_stores(trust):
            assert set(sources) <= set(readable_stores(trust))
    assert all(is_readable_within(source, derived) for source in sources)


def test_an_unknown_trust_is_refused() -> None:
    with pytest.raises(InvalidInput, match="trust"):
        parse_trust("friend")
