"""The first start in a folder without a configuration: a user at the local Memory Gateway, and the file that names it."""

from __future__ import annotations

import asyncio
import http.client
import json
from dataclasses import replace
from typing import Any, Final

from pydantic import ValidationError

from beaver.config.settings import Settings
from beaver.config.write import write_new_config
from beaver.embedded.parts import http_url
from beaver.embedded.probes import choose_port
from beaver.errors import PeerFault, Unavailable
from beaver.schemas.gateway import SCOPES, USERS_PATH, UserReceipt

_TIMEOUT_S: Final = 10.0


def with_free_ports(settings: Settings) -> Settings:
    """The settings with ports that are free now: the defaults where possible. Raises Unavailable."""
    gateway, server = settings.gateway_server, settings.server
    gateway_port = choose_port(gateway.host, gateway.port)
    server_port = choose_port(server.host, server.port, frozenset({gateway_port}))
    return replace(
        settings,
        gateway_server=gateway.model_copy(update={"port": gateway_port}),
        server=server.model_copy(update={"port": server_port}),
    )


async def provision(settings: Settings) -> None:
    """Make a user at the running local Gateway and write the configuration. Raises Unavailable, PeerFault or Conflict."""
    user = await asyncio.to_thread(_create_user, settings.gateway_server.host, settings.gateway_server.port)
    write_new_config(settings.paths, first_config(settings, user))


def first_config(settings: Settings, user: UserReceipt) -> dict[str, Any]:
    """With the ports that are taken."""
    return {
        "memory": memory_config(settings, user),
        "server": {"port": settings.server.port},
        "gatewayServer": {"port": settings.gateway_server.port},
    }


def memory_config(settings: Settings, user: UserReceipt) -> dict[str, Any]:
    """The `memory` section for a user of this folder's Gateway: explicit hybrid over all three scopes, so that one session
    recalls another.
    """
    gateway = settings.gateway_server
    return {
        "mode": "hybrid",
        "gateway": {
            "baseUrl": http_url(gateway.host, gateway.port),
            "userId": user.user_id,
            "userKey": user.user_key,
            "scope": list(SCOPES),
            "honoursIdempotencyKey": True,
        },
    }


def _create_user(host: str, port: int) -> UserReceipt:
    connection = http.client.HTTPConnection(host, port, timeout=_TIMEOUT_S)
    try:
        connection.request("POST", USERS_PATH, json.dumps({}), {"Content-Type": "application/json"})
        response = connection.getresponse()
        body = response.read()
    except (OSError, http.client.HTTPException) as error:
        raise Unavailable(f"the Memory Gateway did not make a user ({type(error).__name__})") from None
    finally:
        connection.close()
    if response.status not in {200, 201}:
        raise PeerFault(f"the Memory Gateway refused to make a user (HTTP {response.status})")
    try:
        return UserReceipt.model_validate_json(body)
    except ValidationError:
        raise PeerFault("the Memory Gateway's answer to the request for a user is none that we know") from None
