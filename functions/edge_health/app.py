"""Entry point of the edge's health."""

from abtest.wiring.edge_health import create_handler

handler = create_handler()
