"""Entry point."""

from abtest.wiring.guardian import guardian

handler = guardian()
