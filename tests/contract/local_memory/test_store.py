"""What the local store promises, on both databases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from beaver.agent.policy.stores import ById, ByProject, BySession, ByTag, ByUser, NewItem, Owner
from beaver.cli.local_memory.store import LocalItemStore
from beaver.clock import system_clock
from beaver.errors import InvalidInput, NotFound

OWNER = Owner("acme", "site", "ada", "s-1")
DAY_MS = 86_400_000
PORT = "The staging server listens on port 8443."


def new(text: str = PORT, **fields: Any) -> NewItem:
    given: dict[str, Any] = {"type": "fact", "scope": "project", "confidence": 0.8, "source": "rules", **fields}
    return NewItem(text=text, **given)


async def texts(store: LocalItemStore, owner: Owner, text: str) -> list[str]:
    return [hit.item.text for hit in await store.search(owner, text, limit=10)]


async def test_what_was_written_is_found_whole_with_all_that_is_known_of_it(store: LocalItemStore) -> None:
    text = "We decided that every service writes its logs as one JSON object a line, because the collector splits at line ends."
    written = await store.write(OWNER, new(text, type="decision", tags=("logs",), confidence=0.68, source="model"))
    (found,) = await store.search(OWNER, "How do services write logs?", limit=5)
    assert found.item.id == written.item_id
    assert (found.item.text, found.item.type, found.item.scope) == (text, "decision", "project")
    assert (found.item.tags, found.item.confidence, found.item.source) == (("logs",), 0.68, "model")
    assert (found.item.session, found.item.pinned) == ("s-1", False)
    assert found.keyword is not None
    assert found.keyword > 0
    assert await store.find(OWNER, found.item.id) == found.item


async def test_scopes_reach_as_far_as_they_say(store: LocalItemStore) -> None:
    for scope in ("session", "project", "global"):
        await store.write(OWNER, new(f"The {scope} widget is blue.", scope=scope))
    other_session, other_project = replace(OWNER, session="s-2"), replace(OWNER, project="other", session="s-3")
    asked = "Which widget is blue?"
    assert len(await texts(store, OWNER, asked)) == 3
    assert sorted(await texts(store, other_session, asked)) == [
        "The global widget is blue.",
        "The project widget is blue.",
    ]
    assert await texts(store, other_project, asked) == ["The global widget is blue."]


async def test_the_same_again_is_no_second_item_and_a_new_value_takes_the_old_ones_place(store: LocalItemStore) -> None:
    first = await store.write(OWNER, new("My favourite editor is Vim.", type="preference"))
    again = await store.write(OWNER, new("My favourite editor is Vim.", type="preference"))
    other = await store.write(OWNER, new("My favourite editor is Emacs.", type="preference"))
    assert (first.outcome, again.outcome, other.outcome) == ("added", "unchanged", "superseded")
    assert [item.text for item in await store.recent(OWNER, limit=10)] == ["My favourite editor is Emacs."]


async def test_an_item_is_superseded_pinned_and_merged_by_its_id(store: LocalItemStore) -> None:
    item_id = (await store.write(OWNER, new())).item_id
    assert item_id is not None
    assert (
        await store.supersede(OWNER, item_id, new("The staging server listens on port 9443."))
    ).outcome == "superseded"
    pinned = await store.pin(OWNER, item_id, pinned=True)
    merged = await store.merge(OWNER, item_id)
    assert pinned is not None
    assert merged is not None
    assert (pinned.pinned, merged.pinned, merged.text) == (True, True, "The staging server listens on port 9443.")
    assert len(await store.recent(OWNER, limit=10)) == 1


async def test_a_superseded_item_lives_as_long_as_what_took_its_place(store: LocalItemStore) -> None:
    now_ms = system_clock()
    fleeting = new(type="todo", expires_ms=now_ms + DAY_MS)
    item_id = (await store.write(OWNER, fleeting)).item_id or ""
    longer = now_ms + 30 * DAY_MS
    await store.supersede(OWNER, item_id, new("Renew the staging certificate.", type="todo", expires_ms=longer))
    held = await store.find(OWNER, item_id)
    assert held is not None
    assert held.expires_at == longer
    await store.supersede(OWNER, item_id, new("Renew the staging certificate.", type="todo"))
    held = await store.find(OWNER, item_id)
    assert held is not None
    assert held.expires_at is None


async def test_items_are_counted_however_many_a_list_may_hold(store: LocalItemStore) -> None:
    assert await store.count(OWNER) == 0
    for number, scope in enumerate(("session", "project", "global", "global")):
        await store.write(OWNER, new(f"The {scope} widget number {number} is blue.", scope=scope))
    await store.write(OWNER, new("The old widget was red.", expires_ms=system_clock() - 1))
    await store.write(replace(OWNER, project="other"), new("The other project has a widget."))
    assert await store.count(OWNER) == 4
    assert len(await store.recent(OWNER, limit=2)) == 2


async def test_an_unknown_id_is_not_found_and_changes_nothing(store: LocalItemStore) -> None:
    await store.write(OWNER, new())
    before = await store.generation(OWNER)
    assert await store.find(OWNER, "obs_none") is None
    assert await store.pin(OWNER, "obs_none", pinned=True) is None
    assert await store.merge(OWNER, "obs_none") is None
    assert await store.forget(OWNER, ById("obs_none")) == []
    with pytest.raises(NotFound):
        await store.supersede(OWNER, "obs_none", new())
    assert await store.generation(OWNER) == before


async def test_every_write_pin_and_forgetting_is_another_generation(store: LocalItemStore) -> None:
    seen = [await store.generation(OWNER)]
    item_id = (await store.write(OWNER, new())).item_id or ""
    seen.append(await store.generation(OWNER))
    await store.pin(OWNER, item_id, pinned=True)
    seen.append(await store.generation(OWNER))
    await store.forget(OWNER, ById(item_id))
    seen.append(await store.generation(OWNER))
    assert len(set(seen)) == 4


async def test_what_was_forgotten_is_gone_and_comes_back_for_a_person_only(store: LocalItemStore) -> None:
    item_id = (await store.write(OWNER, new())).item_id or ""
    assert [item.id for item in await store.forget(OWNER, ById(item_id))] == [item_id]
    assert await texts(store, OWNER, PORT) == []
    assert (await store.write(OWNER, new())).outcome == "forgotten"
    assert (await store.write(OWNER, new(source="person"))).outcome == "added"


async def test_forgetting_takes_what_is_selected_and_leaves_the_rest(store: LocalItemStore) -> None:
    await store.write(OWNER, new("The red lamp hangs in the hall.", tags=("lamp",)))
    await store.write(OWNER, new("The green chair stands in the yard.", scope="global"))
    await store.write(replace(OWNER, session="s-2"), new("The old boat lies on the shore."))
    await store.write(replace(OWNER, project="other"), new("The tall tower needs new paint."))

    assert len(await store.forget(OWNER, ByTag("lamp"))) == 1
    assert len(await store.forget(OWNER, BySession("s-2"))) == 1
    await store.write(OWNER, new("The grey door has two locks."))
    assert len(await store.forget(OWNER, ByProject())) == 1
    assert [item.text for item in await store.recent(OWNER, limit=9)] == ["The green chair stands in the yard."]
    assert len(await store.forget(OWNER, ByUser())) == 2


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (new("x" * 401), "text"),
        (new("two\nlines"), "text"),
        (new("  "), "text"),
        (new(confidence=1.1), "confidence"),
        (new(tags=("beaver:type=rule",)), "tags"),
        (new(type="poem"), "type"),
        (new(scope="world"), "scope"),
    ],
)
async def test_a_field_that_breaks_a_rule_is_named(memory_sqlite_url: str, wrong: NewItem, field: str) -> None:
    from beaver.cli.local_memory.mapping import as_observation

    with pytest.raises(InvalidInput) as refused:
        as_observation(wrong, "s-1")
    assert refused.value.field == field
