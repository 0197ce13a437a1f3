"""Entry point of the edge's health, and of addresses without a route."""

from abtest.wiring.edge_health import create_handler

handler = create_handler()
