"""The description is whole: a client made from it knows every route, answer, error, stream and key."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from fastapi.routing import iter_route_contexts

from beaver.server.app import create_app
from tests.contract.api_fuzz.fuzzer import ANSWER, LOCKED
from tests.support.browser import accessibility_faults, running_chromium
from tests.support.chat_server import RunningChatServer, running_chat_server

Document = dict[str, Any]
OPEN = {"health", "ready"}


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    async with running_chat_server(tmp_path, [ANSWER]) as running:
        yield running


@pytest.fixture
async def document(server: RunningChatServer) -> Document:
    found: Document = (await server.client.get("/openapi.json")).json()
    return found


def operations(document: Document) -> Iterator[tuple[str, str, Document]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def references(within: Any) -> Iterator[str]:
    if isinstance(within, dict):
        if isinstance(within.get("$ref"), str):
            yield within["$ref"]
        for value in within.values():
            yield from references(value)
    if isinstance(within, list):
        for value in within:
            yield from references(value)


def resolved(document: Document, reference: str) -> Any:
    found: Any = document
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found


def errors_of(document: Document, operation: Document) -> dict[str, Document]:
    return {
        status: resolved(document, response["$ref"])
        for status, response in operation["responses"].items()
        if "$ref" in response
    }


async def test_each_route_is_described_but_pages_and_the_description_itself(
    server: RunningChatServer, document: Document
) -> None:
    routes = {
        (method.lower(), each.path_format)
        for each in iter_route_contexts(create_app(server.engine).routes)
        for method in each.methods or ()
        if each.path_format and not each.path_format.startswith("/page/")
    }
    described = {(method, path) for method, path, _ in operations(document)}
    assert routes - described == {("get", "/"), ("get", "/docs"), ("get", "/openapi.json")}


async def test_operations_have_names_that_a_client_may_give_its_methods(document: Document) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z]+(_[a-z]+){0,3}", name)] == []
    assert all(operation["tags"] and operation["description"] for _, _, operation in operations(document))


async def test_every_error_that_a_route_may_answer_has_the_one_shape(document: Document) -> None:
    for _, path, operation in operations(document):
        errors = errors_of(document, operation)
        anywhere = {"500"} if operation["operationId"] in OPEN else {"400", "401", "403", "429", "500", "503"}
        assert anywhere <= set(errors), path
        assert ("413" in errors) == ("requestBody" in operation), path
        assert "422" not in operation["responses"], path
        for response in errors.values():
            assert response["content"]["application/json"]["schema"]["$ref"].endswith("/ProblemBody")


async def test_whatever_is_referred_to_is_there(document: Document) -> None:
    for reference in set(references(document)):
        assert resolved(document, reference) is not None, reference


async def test_each_body_has_examples_that_keep_its_schema(document: Document) -> None:
    for _, path, operation in operations(document):
        if "requestBody" not in operation:
            continue
        reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        examples = resolved(document, reference)["examples"]
        assert examples, path
        for example in examples:
            jsonschema.Draft202012Validator({"$ref": reference, **document}).validate(example)


async def test_what_is_streamed_is_described_event_by_event(document: Document) -> None:
    streams = {
        operation["operationId"]
        for _, _, operation in operations(document)
        if "text/event-stream" in operation["responses"].get("200", {}).get("content", {})
    }
    assert streams == {"create_chat_completion", "create_response", "stream_run_events"}


async def test_it_says_whether_a_key_is_needed(document: Document, tmp_path: Path) -> None:
    assert document["security"] == [{"apiKey": []}, {}]
    async with running_chat_server(tmp_path / "locked", [ANSWER], config=LOCKED) as locked:
        described: Document = (await locked.client.get("/openapi.json")).json()
    assert described["security"] == [{"apiKey": []}]
    assert {op["operationId"] for _, _, op in operations(described) if op.get("security") == []} == OPEN


async def test_the_page_for_people_shows_it_all_and_loads_nothing(
    server: RunningChatServer, document: Document
) -> None:
    page = await server.client.get("/docs")

    for _, path, operation in operations(document):
        assert f'<h3 id="{operation["operationId"]}">' in page.text
        assert f"<code>{path}</code>" in page.text
    for name in document["components"]["schemas"]:
        assert f'id="schema-{name}"' in page.text
    anchors = set(re.findall(r'href="#([^"]+)"', page.text))
    assert anchors <= set(re.findall(r'id="([^"]+)"', page.text))
    assert re.findall(r"<script|<link|<img|https?://|style=", page.text) == []
    assert policy(page)["default-src"] == "'none'"
    assert "script-src" not in policy(page)


async def test_a_browser_shows_the_page_in_its_style_and_nobody_is_shut_out(server: RunningChatServer) -> None:
    complaints: list[str] = []
    async with running_chromium() as browser:
        page = await browser.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        await page.goto(f"{server.url}/docs")
        assert await page.locator("article").first.evaluate("each => getComputedStyle(each).borderTopStyle") == "solid"
        assert await accessibility_faults(page) == []
    # Browsers ask for an icon by themselves; the policy is a refusal that they tell.
    assert [each for each in complaints if "favicon" not in each] == []


def policy(page: httpx.Response) -> dict[str, str]:
    rules = page.headers["Content-Security-Policy"].split("; ")
    return {name: value for name, _, value in (rule.partition(" ") for rule in rules)}
