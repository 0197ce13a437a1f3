"""Entry point of the nightly seals."""

from abtest.wiring.cron_seals import create_handler

handler = create_handler()
