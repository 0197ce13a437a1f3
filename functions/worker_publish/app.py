"""Entry point."""

from abtest.wiring.workers import publish_worker

handler = publish_worker()
