"""Entry point."""

from abtest.wiring.edge_preview import create_handler

handler = create_handler()
