"""Benchmarks: ratios within one run, never timed asserts. `uv run python -m tests.bench --help` lists them."""
