"""The chat page as it is served: nothing inline, nothing from elsewhere, kept by browsers as long as it is right."""

from __future__ import annotations

import re

from tests.support.chat_server import RunningChatServer

NAMED = re.compile(r'(?:src|href)="([^"#][^"]*)"')


async def test_the_page_may_run_and_show_only_what_its_server_has(server: RunningChatServer) -> None:
    page = await server.client.get("/")
    assert page.status_code == 200
    policy = dict(rule.split(" ", 1) for rule in page.headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert {policy[kind] for kind in ("script-src", "style-src", "img-src", "connect-src")} == {"'self'"}
    assert policy["require-trusted-types-for"] == "'script'"
    assert page.headers["X-Content-Type-Options"] == "nosniff"


async def test_the_page_holds_no_script_and_no_style_of_its_own(server: RunningChatServer) -> None:
    html = (await server.client.get("/")).text
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|https?://", html) == []


async def test_every_file_that_the_page_names_is_there_and_may_be_kept_for_ever(server: RunningChatServer) -> None:
    named = set(NAMED.findall((await server.client.get("/")).text))
    assert len(named) >= 4
    for path in named:
        file = await server.client.get(path)
        assert file.status_code == 200, path
        assert "immutable" in file.headers["Cache-Control"]


async def test_a_file_of_another_version_is_served_and_not_kept(server: RunningChatServer) -> None:
    file = await server.client.get("/page/another/app.js")
    assert (file.status_code, file.headers["Cache-Control"]) == (200, "no-store")


async def test_no_other_file_can_be_had(server: RunningChatServer) -> None:
    for path in ("/page/x/routes.py", "/page/x/..%2Froutes.py", "/page/x/chat.html"):
        assert (await server.client.get(path)).status_code == 404


async def test_the_api_description_leaves_the_page_out(server: RunningChatServer) -> None:
    assert not [
        path for path in (await server.client.get("/openapi.json")).json()["paths"] if path[:4] in ("/", "/pag")
    ]
