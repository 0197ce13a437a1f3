"""Entry point."""

from abtest.wiring.edge_snippet import create_handler

handler = create_handler()
