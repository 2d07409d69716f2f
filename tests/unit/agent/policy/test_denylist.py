"""What is denied: by a path that the text names, by a tag, by the project."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.agent.policy.denylist import Denylist


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("*.pem", "the certificate is in deploy/keys/server.pem."),
        ("secrets/**", "look at /srv/app/secrets/prod/db.yaml"),
        ("secrets", "look at secrets/db.yaml"),
        (".env", "it reads .env at start"),
        ("~/.ssh/*", "copied ~/.ssh/id_ed25519"),
        ("private/*", "opened C:\\work\\private\\plan.docx"),
        ("PRIVATE/*", "opened private/plan.docx"),
        ("clients/acme", "see `clients/acme/offer.md`"),
    ],
)
def test_a_text_that_names_a_denied_path_is_blocked(pattern: str, text: str) -> None:
    assert Denylist(paths=(pattern,)).blocks(text) == "path"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("*.pem", "the temperature is 20"),
        ("secrets/**", "it is no secret"),
        (".env", "the environment"),
        ("a/*", "b/c"),
    ],
)
def test_another_text_is_not(pattern: str, text: str) -> None:
    assert Denylist(paths=(pattern,)).blocks(text) is None


def test_tags_and_projects_are_denied_by_their_names() -> None:
    denied = Denylist(tags=("health",), projects=("hr-*",))

    assert denied.blocks("anything", tags=("Health",)) == "tag"
    assert denied.blocks("anything", project="hr-2026") == "project"
    assert denied.blocks("anything", tags=("work",), project="beaver") is None


@given(st.text(max_size=300))
def test_an_empty_list_blocks_nothing(text: str) -> None:
    assert Denylist().blocks(text, tags=(text,), project=text) is None


@given(st.text(alphabet="abc/.\\*?[]", max_size=60), st.text(alphabet="abc/.*?[]", max_size=20))
def test_no_text_and_no_pattern_is_a_fault(text: str, pattern: str) -> None:
    assert Denylist(paths=(pattern,)).blocks(text) in {None, "path"}
