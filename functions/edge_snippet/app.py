"""Entry point."""

from abtest.wiring.edge import delivery

handler = delivery().snippet
