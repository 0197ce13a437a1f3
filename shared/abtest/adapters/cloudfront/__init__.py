"""CDN on CloudFront, and a log line for each invalidation where there is no distribution."""

from abtest.adapters.cloudfront.invalidations import CloudFrontCdn
from abtest.adapters.cloudfront.recorded import RecordedCdn

__all__ = ["CloudFrontCdn", "RecordedCdn"]
