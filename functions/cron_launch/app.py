"""Entry point."""

from abtest.wiring.cron_launch import create_handler

handler = create_handler()
