"""Entry point."""

from abtest.wiring.cron_sweep import create_handler

handler = create_handler()
