"""The configured language model; what it needs is imported only for it."""

from __future__ import annotations

from beaver.config.language_model import LanguageModelSettings
from beaver.memory.inference.port import LanguageModel


def language_model_of(settings: LanguageModelSettings) -> LanguageModel | None:
    """The model that the settings name, left alone while it fails, or None where rules do its work. Nothing is connected."""
    if settings.provider == "none":
        return None
    from beaver.memory.inference.language_http import language_model
    from beaver.memory.inference.pausing import Pause, PausingModel

    model = language_model(settings)
    return None if model is None else PausingModel(model, Pause("the language model"))
