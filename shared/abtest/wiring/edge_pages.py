"""Composition root of edge_pages: published landing pages, and every address without a route."""

from abtest.adapters import aws
from abtest.adapters.s3 import S3Blobs
from abtest.edge.cdn import Handler
from abtest.edge.landing_pages import LandingPages
from abtest.edge.published_pages import PublishedPages
from abtest.kit.clock import SystemClock
from abtest.ports.waits import CallerKind
from abtest.wiring.edge import through_cdn
from abtest.wiring.settings import settings


def create_handler() -> Handler:
    """Return the handler of all addresses. Raises MissingSettingError."""
    aws.serve(CallerKind.SHOPPER)
    config = settings()
    config.need("delivery_bucket")
    aws.session()  # imports botocore while the function starts, which is not part of the first visitor's deadline
    pages = PublishedPages(S3Blobs(config.delivery_bucket), SystemClock())
    return through_cdn(LandingPages(pages).answer)
