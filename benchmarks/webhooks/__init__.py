"""What benchmarks/bench_webhooks.py measures with: receivers in a process of their own, and webhooks in memory."""
