"""Writing a first configuration, and adding to one; what is there is never overwritten."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from beaver.config.loader import read_config
from beaver.config.paths import InstancePaths
from beaver.errors import ConfigError, Conflict
from beaver.files import create_file, private_folder, replace_file


def write_new_config(paths: InstancePaths, document: Mapping[str, Any]) -> None:
    """Write the configuration, whole, mode 0600 in a home of mode 0700. Raises Conflict where a file stands already."""
    private_folder(paths.home)
    try:
        create_file(paths.config, _text(document))
    except FileExistsError:
        raise Conflict("config.json exists already; it is never overwritten") from None


def check_addable(paths: InstancePaths, section: str, fields: Collection[str]) -> None:
    """Raises Conflict where the configuration has one of a section's fields already, ConfigError where it cannot be read."""
    _present(read_config(paths), section, fields)


def add_to_config(paths: InstancePaths, section: str, fields: Mapping[str, Any]) -> None:
    """Add fields to a section of the configuration, as a whole new file of mode 0600, laid out as ours are.

    A link is followed. Raises what `check_addable` does.
    """
    document = read_config(paths)
    whole = {**document, section: {**_present(document, section, fields), **fields}}
    private_folder(paths.home)
    replace_file(paths.config.resolve(), _text(whole))


def _present(document: Mapping[str, Any], section: str, fields: Collection[str]) -> Mapping[str, Any]:
    """What the section says, which is none of the fields."""
    said = document.get(section)
    present = {} if said is None else said
    if not isinstance(present, dict):
        raise ConfigError(section, "must be an object")
    if taken := present.keys() & set(fields):
        raise Conflict(f"{section}.{min(taken)} is in config.json already; it is never overwritten")
    return present


def _text(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
