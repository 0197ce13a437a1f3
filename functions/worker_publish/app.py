"""Entry point."""

from abtest.wiring.worker_publish import create_handler

handler = create_handler()
