"""`beaver keys`: a key is shown when it is made and never again."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from beaver.cli.main import app


def _keys(root: Path, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["keys", *arguments, "--root", str(root), "--json"])
    return result.exit_code, result.output


def test_a_key_is_shown_once_listed_without_itself_and_revoked(tmp_path: Path) -> None:
    made = json.loads(_keys(tmp_path, "create", "laptop", "--scope", "chat", "--days", "30")[1])

    listed = _keys(tmp_path, "list")[1]
    assert made["key"] not in listed
    assert [(key["id"], key["scopes"], key["revoked_ms"]) for key in json.loads(listed)] == [
        (made["id"], ["chat"], None)
    ]

    assert _keys(tmp_path, "revoke", made["id"])[0] == 0
    assert json.loads(_keys(tmp_path, "list")[1])[0]["revoked_ms"] is not None


def test_an_unknown_scope_and_an_unknown_id_are_refused(tmp_path: Path) -> None:
    assert _keys(tmp_path, "create", "x", "--scope", "everything")[0] == 2
    assert _keys(tmp_path, "revoke", "key_none")[0] == 3
