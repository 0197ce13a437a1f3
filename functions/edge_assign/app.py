"""Entry point of assignments for servers."""

from abtest.wiring.edge_assign import create_handler

handler = create_handler()
