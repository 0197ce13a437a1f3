"""Entry point of the roll-up schedule."""

from abtest.wiring.cron_rollup import create_handler

handler = create_handler()
