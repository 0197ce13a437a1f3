"""Entry point."""

from abtest.wiring.crons import autostop

handler = autostop()
