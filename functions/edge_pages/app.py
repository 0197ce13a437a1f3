"""Entry point of published landing pages, and of addresses without a route."""

from abtest.wiring.edge_pages import create_handler

handler = create_handler()
