"""Entry point."""

from abtest.wiring.crons import guardian

handler = guardian()
