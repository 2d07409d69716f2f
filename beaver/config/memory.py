"""The `memory` section and what it comes to: a plan that says which memory services a process builds.

A plan is one of four small types, so that a mode without its credentials cannot be built.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import Field, ValidationInfo, field_validator

from beaver.config.memory_policy import MemoryPolicySettings
from beaver.config.rules import HttpUrl, NotBlank, Number, Secret, Section, Whole
from beaver.config.violations import IS_REQUIRED, Violation, validated
from beaver.schemas.gateway import Scope

Mode = Literal["hybrid", "curated", "memory_gateway"]

GATEWAY_BLOCK: Final = "memory.gateway"
CREDENTIALS: Final = ("baseUrl", "userId", "userKey")
"""What a Gateway block cannot do without; the rest has defaults."""


class MemoryOwner(NamedTuple):
    """Whose memory at the Gateway, and in which namespace."""

    user_id: str
    app_id: str
    project_id: str


class EarlierUser(Section):
    """A Gateway user that this instance was configured for before; what was made for it is still delivered as it."""

    user_id: Annotated[NotBlank, Field(description="That user's id.")]
    user_key: Annotated[Secret, Field(description="That user's key. A secret.")]
    app_id: Annotated[NotBlank, Field(description="`appId` of that time.")] = "default"
    project_id: Annotated[NotBlank, Field(description="`projectId` of that time.")] = "default"

    @property
    def owner(self) -> MemoryOwner:
        """Whose memory that is."""
        return MemoryOwner(self.user_id, self.app_id, self.project_id)


class GatewaySettings(Section):
    """How to reach the Memory Gateway, as whom, and what to ask it for."""

    base_url: Annotated[HttpUrl, Field(description="Root of the Gateway's API; a trailing slash is dropped.")]
    user_id: Annotated[NotBlank, Field(description="The Gateway user whose memory this instance uses.")]
    user_key: Annotated[Secret, Field(description="That user's key. A secret.")]
    app_id: Annotated[NotBlank, Field(description="Application part of the namespace.")] = "default"
    project_id: Annotated[NotBlank, Field(description="Project part of the namespace.")] = "default"
    scope: Annotated[
        tuple[Scope, ...],
        Field(min_length=1, description="What recall searches: `current_chat`, `resources`, `all_user_memory`."),
    ] = ("current_chat", "resources")
    top_k: Annotated[Whole, Field(ge=1, le=100, description="Most memories a recall may bring.")] = 8
    timeout_seconds: Annotated[
        Number, Field(gt=0, description="One wall-clock deadline for each whole Gateway call, in seconds.")
    ] = 10
    honours_idempotency_key: Annotated[
        bool,
        Field(
            strict=True, description="Whether the Gateway answers a repeated `Idempotency-Key` with the first receipt."
        ),
    ] = False
    earlier_users: Annotated[
        tuple[EarlierUser, ...],
        Field(description="Users configured before; a worker delivers as them what was made for them."),
    ] = ()

    @field_validator("scope")
    @classmethod
    def _scopes_once(cls, scope: tuple[Scope, ...]) -> tuple[Scope, ...]:
        if len(set(scope)) != len(scope):
            raise ValueError("must not repeat a scope")
        return scope

    @field_validator("earlier_users")
    @classmethod
    def _users_once(cls, earlier: tuple[EarlierUser, ...], info: ValidationInfo) -> tuple[EarlierUser, ...]:
        now = MemoryOwner(*(info.data.get(name, "") for name in MemoryOwner._fields))
        if len({now, *(each.owner for each in earlier)}) <= len(earlier):
            raise ValueError("must not repeat a user, nor name the one of userId, appId and projectId")
        return earlier

    @property
    def owner(self) -> MemoryOwner:
        """Whose memory this instance uses."""
        return MemoryOwner(self.user_id, self.app_id, self.project_id)

    def of_each_user(self) -> list[GatewaySettings]:
        """The settings once for each user: first as they are, then as each earlier one."""
        others = [{**dict(each), "earlier_users": ()} for each in self.earlier_users]
        return [self, *(self.model_copy(update=other) for other in others)]


class MemorySection(Section):
    """The section as it stands in the file; `gateway` is read only when the mode asks for it."""

    mode: Annotated[
        Mode | None,
        Field(description="`hybrid` (both memories), `curated` (no Gateway), `memory_gateway` (no curated memory)."),
    ] = None
    gateway: Annotated[Any, Field(description="The Memory Gateway; see the rows below.")] = None
    policy: MemoryPolicySettings = MemoryPolicySettings()


@dataclass(frozen=True)
class CuratedOnly:
    """Curated memory alone; the Gateway block, if any, was not read."""


@dataclass(frozen=True)
class Hybrid:
    """Both memories. `explicit` tells whether the file names the mode."""

    gateway: GatewaySettings
    explicit: bool


@dataclass(frozen=True)
class DegradedHybrid:
    """Implicit hybrid whose Gateway credentials are missing: curated memory goes on, with one warning."""

    missing: tuple[str, ...]


@dataclass(frozen=True)
class GatewayOnly:
    """The Gateway replaces curated memory: no snapshot, no `memory` tool."""

    gateway: GatewaySettings


MemoryPlan = CuratedOnly | Hybrid | DegradedHybrid | GatewayOnly


def plan_memory(section: MemorySection | None) -> MemoryPlan | list[Violation]:
    """The plan a `memory` section comes to, or the rules its Gateway block breaks.

    Missing credentials degrade implicit hybrid and fail every other mode; a bad value fails all modes but `curated`.
    """
    section = section or MemorySection()
    if section.mode == "curated":
        return CuratedOnly()
    gateway = _gateway(section.gateway)
    if isinstance(gateway, GatewaySettings):
        return GatewayOnly(gateway) if section.mode == "memory_gateway" else Hybrid(gateway, section.mode is not None)
    if section.mode is not None:
        return gateway
    wrong = [one for one in gateway if not _is_missing_credential(one)]
    return wrong or DegradedHybrid(tuple(one.field for one in gateway))


def _is_missing_credential(one: Violation) -> bool:
    return one.rule == IS_REQUIRED and one.field in {f"{GATEWAY_BLOCK}.{name}" for name in CREDENTIALS}


def _gateway(block: Any) -> GatewaySettings | list[Violation]:
    given = {} if block is None else block
    if isinstance(given, dict):
        # A null credential is a missing one.
        given = {name: value for name, value in given.items() if not (name in CREDENTIALS and value is None)}
    return validated(GatewaySettings, given, GATEWAY_BLOCK)


def gateway_of(plan: MemoryPlan) -> GatewaySettings | None:
    """The Gateway settings of a plan, or None where the plan has no Gateway."""
    return plan.gateway if isinstance(plan, Hybrid | GatewayOnly) else None


def degradation_warning(plan: DegradedHybrid) -> str:
    """The one warning of a degraded hybrid: what is missing, what goes on, what to do. No value of the file is in it."""
    missing = ", ".join(plan.missing)
    return (
        f"The Memory Gateway is off: {missing} missing from config.json. Curated memory works on. "
        "Add what is missing (`beaver gateway users add ID --configure` makes a user here and writes it there) and restart, "
        'or set memory.mode to "curated" to stay without a Gateway.'
    )
