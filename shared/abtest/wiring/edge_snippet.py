"""Composition root of edge_snippet."""

from abtest.adapters import aws
from abtest.edge.cdn import Handler
from abtest.ports.waits import CallerKind
from abtest.wiring.edge import through_cdn
from abtest.wiring.edge_delivery import delivery


def create_handler() -> Handler:
    """Return the handler of the route. Raises MissingSettingError."""
    aws.serve(CallerKind.SHOPPER)
    return through_cdn(delivery().snippet)
