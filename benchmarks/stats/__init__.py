"""What benchmarks/bench_stats.py measures: each engine in a process of its own."""
