"""Entry point."""

from abtest.wiring.crons import sweep

handler = sweep()
