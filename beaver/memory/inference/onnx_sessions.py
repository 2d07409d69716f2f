"""How graphs are run here: in the thread that asks, without memory kept between runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def open_session(model: bytes, switched_on: Sequence[str] = ()) -> Any:
    """A session of the runtime's for a graph, with some of its own options. Raises ImportError without the runtime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # The arena keeps the memory of the largest run for ever, and saves no time that could be measured.
    options.enable_cpu_mem_arena = False
    for name in switched_on:
        options.add_session_config_entry(name, "1")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
