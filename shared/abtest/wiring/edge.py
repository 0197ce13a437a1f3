"""Shared parts of the edge functions' composition roots; each root imports only what its own route needs."""

from abtest.edge.cdn import Handler, behind_cdn
from abtest.wiring.settings import settings


def through_cdn(handler: Handler) -> Handler:
    """The handler for requests that may come through this deployment's CDN."""
    return behind_cdn(settings().cdn_secret, handler)
