"""Entry point of handovers between a shop's hosts."""

from abtest.wiring.edge_handover import create_handler

handler = create_handler()
