"""The recall middleware: what a chat's turns are given, and what is written down about it."""

from __future__ import annotations

import asyncio
import json

from beaver.agent.deadlines import Deadlines, Late
from beaver.agent.gateway_memory import RecallFailed
from beaver.agent.policy.denylist import Denylist
from beaver.agent.policy.stores import Switched
from beaver.errors import Unavailable
from tests.unit.agent.policy.recall_scene import Gateway, Items, Meanings, RecallScene, shown
from tests.unit.agent.policy.recalled_items import hit

PORT = "The staging server listens on port 8443."
ASKED = "Which port does the staging server use?"


async def test_the_first_turn_recalls_and_says_why_and_from_where() -> None:
    scene = RecallScene(Items(hit("i-1", text=PORT, keyword=0.8)))
    context = await scene.say(ASKED)
    assert PORT in shown(context)
    (event,) = context.notes
    assert not event.context_visible
    assert (event.kind, event.payload["decision"], event.payload["reason"]) == (
        "memory_recall_decided",
        "run",
        "session_start",
    )
    assert [(one["id"], one["session"], one["why"]) for one in event.payload["local"]] == [("i-1", "s-0", "words")]
    assert event.payload["stores"]["local"]["outcome"] == "hit"
    assert event.payload["tokens"] > 0


async def test_no_event_holds_a_word_of_what_was_said_or_recalled() -> None:
    scene = RecallScene(Items(hit(text=PORT, keyword=0.25)), Gateway("The zebra database is in Oslo."))
    context = await scene.say(ASKED)
    told = json.dumps([dict(event.payload) for event in context.notes])
    assert "8443" not in told
    assert "zebra" not in told
    assert "staging" not in told


async def test_turns_of_one_topic_share_a_search_and_the_next_topic_has_its_own() -> None:
    items = Items(hit(text=PORT))
    scene = RecallScene(items)
    await scene.say(ASKED)
    context = await scene.say("And is the staging server's port open to everybody?")
    assert PORT in shown(context)
    await scene.say("ok")
    await scene.say("Suggest a vegetarian recipe with lentils, spinach and cream")
    assert scene.reasons() == ["session_start", "topic_reuse", "ack", "topic_change"]
    assert len(items.searched) == 2


RECIPE = "Suggest a vegetarian recipe with lentils, spinach and cream"


async def test_turns_that_mean_the_same_share_a_search_whatever_their_words() -> None:
    items, embed = Items(hit(text=PORT)), Meanings("e")
    scene = RecallScene(items, embed=embed)
    await scene.say(ASKED)
    await scene.say(RECIPE)
    assert scene.reasons() == ["session_start", "topic_reuse"]
    assert embed.asked == [ASKED, RECIPE]


async def test_turns_that_mean_something_else_have_their_own_search_though_they_share_words() -> None:
    scene = RecallScene(Items(hit(text=PORT)), embed=Meanings("port", "recipe"))
    await scene.say(ASKED)
    await scene.say("Suggest a recipe with lentils, spinach and cream for the server of the buffet")
    assert scene.reasons() == ["session_start", "topic_change"]


async def test_an_encoder_that_fails_leaves_the_topic_to_the_words() -> None:
    embed = Meanings("e")
    scene = RecallScene(Items(hit(text=PORT)), embed=embed)
    await scene.say(ASKED)
    embed.failure = Unavailable("the model is gone")
    assert PORT in shown(await scene.say("Is that port of the staging server open?"))
    await scene.say(RECIPE)
    assert scene.reasons() == ["session_start", "topic_reuse", "topic_change"]


async def test_an_encoder_that_is_late_costs_no_turn() -> None:
    embed = Meanings("e")
    embed.may_answer.clear()
    scene = RecallScene(Items(hit(text=PORT)), embed=embed, deadline_s=0.05)
    await scene.say(ASKED)
    assert scene.reasons() == ["session_start"]
    await scene.middleware.aclose()


async def test_where_no_gate_asks_for_the_topic_nothing_is_encoded_for_it() -> None:
    embed = Meanings("e")
    scene = RecallScene(Items(hit(text=PORT)), embed=embed, gated=False)
    await scene.say(ASKED)
    assert embed.asked == []


async def test_a_window_closes_after_four_turns() -> None:
    scene = RecallScene(Items(hit(text=PORT)))
    for text in (
        ASKED,
        "Is that port open?",
        "Who opened the port?",
        "Since when is the port open?",
        "Close that port.",
    ):
        await scene.say(text)
    assert scene.reasons() == ["session_start", *["topic_reuse"] * 3, "window_expired"]


async def test_the_same_question_is_answered_from_the_cache() -> None:
    items = Items(hit(text=PORT))
    scene = RecallScene(items)
    await scene.say(ASKED)
    context = await scene.say(ASKED)
    assert scene.reasons() == ["session_start", "cache_hit"]
    assert PORT in shown(context)
    assert len(items.searched) == 1


async def test_a_write_to_the_store_makes_both_cache_and_window_stale() -> None:
    items = Items(hit(text=PORT))
    scene = RecallScene(items)
    await scene.say(ASKED)
    items.state, items.hits = "2", ()
    context = await scene.say(ASKED)
    assert scene.reasons() == ["session_start", "window_expired"]
    assert shown(context) == ""


async def test_a_session_that_is_off_recalls_nothing_and_begins_anew_when_it_is_on_again() -> None:
    items = Items(hit(text=PORT))
    scene = RecallScene(items)
    await scene.say(ASKED)
    scene.switch.state = Switched(off=True, changes=1)
    assert shown(await scene.say(ASKED)) == ""
    scene.switch.state = Switched(off=False, changes=2)
    assert PORT in shown(await scene.say(ASKED))
    assert scene.reasons() == ["session_start", "off", "window_expired"]


async def test_a_long_silence_begins_the_session_anew() -> None:
    scene = RecallScene(Items(hit(text=PORT)))
    await scene.say(ASKED)
    scene.watch.now_s += 1801
    await scene.say(ASKED)
    assert scene.reasons() == ["session_start", "session_start"]


async def test_a_machines_turn_recalls_nothing() -> None:
    items = Items(hit(text=PORT))
    scene = RecallScene(items)
    assert shown(await scene.say(ASKED, by_machine=True)) == ""
    assert scene.reasons() == ["machine_turn"]
    assert items.searched == []


async def test_a_local_answer_that_is_good_enough_leaves_the_gateway_alone() -> None:
    gateway = Gateway("The gateway says hello.")
    scene = RecallScene(Items(hit(text=PORT, keyword=0.8)), gateway)
    await scene.say(ASKED)
    assert gateway.asked == []


async def test_a_weak_local_answer_is_joined_by_the_gateways_in_a_block_of_its_own() -> None:
    scene = RecallScene(Items(hit(text=PORT, keyword=0.25)), Gateway("Staging moved to Oslo."))
    context = await scene.say(ASKED)
    assert [PORT in message.text for message in context.references] == [True, False]
    assert ["Oslo" in message.text for message in context.references] == [False, True]
    assert [event.kind for event in context.notes] == ["memory_recall_decided", "memory_gateway_recall_succeeded"]


async def test_when_the_gateway_is_down_the_local_store_answers_still() -> None:
    gateway = Gateway()
    gateway.outcome = RecallFailed("search", "connect_failed", None)
    scene = RecallScene(Items(hit(text=PORT, keyword=0.25)), gateway)
    context = await scene.say(ASKED)
    assert PORT in shown(context)
    assert scene.told.stores == [("local", "hit"), ("remote", "failed")]


async def test_when_the_local_store_fails_the_gateway_answers() -> None:
    items = Items(hit(text=PORT))
    items.failure = Unavailable("the disk is gone")
    scene = RecallScene(items, Gateway("Staging moved to Oslo."))
    assert "Oslo" in shown(await scene.say(ASKED))
    assert scene.told.stores == [("local", "failed"), ("remote", "hit")]


async def test_past_its_deadline_a_turn_goes_on_and_the_late_answer_serves_the_next() -> None:
    items = Items(hit(text=PORT))
    items.may_answer.clear()
    scene = RecallScene(items, deadline_s=0.01)
    assert shown(await scene.say(ASKED)) == ""
    items.may_answer.set()
    await items.answered.wait()
    assert PORT in shown(await scene.say(ASKED))
    assert scene.told.stores == [("local", "late")]
    assert scene.reasons() == ["session_start", "cache_hit"]


async def test_a_late_gateway_is_known_to_the_next_turn_of_the_topic() -> None:
    gateway = Gateway("Staging moved to Oslo.")
    gateway.may_answer.clear()
    scene = RecallScene(Items(hit(text=PORT, keyword=0.25)), gateway, deadline_s=0.2)
    assert "Oslo" not in shown(await scene.say(ASKED))
    gateway.may_answer.set()
    await gateway.answered.wait()
    context = await scene.say("And who runs the staging server?")
    assert scene.reasons() == ["session_start", "topic_reuse"]
    assert PORT in shown(context)
    assert "Oslo" in shown(context)


async def test_what_is_late_is_broken_off_when_the_process_ends() -> None:
    deadlines, begun, broken_off = Deadlines(), asyncio.Event(), []

    async def search() -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            broken_off.append("search")
            raise
        return "never"

    assert isinstance(await deadlines.within(0.01, search(), broken_off.append), Late)
    assert begun.is_set()
    await deadlines.aclose()
    assert broken_off == ["search"]


async def test_private_words_never_reach_a_prompt_from_either_store() -> None:
    scene = RecallScene(
        Items(hit(text="Mail the staging reports to ada@example.com every Friday, please.", keyword=0.25)),
        Gateway("For staging the password is hunter2hunter2."),
    )
    text = shown(await scene.say(ASKED))
    assert "ada@example.com" not in text
    assert "hunter2" not in text
    assert "every Friday" in text


async def test_a_denied_tag_or_path_keeps_an_item_out_and_a_denied_project_all() -> None:
    hits = (hit("a", text="Keys lie in vault/keys.txt."), hit("b", text=PORT, tags=("health",)), hit("c", text="Blue."))
    scene = RecallScene(Items(*hits), denylist=Denylist(paths=("vault/*",), tags=("health",)))
    context = await scene.say(ASKED)
    assert [one["id"] for one in context.notes[0].payload["local"]] == ["c"]

    items = Items(*hits)
    scene = RecallScene(items, denylist=Denylist(projects=("site",)))
    assert shown(await scene.say(ASKED)) == ""
    assert scene.reasons() == ["denied"]
    assert items.searched == []


async def test_each_stores_block_keeps_to_its_own_budget() -> None:
    long = [hit(f"i-{n}", text=f"Server {n} " + "listens on a port " * 18, keyword=0.25) for n in range(5)]
    scene = RecallScene(Items(*long), Gateway(*["Servers moved. " * 30] * 5), tokens_max=250)
    context = await scene.say(ASKED)
    payload = context.notes[0].payload
    assert 0 < len(payload["local"]) < 5
    assert 0 < len(payload["remote"]) < 5


async def test_without_gates_every_turn_searches() -> None:
    items = Items(hit(text=PORT))
    scene = RecallScene(items, gated=False)
    for prompt in (ASKED, ASKED, "ok"):
        await scene.say(prompt)
    assert scene.reasons() == ["always"] * 3
    assert len(items.searched) == 3


async def test_no_more_sessions_are_kept_in_mind_than_allowed() -> None:
    items = Items(hit(text=PORT))
    scene = RecallScene(items)
    await scene.say(ASKED, "first")
    for n in range(1000):
        await scene.say("ok", f"s-{n}")
    await scene.say(ASKED, "first")
    assert len(items.searched) == 2
