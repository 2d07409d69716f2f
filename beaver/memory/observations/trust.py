"""Trust, pure: who may read which store, where a write goes, and how far what is derived from several may be trusted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from beaver.errors import InvalidInput
from beaver.memory.observations.records import STORES, Store, Trust

TRUSTS: Final[tuple[Trust, ...]] = ("owner", "full", "inner", "familiar", "public")
"""From the strongest to the weakest."""

_READABLE: Final[dict[Trust, tuple[Store, ...]]] = {
    "owner": ("private", "shared", "social"),
    "full": ("private", "shared", "social"),
    "inner": ("shared", "social"),
    "familiar": ("social",),
    "public": (),
}
_WRITTEN: Final[dict[Trust, Store | None]] = {
    "owner": "private",
    "full": "private",
    "inner": "shared",
    "familiar": "social",
    "public": None,
}


def weakest(first: Trust, *others: Trust) -> Trust:
    """The trust of a user in a situation, and of what is derived from several sources: the minimum."""
    return max((first, *others), key=TRUSTS.index)


def readable_stores(trust: Trust) -> tuple[Store, ...]:
    """The stores that this trust reads; none for public."""
    return _READABLE[trust]


def write_store(trust: Trust) -> Store | None:
    """The store that this trust writes to; None when it may write nothing. Never a model's to choose."""
    return _WRITTEN[trust]


def narrowest_store(stores: Iterable[Store]) -> Store:
    """The store of what is derived from rows of these (at least one): nobody reads it who could not read all of them."""
    return min(stores, key=STORES.index)


def is_readable_within(inner: Store, outer: Store) -> bool:
    """Whether everybody who reads `outer` reads `inner` too."""
    return STORES.index(inner) >= STORES.index(outer)


def parse_trust(name: str, field: str = "trust") -> Trust:
    """The trust of that name. Raises InvalidInput naming the field."""
    for trust in TRUSTS:
        if name == trust:
            return trust
    raise InvalidInput(field, f"must be one of {', '.join(TRUSTS)}")
