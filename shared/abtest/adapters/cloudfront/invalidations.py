"""Invalidations of a CloudFront distribution and of the tenants that serve hosts of customers, by path."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from abtest.adapters import aws
from abtest.ports.cdn import CdnRefusedError, CdnUnavailableError

if TYPE_CHECKING:
    from mypy_boto3_cloudfront.type_defs import InvalidationBatchTypeDef

_REFUSALS = frozenset({"BatchTooLarge", "InconsistentQuantities", "InvalidArgument", "MissingBody"})
"""Codes of errors that are in the order itself. All others can end: an operator adds a distribution or a permission."""


class CloudFrontCdn:
    """CDN on the distribution with this id; hosts of customers are tenants of the other one, if there is one."""

    def __init__(self, distribution_id: str, page_distribution_id: str = "") -> None:
        self._distribution_id = distribution_id
        self._page_distribution_id = page_distribution_id

    def invalidate(self, paths: Sequence[str], *, reference: str, host: str | None = None) -> None:
        # For a reference that CloudFront knows, it returns the existing invalidation, so a retry is free.
        batch: InvalidationBatchTypeDef = {
            "Paths": {"Quantity": len(paths), "Items": list(paths)},
            "CallerReference": reference,
        }
        try:
            tenant_id = self._tenant_id(host) if host and self._page_distribution_id else None
            if tenant_id is not None:
                aws.cloudfront().create_invalidation_for_distribution_tenant(Id=tenant_id, InvalidationBatch=batch)
            else:
                aws.cloudfront().create_invalidation(DistributionId=self._distribution_id, InvalidationBatch=batch)
        except ClientError as error:  # throttled, too many, not permitted, no distribution
            is_refused = error.response["Error"]["Code"] in _REFUSALS
            raise (CdnRefusedError if is_refused else CdnUnavailableError)(str(error)) from error
        except BotoCoreError as error:
            raise CdnUnavailableError(str(error)) from error

    def _tenant_id(self, host: str) -> str | None:
        """The tenant of a host; None for a host of the edge's own distribution, or one without a CDN."""
        try:
            tenant = aws.cloudfront().get_distribution_tenant_by_domain(Domain=host)["DistributionTenant"]
        except ClientError as error:
            if error.response["Error"]["Code"] == "EntityNotFound":
                return None
            raise
        return tenant["Id"] if tenant["DistributionId"] == self._page_distribution_id else None
