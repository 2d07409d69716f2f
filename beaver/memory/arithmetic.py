"""numpy's own threads, of which the engine wants none."""

from __future__ import annotations

from threadpoolctl import threadpool_limits


def use_one_thread() -> None:
    """Have numpy multiply matrices in the thread that asks, for this whole process.

    Ours are small: a second thread waits actively for most of the time, and a search took twice the processor time.
    """
    threadpool_limits(limits=1, user_api="blas")
