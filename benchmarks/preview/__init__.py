"""Parts of `benchmarks/bench_preview.py`."""
