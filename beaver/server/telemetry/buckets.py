"""How finely durations are told apart: one scale, so that a request and its parts can be laid over each other."""

from __future__ import annotations

from typing import Final

# From what the server adds by itself to a long answer with tools.
SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
