"""Webhooks while receivers, names, clocks, queues and workers fail: each event arrives, or is dead and says why."""
