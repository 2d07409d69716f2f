"""A configuration that breaks a rule, said once in words or as JSON, with the exit code that a supervisor does not restart."""

from __future__ import annotations

import sys
from typing import Final

from beaver.errors import ConfigError, exit_code
from beaver.text import json_line, printable

_NEXT_STEP: Final = "Mend .beaver/config.json (`beaver check` lists every rule that it breaks), then start again."


def refuse(error: ConfigError, *, as_json: bool = False) -> int:
    """Write the error to standard error, as JSON in the shape of the other commands'; returns the exit code."""
    if as_json:
        body = {"message": str(error), "code": error.code, "next_step": _NEXT_STEP}
        print(json_line({"error": body}), file=sys.stderr)  # noqa: T201
    else:
        print(printable(f"worker: the configuration is not right: {error}\n  {_NEXT_STEP}"), file=sys.stderr)  # noqa: T201
    return exit_code(error)
