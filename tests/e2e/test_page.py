"""The chat page in a real Chromium: a reader, a keyboard, a phone, a reload in the middle."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Page, Route, expect

from beaver.agent.messages import Completion, TextDelta, Usage
from beaver.agent.providers.scripted import Pause
from beaver.errors import Unavailable
from beaver.sessions.key_store import KeyStore
from beaver.sessions.keys import make_key
from tests.e2e.page_scene import answers, notice, prompts, say, visiting
from tests.support.browser import accessibility_faults, running_chromium
from tests.support.chat_server import RunningChatServer

ANSWER = Completion("Beavers build dams.", (), Usage(7, 3), "stop")
NEVER = (TextDelta("Let me think"), Pause(600))
SLOW = (TextDelta("Beavers "), Pause(1), TextDelta("build dams."))
MARKED_UP = """Two **strong** reasons:

1. `deep` water
2. food that floats
   - to *them*

## A dam

```python
def dam():

    return "="
```

> never finished

<script>document.title = "taken"</script> <img src=x onerror=alert(1)>
![a picture](https://example.org/x.png) [a page](https://example.org/) [a trap](javascript:alert(1))"""


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[BrowserContext]:
    async with running_chromium() as context:
        yield context


async def test_an_answer_is_shown_spoken_and_kept_and_stays_text(browser: BrowserContext, tmp_path: Path) -> None:
    async with visiting(browser, tmp_path, [Completion(MARKED_UP, (), Usage(), "stop")]) as (page, _):
        # The message box has the focus from the start.
        await expect(page.get_by_label("Message", exact=True)).to_be_focused()
        await say(page, "Why do beavers\nbuild dams?")
        answer = answers(page)
        await expect(answer.locator("strong")).to_have_text("strong")
        await expect(answer.locator("ol > li")).to_have_count(2)
        await expect(answer.locator("ol ul em")).to_have_text("them")
        await expect(answer.locator("pre code")).to_have_text('def dam():\n\n    return "="', use_inner_text=True)
        await expect(answer.locator("blockquote")).to_have_text("never finished")

        # What a model writes never becomes an element that acts or loads.
        assert await answer.locator("script, img, iframe, [onerror]").count() == 0
        links = answer.locator("a")
        assert await links.evaluate_all("links => links.map((link) => link.protocol)") == ["https:", "https:"]
        await expect(answer).to_contain_text('<script>document.title = "taken"</script>')
        await expect(answer).to_contain_text("[a trap](javascript:alert(1))")

        # The chat has a name, in the list, in the heading and in the window's title; a screen reader hears the answer.
        await expect(page.get_by_role("link", name="Why do beavers")).to_have_attribute("aria-current", "page")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Why do beavers")
        await expect(page).to_have_title("Why do beavers · Beaver")
        await expect(page.get_by_role("status")).to_contain_text("Beaver said: Two strong reasons")
        assert await accessibility_faults(page) == []

        # Piece by piece comes to the same as at once; and text made to be slow is not.
        same = await page.evaluate(PIECEWISE, MARKED_UP)
        assert same[0] == same[1]
        assert await page.evaluate(HOSTILE) == "done"


PIECEWISE = """async (text) => {
    const path = document.querySelector("script[type=module]").src.replace("app.js", "markdown.js");
    const { Growing } = await import(path);
    const [slowly, atOnce] = [document.createElement("div"), document.createElement("div")];
    const growing = new Growing(slowly);
    for (const letter of text) growing.append(letter);
    new Growing(atOnce).append(text);
    return [slowly.innerHTML, atOnce.innerHTML];
}"""
HOSTILE = """async () => {
    const path = document.querySelector("script[type=module]").src.replace("app.js", "markdown.js");
    const { Growing } = await import(path);
    for (const piece of ["[", "*", "**a ", "`", "~~a", "> ", "- ", "![a](", "_ ", "# ", "https://"]) {
        new Growing(document.createElement("div")).append(piece.repeat(19000 / piece.length));
    }
    for (const mark of ["# a", "- a", "> a", "```a", "- - -"]) {
        new Growing(document.createElement("div")).append(`${mark}${" ".repeat(300000)}b`);
    }
    return "done";
}"""


async def test_an_answer_under_way_survives_a_reload_and_is_asked_for_once(
    browser: BrowserContext, tmp_path: Path
) -> None:
    async with visiting(browser, tmp_path, [SLOW, ANSWER]) as (page, server):
        await say(page, "What do beavers do?")
        await expect(page.locator("article.answer")).to_contain_text("Beavers")
        await page.reload()
        await expect(answers(page)).to_have_text(re.compile("Beavers build dams."))
        await expect(page.locator("article.question")).to_have_count(1)
        assert prompts(server) == 1

        # A question that never reached the server is asked after the reload.
        await page.route("**/v1/chat/completions", lambda route: route.abort())
        async with page.expect_event("requestfailed"):
            await say(page, "And then?")
        await page.unroute_all(behavior="ignoreErrors")
        await page.reload()
        await expect(answers(page)).to_have_count(2)
        await expect(page.locator("article.question")).to_have_count(2)
        assert prompts(server) == 2


async def test_an_answer_can_be_stopped_and_what_failed_can_be_tried_again(
    browser: BrowserContext, tmp_path: Path
) -> None:
    async with visiting(browser, tmp_path, [NEVER, Unavailable("not today"), ANSWER]) as (page, server):
        await say(page, "What do beavers do?")
        await expect(page.locator("article.answer")).to_contain_text("Let me think")
        await page.get_by_role("button", name="Stop the answer").click()
        await expect(notice(page)).to_contain_text("You stopped this answer.")
        await expect(page.get_by_label("Message", exact=True)).to_be_focused()
        assert not server.runs.known_ids()

        await page.get_by_role("button", name="Try again").click()
        await expect(notice(page)).to_contain_text("not available right now")
        await expect(page.get_by_role("status")).to_contain_text("not available right now")
        assert await accessibility_faults(page) == []

        # After a reload the failure is still told, the question is there once, and it can still be tried again.
        await page.reload()
        await expect(notice(page)).to_contain_text("not available right now")
        await expect(page.locator("article.question")).to_have_count(1)
        await page.get_by_role("button", name="Try again").click()
        await expect(answers(page)).to_contain_text("Beavers build dams.")
        await expect(notice(page)).to_have_count(0)

        # Asked three times, it is one question to the chat.
        (session,) = (await server.client.get("/v1/sessions")).json()["data"]
        stored = (await server.client.get(f"/v1/sessions/{session['id']}/messages")).json()["data"]
        assert [message["content"] for message in stored] == ["What do beavers do?", "Beavers build dams."]


async def test_chats_are_opened_left_and_deleted_from_the_keyboard(browser: BrowserContext, tmp_path: Path) -> None:
    async with visiting(browser, tmp_path, [ANSWER]) as (page, server):
        for name in ("one", "ünïcode 二"):
            await server.client.post("/v1/sessions", json={"id": name, "title": f"Chat {name}"})
            await server.client.post(
                "/v1/chat/completions",
                json={"conversation": name, "messages": [{"role": "user", "content": f"Question {name}"}]},
            )
        await page.reload()
        await page.get_by_role("link", name="Chat ünïcode 二").press("Enter")
        await expect(page.locator("article.question")).to_contain_text("Question ünïcode 二")
        await page.get_by_role("link", name="Chat one").press("Enter")
        await expect(page.locator("article.question")).to_contain_text("Question one")
        await page.go_back()
        await expect(page.locator("article.question")).to_contain_text("Question ünïcode 二")
        await page.get_by_role("button", name="New chat").press("Enter")
        await expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()

        # To delete takes a second word; Escape takes the first one back.
        await page.go_back()
        delete = page.get_by_role("button", name="Delete “Chat ünïcode 二”")
        await delete.press("Enter")
        await expect(page.get_by_role("dialog", name="Delete this chat?")).to_contain_text("Chat ünïcode 二")
        assert await accessibility_faults(page) == []
        await page.keyboard.press("Escape")
        await expect(delete).to_be_focused()
        await delete.press("Enter")
        await page.get_by_role("button", name="Delete", exact=True).press("Enter")
        await expect(page.get_by_role("status")).to_have_text("The chat was deleted.")
        await expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()
        left = (await server.client.get("/v1/sessions")).json()["data"]
        assert [session["id"] for session in left] == ["one"]


async def test_a_chat_that_is_deleted_while_it_is_answered_leaves_no_word_in_the_browser_and_is_not_asked_again(
    browser: BrowserContext, tmp_path: Path
) -> None:
    async with visiting(browser, tmp_path, [NEVER, ANSWER]) as (page, server):
        await say(page, "What is the secret?")
        await expect(page.locator("article.answer")).to_contain_text("Let me think")
        asked_at = page.url
        await page.get_by_role("button", name=re.compile("Delete “")).press("Enter")
        await page.get_by_role("button", name="Delete", exact=True).press("Enter")
        await expect(page.get_by_role("heading", name="What is on your mind?")).to_be_visible()
        assert await page.evaluate("Object.keys(sessionStorage)") == []

        await page.goto(asked_at)
        await expect(notice(page)).to_contain_text("not there any more")
        assert prompts(server) == 1
        assert (await server.client.get("/v1/sessions")).json()["data"] == []


async def test_a_chat_that_nobody_has_named_goes_by_its_first_words(browser: BrowserContext, tmp_path: Path) -> None:
    async with visiting(browser, tmp_path, [ANSWER]) as (page, server):
        await server.say("What do\nbeavers do?", "one")
        await page.reload()
        await page.get_by_role("link", name="What do beavers do?").press("Enter")
        await expect(page.locator("#title")).to_have_text("What do beavers do?")
        await expect(page.locator("article.question")).to_contain_text("beavers do?")


async def test_what_was_said_long_ago_is_shown_on_demand_and_moves_nothing(
    browser: BrowserContext, tmp_path: Path
) -> None:
    async with visiting(browser, tmp_path, [ANSWER]) as (page, server):
        earlier = [
            {"role": role, "content": f"{word} {number}"}
            for number in range(120)
            for role, word in (("user", "Question"), ("assistant", "Answer"))
        ]
        body = {"conversation": "long", "messages": [*earlier, {"role": "user", "content": "The last one"}]}
        assert (await server.client.post("/v1/chat/completions", json=body)).status_code == 200
        await page.goto(f"{server.url}/#long")
        await page.reload()
        await expect(page.locator("article.question")).to_have_count(50)
        await expect(page.get_by_text("The last one")).to_be_in_viewport()

        # By the keyboard, which stays where it is; what stood on top is still in sight.
        more = page.get_by_role("button", name="Show earlier messages")
        await more.focus()
        await page.evaluate("document.getElementById('scroller').scrollTop = 0")
        await more.press("Enter")
        await expect(page.locator("article.question")).to_have_count(100)
        await expect(page.get_by_text("Question 71", exact=True)).to_be_in_viewport()
        await expect(page.get_by_role("status")).to_have_text("Earlier messages are shown.")
        await expect(more).to_be_focused()
        assert await accessibility_faults(page) == []
        await more.press("Enter")
        await expect(page.locator("article.question")).to_have_count(121)
        await expect(more).to_be_hidden()
        await expect(page.get_by_role("region", name="Conversation")).to_be_focused()
        asked = await page.locator("article.question .text").all_text_contents()
        assert asked == [*(f"Question {number}" for number in range(120)), "The last one"]


async def test_a_line_about_the_memory_is_answered_by_the_server_alone(browser: BrowserContext, tmp_path: Path) -> None:
    async with visiting(browser, tmp_path, [ANSWER]) as (page, server):
        await say(page, "/memory")
        await expect(answers(page)).to_contain_text("Nothing is remembered yet.")
        await say(page, "/memory off")
        await expect(answers(page).last).to_contain_text("Memory is off in this session.")
        assert server.provider.requests == []


async def test_the_page_never_takes_the_focus_from_where_the_reader_went(
    browser: BrowserContext, tmp_path: Path
) -> None:
    async with visiting(browser, tmp_path, [ANSWER]) as (page, _):
        await say(page, "What do beavers do?")
        await expect(answers(page)).to_contain_text("Beavers build dams.")
        await page.get_by_role("button", name="New chat").click()
        arrives = asyncio.Event()

        async def late(route: Route) -> None:
            await arrives.wait()
            await route.continue_()

        await page.route("**/messages?*", late)
        await page.get_by_role("link", name="What do beavers do?").press("Enter")
        delete = page.get_by_role("button", name="Delete “What do beavers do?”")
        await delete.focus()
        arrives.set()
        await expect(answers(page)).to_contain_text("Beavers build dams.")
        await expect(delete).to_be_focused()


async def test_a_server_that_asks_for_a_key_gets_one_from_a_form(browser: BrowserContext, tmp_path: Path) -> None:
    async with visiting(browser, tmp_path, [ANSWER], server={"requireKeys": True}) as (page, server):
        secret = await key_for_chats(server)
        form = page.get_by_role("dialog", name="Your key, please")
        await expect(form).to_be_visible()
        assert await accessibility_faults(page) == []
        await page.get_by_label("Key", exact=True).fill("wrong")
        await page.keyboard.press("Enter")
        await expect(form).to_contain_text("does not accept this key")
        await page.get_by_label("Key", exact=True).fill(f" {secret} ")
        await page.keyboard.press("Enter")
        await expect(form).to_be_hidden()
        await say(page, "What do beavers do?")
        await expect(answers(page)).to_contain_text("Beavers build dams.")

        # The tab keeps it, and nothing that outlives the tab.
        await page.reload()
        await expect(answers(page)).to_contain_text("Beavers build dams.")
        kept = await page.evaluate("[document.cookie, JSON.stringify(localStorage), location.href].join()")
        assert secret not in kept

        # What the key does not allow is said in words.
        await page.get_by_role("button", name="Delete “What do beavers do?”").click()
        await page.get_by_role("button", name="Delete", exact=True).click()
        await expect(page.locator("#sessions-failed")).to_have_text("Your key does not allow this.")


async def key_for_chats(server: RunningChatServer) -> str:
    """A key that may chat and read, and not delete."""
    key = make_key()
    scopes = frozenset({"chat", "read"})
    async with server.engine.database.write() as tx:
        await KeyStore(server.engine.database.dialect).add(
            tx, "k1", key, name="page", scopes=scopes, front_end=False, lifetime_ms=None
        )
    return key.secret


async def test_the_page_is_for_every_eye_and_every_screen(browser: BrowserContext, tmp_path: Path) -> None:
    async with visiting(browser, tmp_path, [Completion(MARKED_UP, (), Usage(), "stop")]) as (page, _):
        assert await accessibility_faults(page) == []
        await say(page, "A-long-word-" * 30)
        await expect(answers(page)).to_contain_text("never finished")

        # Dark when the system is, or when the reader says so; the reader's word is kept.
        light = await ground(page)
        await page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        dark = await ground(page)
        assert dark != light
        assert await accessibility_faults(page) == []
        await page.get_by_role("button", name="Light theme").click()
        await page.reload()
        assert await ground(page) == light
        await page.emulate_media(color_scheme="light")
        await page.get_by_role("button", name="Dark theme").click()
        assert await ground(page) == dark

        # On a phone nothing is cut off, and the chats are behind a button.
        await page.set_viewport_size({"width": 360, "height": 740})
        await expect(answers(page)).to_contain_text("never finished")
        assert await page.evaluate("document.documentElement.scrollWidth") == 360
        await expect(page.get_by_role("navigation", name="Chats")).to_be_hidden()
        await page.get_by_role("button", name="Open the menu").click()
        await expect(page.get_by_role("button", name="Close the menu")).to_be_focused()
        assert await accessibility_faults(page) == []
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("button", name="Open the menu")).to_be_focused()
        assert await accessibility_faults(page) == []

        # The keyboard's first stop leads past the chats, and is seen only then.
        await page.set_viewport_size({"width": 1100, "height": 760})
        skip = page.get_by_role("link", name="Skip to the message box")
        await expect(skip).not_to_be_in_viewport()
        await page.get_by_role("button", name="New chat").focus()
        await page.keyboard.press("Shift+Tab")
        await expect(skip).to_be_focused()
        await expect(skip).to_be_in_viewport()
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("Message", exact=True)).to_be_focused()


async def ground(page: Page) -> Any:
    return await page.evaluate("getComputedStyle(document.body).backgroundColor")
