"""A start in a folder whose configuration names no Memory Gateway, or that has none: a user at the local one is made, and
written down.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import ValidationError

from beaver.config.loader import read_config
from beaver.config.paths import InstancePaths
from beaver.config.settings import GatewayServerSettings, Settings
from beaver.config.write import add_to_config, write_new_config
from beaver.embedded.parts import http_url
from beaver.embedded.probes import choose_port
from beaver.errors import PeerFault, Unavailable
from beaver.schemas.gateway import SCOPES, USERS_PATH, UserReceipt

_TIMEOUT_S: Final = 10.0

Provisioned = Literal["written", "completed"]
"""Whether a whole configuration was written, or what was there got a Gateway's user added."""


def what_is_wanting(paths: InstancePaths) -> Provisioned | None:
    """Whether a configuration is to be written or completed; None where it says itself what memory there is.

    A file that is somebody else's to change (a link, or one that may not be written) is left as it is. Raises ConfigError.
    """
    if not paths.config.exists():
        return "written"
    memory = read_config(paths).get("memory", {})
    is_said = not isinstance(memory, dict) or bool(memory.keys() & {"mode", "gateway"})
    return None if is_said or not _may_change(paths.config) else "completed"


def _may_change(file: Path) -> bool:
    return not file.is_symlink() and os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)


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


async def provision(settings: Settings, wanting: Provisioned = "written") -> None:
    """Make a user at the running local Gateway and write down what is wanting. Raises Unavailable, PeerFault or Conflict."""
    user = await asyncio.to_thread(_create_user, settings.gateway_server)
    config = first_config(settings, user)
    if wanting == "written":
        write_new_config(settings.paths, config)
    else:
        add_to_config(settings.paths, "memory", config["memory"])


def first_config(settings: Settings, user: UserReceipt) -> dict[str, Any]:
    """Explicit hybrid over all three scopes, so that one session recalls another."""
    gateway, server = settings.gateway_server, settings.server
    return {
        "memory": {
            "mode": "hybrid",
            "gateway": {
                "baseUrl": http_url(gateway.host, gateway.port),
                "userId": user.user_id,
                "userKey": user.user_key,
                "scope": list(SCOPES),
                "honoursIdempotencyKey": True,
            },
        },
        "server": {"port": server.port},
        "gatewayServer": {"port": gateway.port},
    }


def provisioning_told(config: Path, what: Provisioned) -> str:
    """For a person: that a configuration was written or completed, and what stands there now."""
    begun = (
        f"No configuration was here, so I made {config}"
        if what == "written"
        else f"{config} names no memory, so I added to it"
    )
    return (
        f"{begun}: a local user and key at this folder's Memory Gateway, "
        "memory mode hybrid over all scopes. The key in it is a secret; only you can read the file."
    )


def _create_user(gateway: GatewayServerSettings) -> UserReceipt:
    connection = http.client.HTTPConnection(gateway.host, gateway.port, timeout=_TIMEOUT_S)
    key = gateway.admin_key
    admin = {} if key is None else {"Authorization": f"Bearer {key.get_secret_value()}"}
    try:
        connection.request("POST", USERS_PATH, json.dumps({}), {"Content-Type": "application/json", **admin})
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
