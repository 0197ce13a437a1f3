"""Entry point."""

from abtest.wiring.worker_exports import create_handler

handler = create_handler()
