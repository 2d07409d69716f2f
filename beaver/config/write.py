"""Writing a first configuration, and never over one that is there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from beaver.config.paths import InstancePaths
from beaver.errors import Conflict
from beaver.files import create_file, private_folder


def write_new_config(paths: InstancePaths, document: Mapping[str, Any]) -> None:
    """Write the configuration, whole, mode 0600 in a home of mode 0700. Raises Conflict where a file stands already."""
    private_folder(paths.home)
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        create_file(paths.config, text.encode())
    except FileExistsError:
        raise Conflict("config.json exists already; it is never overwritten") from None
