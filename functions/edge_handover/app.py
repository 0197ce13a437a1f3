"""Entry point of handovers between a shop's hosts."""

from abtest.wiring.edge import handover, through_cdn

handler = through_cdn(handover().handover)
