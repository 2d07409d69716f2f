"""The Gateway process: plain words for a taken port; starting without what it does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from beaver.errors import Unavailable
from beaver.gateway.serve import bind


def test_a_taken_port_is_said_in_plain_words() -> None:
    with bind("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(Unavailable, match=f"cannot listen on 127.0.0.1 port {port}.*gatewayServer.port"):
            bind("127.0.0.1", port)


def test_a_host_that_is_none_is_said_in_plain_words() -> None:
    with pytest.raises(Unavailable, match="cannot listen on no-such-host"):
        bind("no-such-host.invalid", 8010)


def test_the_server_starts_without_heavy_libraries() -> None:
    heavy = "alembic fastapi arq redis httpx onnxruntime openai anthropic jsonschema yaml typer"
    program = (
        "import sys, beaver.gateway.serve\n"
        f"print(*[name for name in {heavy!r}.split() if name in sys.modules])\n"
        "print(*[name for name in sys.modules if name.startswith(('beaver.agent', 'beaver.client', 'beaver.sessions'))])\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
