"""Entry point."""

from abtest.wiring.worker_compact import create_handler

handler = create_handler()
