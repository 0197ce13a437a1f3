"""Entry point of the nightly audit."""

from abtest.wiring.cron_audit import create_handler

handler = create_handler()
