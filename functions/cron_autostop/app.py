"""Entry point."""

from abtest.wiring.cron_autostop import create_handler

handler = create_handler()
