"""The CDN in front of publications."""

from abtest.adapters.cloudfront import CloudFrontCdn, RecordedCdn
from abtest.ports.cdn import Cdn
from abtest.wiring.settings import Settings


def cdn_of(config: Settings) -> Cdn:
    """Return the CDN of the settings; without one, invalidations are recorded."""
    if not config.distribution_id:
        return RecordedCdn()
    return CloudFrontCdn(config.distribution_id, config.page_distribution_id)
