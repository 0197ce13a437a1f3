"""Entry point of the compaction schedule."""

from abtest.wiring.cron_compact import create_handler

handler = create_handler()
