"""The rules a single value of the configuration must keep; each message states the rule and never the value."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, SecretStr, ValidationInfo
from pydantic.alias_generators import to_camel

from beaver.config.postgres_url import broken_rule

_NEVER_IN_TEXT: Final = {"Cc", "Cs"}
_LINE_BREAKS: Final = "\n\r\t"


class Section(BaseModel):
    """Base of a section: camelCase on disk, unknown keys are errors, values never shown in errors."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, hide_input_in_errors=True
    )


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    if _holds_control(text.translate(dict.fromkeys(map(ord, _LINE_BREAKS)))):
        raise ValueError("must not hold control characters or half a surrogate pair")
    return text


def _secret(secret: SecretStr) -> SecretStr:
    # A line break in a key would end up in a header, whose error quotes the key.
    text = _text(secret.get_secret_value())
    if _holds_control(text):
        raise ValueError("must not hold line breaks or control characters")
    return secret


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError("must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("must be finite")
    return number


def _whole(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("must be a whole number")
    return value


def _http_url(text: str) -> str:
    url = _url(text)
    host, has_user_info = _host(url)
    if url.partition("://")[0].lower() not in {"http", "https"} or not host:
        raise ValueError("must be an http or https URL with a host")
    if has_user_info:
        raise ValueError("must not hold user info")
    if "?" in url or "#" in url:
        raise ValueError("must not hold a query or a fragment")
    return url.rstrip("/")


def _database_url(secret: SecretStr) -> SecretStr:
    url = _url(secret.get_secret_value())
    if not re.match(r"sqlite:///.|postgres(?:ql)?://", url):
        raise ValueError("must be a sqlite:/// URL with a file or a postgresql:// URL")
    if not url.startswith("sqlite:") and (rule := broken_rule(url)) is not None:
        raise ValueError(rule)
    return SecretStr(url)


def _redis_url(secret: SecretStr) -> SecretStr:
    url = _url(secret.get_secret_value())
    if not re.match(r"(?:rediss?|unix|sentinel)://.", url):
        raise ValueError("must be a redis://, rediss://, unix:// or sentinel:// URL")
    return SecretStr(url)


def needed_by(value: Any, info: ValidationInfo, *providers: str) -> Any:
    """The value of a section's field. Raises ValueError where it is missing and the section's `provider` is one of these."""
    provider = info.data.get("provider")
    if value is None and provider in providers:
        raise ValueError(f"is required for {provider}")
    return value


def _url(text: str) -> str:
    url = _text(text).strip()
    # A URL parser drops line breaks in silence, so they are looked for here.
    if _holds_control(url) or " " in url:
        raise ValueError("must not hold spaces or control characters")
    return url


def _host(url: str) -> tuple[str | None, bool]:
    try:
        parts = urlsplit(url)
        _ = parts.port  # found to be bad only when asked for
        return parts.hostname, "@" in parts.netloc
    except ValueError:
        return None, False


def _holds_control(text: str) -> bool:
    return any(unicodedata.category(character) in _NEVER_IN_TEXT for character in text)


NotBlank = Annotated[str, AfterValidator(_text)]
Secret = Annotated[SecretStr, AfterValidator(_secret)]
Number = Annotated[float, BeforeValidator(_number)]
Whole = Annotated[int, BeforeValidator(_whole)]
HttpUrl = Annotated[str, AfterValidator(_http_url)]
DatabaseUrl = Annotated[SecretStr, AfterValidator(_database_url)]
RedisUrl = Annotated[SecretStr, AfterValidator(_redis_url)]
