"""A request of each kind, as the document and the page show them: by the name of its schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_QUESTION: Final = "Where do beavers build their lodges?"

EXAMPLES: Final[Mapping[str, Sequence[Mapping[str, Any]]]] = {
    "ChatCompletionRequest": (
        {"model": "beaver", "messages": [{"role": "user", "content": _QUESTION}]},
        {
            "model": "beaver",
            "messages": [{"role": "user", "content": [{"type": "text", "text": _QUESTION}]}],
            "stream": True,
            "stream_options": {"include_usage": True},
        },
    ),
    "ResponsesRequest": (
        {"model": "beaver", "input": _QUESTION},
        {"model": "beaver", "input": [{"role": "user", "content": _QUESTION}], "stream": True},
    ),
    "RunCreate": ({"prompt": _QUESTION},),
    "SessionCreate": ({"title": "Lodges"},),
    "ForkCreate": ({},),
    "MemoryPin": ({"pinned": True},),
    "MemoryForget": ({"by": "tag", "value": "travel"}, {"by": "project"}),
    "MemorySwitch": ({"off": True},),
    "MemoryLine": ({"line": "/memory status"},),
    "ProblemBody": (
        {
            "error": {
                "message": "messages: must hold a message of role user",
                "type": "invalid_request_error",
                "code": "invalid_input",
                "param": "messages",
            }
        },
    ),
}
