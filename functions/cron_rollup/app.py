"""Entry point of the roll-up schedule and of the queue of refreshes."""

from abtest.wiring.crons import rollup

handler = rollup()
