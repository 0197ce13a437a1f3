"""Entry point of assignments for servers."""

from abtest.wiring.edge import assign, through_cdn

handler = through_cdn(assign().assign)
