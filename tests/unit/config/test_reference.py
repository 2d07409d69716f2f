"""The settings table says for every setting its type, default and meaning."""

from __future__ import annotations

from beaver.config.reference import settings_fields, settings_table


def test_the_table_names_every_setting_once() -> None:
    rows = [row.path for row in settings_table()]
    paths = [path for path, _ in settings_fields()]
    sections = {path for path in paths if any(other.startswith(f"{path}.") for other in paths)} - {
        "memory.gateway",
        "memory.gateway.earlierUsers",
    }

    assert sorted(rows) == sorted(path for path in paths if path not in sections)
    assert len(set(rows)) == len(rows)


def test_no_cell_is_empty() -> None:
    assert [row for row in settings_table() if not (row.type and row.default and row.description)] == []


def test_types_bounds_and_defaults_are_in_words() -> None:
    rows = {row.path: (row.type, row.default) for row in settings_table()}

    assert rows["memory.gateway.baseUrl"] == ("string", "required")
    assert rows["memory.gateway.userKey"] == ("secret string", "required")
    assert rows["memory.gateway.scope"] == (
        "list of `current_chat`, `resources`, `all_user_memory`",
        '["current_chat", "resources"]',
    )
    assert rows["memory.gateway.topK"] == ("whole number from 1 to 100", "8")
    assert rows["memory.gateway.timeoutSeconds"] == ("number above 0", "10")
    assert rows["memory.gateway.honoursIdempotencyKey"] == ("true or false", "false")
    assert rows["memory.mode"] == ("one of `hybrid`, `curated`, `memory_gateway`", "none")
    assert rows["provider.apiKey"] == ("secret string", "none")
