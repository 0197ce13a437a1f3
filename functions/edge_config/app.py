"""Entry point."""

from abtest.wiring.edge_config import create_handler

handler = create_handler()
