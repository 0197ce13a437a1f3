"""Orders to a distribution in moto."""

from typing import Any

import boto3
import pytest

from abtest.adapters.cloudfront import CloudFrontCdn
from abtest.ports.cdn import CdnUnavailableError
from tests.support.moto_stack import AwsStack

PATHS = ["/s/a.js", "/s/a.js?env=staging"]


@pytest.fixture
def distribution(aws_stack: AwsStack) -> tuple[Any, str]:
    client = boto3.client("cloudfront", region_name="us-east-1")
    origin = {"Id": "edge", "DomainName": "edge.example", "CustomOriginConfig": {}}
    origin["CustomOriginConfig"] = {"HTTPPort": 80, "HTTPSPort": 443, "OriginProtocolPolicy": "https-only"}
    behaviour = {"TargetOriginId": "edge", "ViewerProtocolPolicy": "https-only", "MinTTL": 0}
    forwarded = {"QueryString": True, "Cookies": {"Forward": "none"}}
    made = client.create_distribution(
        DistributionConfig={
            "CallerReference": "one",
            "Origins": {"Quantity": 1, "Items": [origin]},
            "DefaultCacheBehavior": {**behaviour, "ForwardedValues": forwarded},
            "Comment": "",
            "Enabled": True,
        }
    )
    return client, made["Distribution"]["Id"]


def test_invalidate__paths__are_ordered_of_the_distribution(distribution: tuple[Any, str]) -> None:
    client, distribution_id = distribution
    CloudFrontCdn(distribution_id).invalidate(PATHS, reference="r1")
    (listed,) = client.list_invalidations(DistributionId=distribution_id)["InvalidationList"]["Items"]
    made = client.get_invalidation(DistributionId=distribution_id, Id=listed["Id"])["Invalidation"]
    assert made["InvalidationBatch"]["CallerReference"] == "r1"
    assert made["InvalidationBatch"]["Paths"]["Items"] == PATHS


@pytest.mark.usefixtures("aws_stack")
def test_invalidate__of_no_distribution__is_to_be_repeated() -> None:
    with pytest.raises(CdnUnavailableError):
        CloudFrontCdn("NONE").invalidate(PATHS, reference="r1")
