"""Entry point."""

from abtest.wiring.worker_webhooks import create_handler

handler = create_handler()
