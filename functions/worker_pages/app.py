"""Entry point."""

from abtest.wiring.worker_pages import create_handler

handler = create_handler()
