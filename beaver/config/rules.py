"""The rules a single value of the configuration must keep; each message states the rule and never the value."""

from __future__ import annotations

import math
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, SecretStr
from pydantic.alias_generators import to_camel


class Section(BaseModel):
    """Base of a section: camelCase on disk, unknown keys are errors, values never shown in errors."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, hide_input_in_errors=True
    )


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _secret_not_blank(secret: SecretStr) -> SecretStr:
    _not_blank(secret.get_secret_value())
    return secret


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError("must be a number")
    if not math.isfinite(value):
        raise ValueError("must be finite")
    return value


def _whole(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("must be a whole number")
    return value


def _http_url(text: str) -> str:
    parts = _split(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("must be an http or https URL with a host")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold user info")
    if parts.query or parts.fragment:
        raise ValueError("must not hold a query or a fragment")
    return text.strip().rstrip("/")


def _database_url(secret: SecretStr) -> SecretStr:
    scheme = _split(secret.get_secret_value()).scheme
    if scheme not in {"sqlite", "postgresql", "postgres"}:
        raise ValueError("must be a sqlite:/// or postgresql:// URL")
    return secret


def _redis_url(secret: SecretStr) -> SecretStr:
    parts = _split(secret.get_secret_value())
    if parts.scheme not in {"redis", "rediss", "unix", "sentinel"}:
        raise ValueError("must be a redis://, rediss://, unix:// or sentinel:// URL")
    return secret


def _split(text: str) -> Any:
    try:
        parts = urlsplit(text.strip())
        _ = parts.port
    except ValueError:
        raise ValueError("must be a URL") from None
    return parts


NotBlank = Annotated[str, AfterValidator(_not_blank)]
Secret = Annotated[SecretStr, AfterValidator(_secret_not_blank)]
Number = Annotated[float, BeforeValidator(_number)]
Whole = Annotated[int, BeforeValidator(_whole)]
HttpUrl = Annotated[str, AfterValidator(_http_url)]
DatabaseUrl = Annotated[SecretStr, AfterValidator(_database_url)]
RedisUrl = Annotated[SecretStr, AfterValidator(_redis_url)]
