"""The language model that the Memory Gateway may ask for capture and reconciliation."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from beaver.config.rules import HttpUrl, NotBlank, Number, Secret, Section, needed_by


class LanguageModelSettings(Section):
    """Which model captures and reconciles; `none` leaves both to rules."""

    provider: Annotated[
        Literal["none", "openai-compatible", "openai", "anthropic"],
        Field(description="Whose model captures and reconciles; `none`: rules do."),
    ] = "none"
    model: Annotated[
        NotBlank | None, Field(validate_default=True, description="The model's name there; needed unless `none`.")
    ] = None
    base_url: Annotated[
        HttpUrl | None,
        Field(validate_default=True, description="The API's root, with its `/v1`; needed for `openai-compatible`."),
    ] = None
    api_key: Annotated[
        Secret | None,
        Field(validate_default=True, description="The provider's key; needed for `openai` and `anthropic`. A secret."),
    ] = None
    timeout_seconds: Annotated[
        Number, Field(gt=0, le=600, description="Most seconds for one answer; after that, rules do it.")
    ] = 30

    @field_validator("model")
    @classmethod
    def _model_is_named(cls, model: Any, info: ValidationInfo) -> Any:
        return needed_by(model, info, "openai-compatible", "openai", "anthropic")

    @field_validator("base_url")
    @classmethod
    def _address_is_named(cls, base_url: Any, info: ValidationInfo) -> Any:
        return needed_by(base_url, info, "openai-compatible")

    @field_validator("api_key")
    @classmethod
    def _key_isneeded_by(cls, api_key: Any, info: ValidationInfo) -> Any:
        return needed_by(api_key, info, "openai", "anthropic")
