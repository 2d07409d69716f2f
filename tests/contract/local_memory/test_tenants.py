"""Two tenants that share project, user, session and words see nothing of each other, whatever they do."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from beaver.agent.policy.stores import ById, ByProject, BySession, ByTag, ByUser, NewItem, Owner, Selection
from beaver.cli.local_memory.mapping import namespaces
from beaver.cli.local_memory.store import LocalItemStore

names = st.text("ab/%.", min_size=1, max_size=4)
owners = st.builds(Owner, names, names, names, st.just("s-1"))
SUBJECTS = ("lamp", "chair", "boat", "tower", "door")


@given(owners, owners)
def test_two_owners_share_a_namespace_only_where_they_are_the_same(one: Owner, other: Owner) -> None:
    project, everywhere = namespaces(one)
    others_project, others_everywhere = namespaces(other)
    same_user = (one.tenant, one.user) == (other.tenant, other.user)
    assert (everywhere == others_everywhere) == same_user
    assert (project == others_project) == (same_user and one.project == other.project)
    assert project != others_everywhere


async def test_whatever_one_tenant_does_the_others_memory_stays_as_it_was(store: LocalItemStore) -> None:
    chance = random.Random(12)
    acme, umbra = (Owner(tenant, "site", "ada", "s-1") for tenant in ("acme", "umbra"))
    for _ in range(9):
        actor, other = chance.sample([acme, umbra], 2)
        before = await _seen(store, other)
        await _act(store, actor, before, chance)
        assert await _seen(store, other) == before
    mine, theirs = await _seen(store, acme), await _seen(store, umbra)
    assert not {item_id for item_id, _ in mine[0]} & {item_id for item_id, _ in theirs[0]}


async def _act(
    store: LocalItemStore, owner: Owner, others: tuple[list[tuple[str, str]], str], chance: random.Random
) -> None:
    """Something that this owner may do to its own, or tries with an id of the other's."""
    subject = chance.choice(SUBJECTS)
    scope = chance.choice(("session", "project", "global"))
    new = NewItem("fact", f"The {owner.tenant} {subject} is painted blue.", scope, 0.9, "person", (subject,))  # type: ignore[arg-type]
    known = [item_id for item_id, _ in others[0]] or ["obs_none"]
    match chance.randrange(6):
        case 0:
            assert await store.forget(owner, ById(chance.choice(known))) == []
            assert await store.pin(owner, chance.choice(known), pinned=True) is None
        case 1:
            selections: list[Selection] = [ByTag(subject), BySession("s-1"), ByProject(), ByUser()]
            await store.forget(owner, chance.choice(selections))
        case _:
            await store.write(owner, new)


async def _seen(store: LocalItemStore, owner: Owner) -> tuple[list[tuple[str, str]], str]:
    """All that an owner can see: items and generation. Nothing of it names the other tenant."""
    hits = await store.search(owner, "What is painted blue: lamp, chair, boat, tower or door?", limit=20)
    recent = await store.recent(replace(owner, session="s-1"), limit=50)
    seen = sorted({(item.id, item.text) for item in [*recent, *(hit.item for hit in hits)]})
    assert all(f"The {owner.tenant} " in text for _, text in seen)
    return seen, await store.generation(owner)
