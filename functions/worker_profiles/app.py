"""Entry point."""

from abtest.wiring.worker_profiles import create_handler

handler = create_handler()
