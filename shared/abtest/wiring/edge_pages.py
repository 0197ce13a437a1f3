"""Composition root of edge_pages: published landing pages, and every address without a route."""

from functools import cache
from operator import attrgetter

from abtest.adapters import aws
from abtest.adapters.s3 import S3Blobs
from abtest.edge.cdn import Handler
from abtest.edge.landing_pages import Choose, LandingPages
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
    blobs, clock = S3Blobs(config.delivery_bucket), SystemClock()

    @cache
    def choose() -> Choose:
        from abtest.edge.assign_configs import PreparedConfigs
        from abtest.edge.landing_variants import PageConfig, Variants
        from abtest.edge.publications import Publications
        from abtest.kit.ids import SystemRandomness

        publications = Publications(blobs, clock, cold=attrgetter("variant"))
        return Variants(PreparedConfigs(publications, PageConfig.of).read, clock, SystemRandomness()).choose

    pages = LandingPages(PublishedPages(blobs, clock), lambda route, requested: choose()(route, requested))
    return through_cdn(pages.answer)
