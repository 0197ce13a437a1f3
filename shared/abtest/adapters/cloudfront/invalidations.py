"""Invalidations of a CloudFront distribution, by path."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from abtest.adapters import aws
from abtest.ports.cdn import CdnUnavailableError

if TYPE_CHECKING:
    from mypy_boto3_cloudfront.type_defs import InvalidationBatchTypeDef


class CloudFrontCdn:
    """CDN on the distribution with this id."""

    def __init__(self, distribution_id: str) -> None:
        self._distribution_id = distribution_id

    def invalidate(self, paths: Sequence[str], *, reference: str) -> None:
        # For a reference that CloudFront knows, it returns the existing invalidation, so a retry is free.
        batch: InvalidationBatchTypeDef = {
            "Paths": {"Quantity": len(paths), "Items": list(paths)},
            "CallerReference": reference,
        }
        try:
            aws.cloudfront().create_invalidation(DistributionId=self._distribution_id, InvalidationBatch=batch)
        except (BotoCoreError, ClientError) as error:  # throttled, too many, not permitted, no distribution
            raise CdnUnavailableError(str(error)) from error
