"""Shared part of all functions that answer HTTP requests; it imports nothing that the edge does not need."""

from abtest.edge.cdn import Handler, behind_cdn
from abtest.wiring.settings import settings


def through_cdn(handler: Handler) -> Handler:
    """The handler for requests that may come through this deployment's CDN."""
    config = settings()
    return behind_cdn(config.cdn_secret, handler, is_required=config.cdn_required == "true")
