"""Entry point of the queues of roll-ups and refreshes."""

from abtest.wiring.worker_rollup import create_handler

handler = create_handler()
