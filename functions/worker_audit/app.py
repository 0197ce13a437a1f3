"""Entry point."""

from abtest.wiring.worker_audit import create_handler

handler = create_handler()
