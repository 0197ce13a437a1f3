"""Entry point of the roll-up schedule and of the queue of refreshes."""

from abtest.wiring.cron_rollup import create_handler

handler = create_handler()
