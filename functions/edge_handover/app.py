"""Entry point of handovers between a shop's hosts."""

from abtest.wiring.edge import handover

handler = handover().handover
