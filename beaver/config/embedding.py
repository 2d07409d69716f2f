"""The encoder whose vectors the Memory Gateway searches by, beside the words."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from beaver.config.rules import HttpUrl, NotBlank, Number, Secret, Section, Whole, needed_by

EncoderProvider = Literal["local", "none", "openai", "voyage", "cohere", "openai-compatible"]
_SERVICES = ("openai", "voyage", "cohere", "openai-compatible")


class EmbeddingSettings(Section):
    """Which encoder; `local` runs in the Gateway's process, `none` leaves search to the words alone."""

    provider: Annotated[
        EncoderProvider,
        Field(description="`local`: in the Gateway's process; `none`: words alone; else the service that encodes."),
    ] = "local"
    model: Annotated[
        NotBlank | None, Field(validate_default=True, description="The model's name at the service; needed for one.")
    ] = None
    dimensions: Annotated[
        Whole | None,
        Field(ge=1, le=8192, validate_default=True, description="The length of its vectors; needed for a service."),
    ] = None
    base_url: Annotated[
        HttpUrl | None,
        Field(validate_default=True, description="The API's root, with its `/v1`; needed for `openai-compatible`."),
    ] = None
    api_key: Annotated[
        Secret | None,
        Field(validate_default=True, description="The service's key; optional for `openai-compatible`. A secret."),
    ] = None
    timeout_seconds: Annotated[
        Number, Field(gt=0, le=600, description="Most seconds for encoding what was stored, a call.")
    ] = 30
    question_timeout_seconds: Annotated[
        Number, Field(gt=0, le=60, description="Most seconds for encoding a question; after that, words alone find.")
    ] = 2

    @field_validator("model")
    @classmethod
    def _model_is_named(cls, model: Any, info: ValidationInfo) -> Any:
        return needed_by(model, info, *_SERVICES)

    @field_validator("dimensions")
    @classmethod
    def _dimensions_areneeded_by(cls, dimensions: Any, info: ValidationInfo) -> Any:
        return needed_by(dimensions, info, *_SERVICES)

    @field_validator("base_url")
    @classmethod
    def _address_is_named(cls, base_url: Any, info: ValidationInfo) -> Any:
        return needed_by(base_url, info, "openai-compatible")

    @field_validator("api_key")
    @classmethod
    def _key_isneeded_by(cls, api_key: Any, info: ValidationInfo) -> Any:
        return needed_by(api_key, info, "openai", "voyage", "cohere")
