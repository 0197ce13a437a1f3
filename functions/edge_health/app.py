"""Entry point of the edge's health, and of every address that is no route."""

from abtest.wiring.edge_health import create_handler

handler = create_handler()
