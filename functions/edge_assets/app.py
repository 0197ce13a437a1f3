"""Entry point."""

from abtest.wiring.edge_assets import create_handler

handler = create_handler()
