"""Composition root of edge_config."""

from abtest.edge.cdn import Handler
from abtest.wiring.edge import through_cdn
from abtest.wiring.edge_delivery import delivery


def create_handler() -> Handler:
    """Return the handler of the route. Raises MissingSettingError."""
    return through_cdn(delivery().config)
