"""Entry point."""

from abtest.wiring.console_shell import create_handler

handler = create_handler()
