"""The CDN: CloudFront where there is a distribution, a line in the log where there is none."""

from abtest.adapters.cloudfront.invalidations import CloudFrontCdn
from abtest.adapters.cloudfront.recorded import RecordedCdn

__all__ = ["CloudFrontCdn", "RecordedCdn"]
