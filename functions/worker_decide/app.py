"""Entry point."""

from abtest.wiring.worker_decide import create_handler

handler = create_handler()
