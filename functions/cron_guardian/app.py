"""Entry point."""

from abtest.wiring.cron_guardian import create_handler

handler = create_handler()
