"""Entry point."""

from abtest.wiring.crons import launch

handler = launch()
