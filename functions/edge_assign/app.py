"""Entry point of assignments for servers."""

from abtest.wiring.edge import assign

handler = assign().assign
