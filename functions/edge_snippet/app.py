"""Entry point."""

from abtest.wiring.edge import delivery, through_cdn

handler = through_cdn(delivery().snippet)
