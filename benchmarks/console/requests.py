"""Rows that need a shop with fifty running experiments on a local engine: cookie and bearer, and a filtered list."""

import logging

from benchmarks.bench_overview import Screen
from benchmarks.console import sessions, visits
from benchmarks.local_engine import local_engine


def report() -> None:
    """Make the shop once, and print the rows of both."""
    logging.disable(logging.INFO)
    with local_engine() as (clients, endpoint):
        screen = Screen(clients, endpoint)
        sessions.report(screen)
        visits.report(screen)
