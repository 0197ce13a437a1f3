"""Entry point."""

from abtest.wiring.worker_screenshots import create_handler

handler = create_handler()
