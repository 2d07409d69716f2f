"""The configured encoder; what its kind needs is imported only for it."""

from __future__ import annotations

from contextlib import suppress

from beaver.config.embedding import EmbeddingSettings
from beaver.errors import Unavailable
from beaver.memory.inference.port import Encoder
from beaver.memory.inference.remembering import RememberingEncoder


def encoder_of(settings: EmbeddingSettings) -> Encoder | None:
    """The encoder that the settings name, which remembers questions, or None where they name none.

    Nothing is connected; the local one reads a file. Raises Unavailable where that cannot be used: the engine works by full
    text alone then.
    """
    match settings.provider:
        case "none":
            return None
        case "local":
            from beaver.memory.inference.local import open_local_encoder

            return RememberingEncoder(open_local_encoder())
        case _:
            from beaver.memory.inference.services import service_encoder

            return RememberingEncoder(service_encoder(settings))


def former_encoder(model: str) -> Encoder | None:
    """The encoder of vectors stored under `model`, where it needs no settings: the local one. None for any other."""
    from beaver.memory.inference.local import LOCAL_MODEL, open_local_encoder

    if model != LOCAL_MODEL:
        return None
    with suppress(Unavailable):
        return RememberingEncoder(open_local_encoder())
    return None
