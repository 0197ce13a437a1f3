"""Orders to a distribution in moto."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from abtest.adapters import aws
from abtest.adapters.cloudfront import CloudFrontCdn
from abtest.ports.cdn import CdnRefusedError, CdnUnavailableError
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


HOST = "guide.shop.example"
REFUSED = ["InvalidArgument", "BatchTooLarge"]
REPEATED = ["TooManyInvalidationsInProgress", "AccessDenied", "NoSuchDistribution"]


@pytest.fixture
def stubbed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stubber]:
    """CloudFront by its own description of the API, because moto has no tenants."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    client = boto3.client("cloudfront", region_name="us-east-1")
    monkeypatch.setattr(aws, "cloudfront", lambda: client)
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


def batch(reference: str) -> dict[str, Any]:
    return {"Paths": {"Quantity": len(PATHS), "Items": PATHS}, "CallerReference": reference}


def answer_tenant(stubbed: Stubber, distribution_id: str) -> None:
    tenant = {"Id": "dt_1", "DistributionId": distribution_id}
    stubbed.add_response("get_distribution_tenant_by_domain", {"DistributionTenant": tenant}, {"Domain": HOST})


def test_invalidate__host_of_a_customer__is_ordered_of_its_tenant(stubbed: Stubber) -> None:
    answer_tenant(stubbed, "PAGES")
    expected = {"Id": "dt_1", "InvalidationBatch": batch("r1")}
    stubbed.add_response("create_invalidation_for_distribution_tenant", {}, expected)
    CloudFrontCdn("EDGE", "PAGES").invalidate(PATHS, reference="r1", host=HOST)


@pytest.mark.parametrize("owner", [None, "ANOTHER"])
def test_invalidate__host_of_no_tenant__is_ordered_of_the_edge(stubbed: Stubber, owner: str | None) -> None:
    if owner is None:
        stubbed.add_client_error("get_distribution_tenant_by_domain", "EntityNotFound", http_status_code=404)
    else:
        answer_tenant(stubbed, owner)
    stubbed.add_response("create_invalidation", {}, {"DistributionId": "EDGE", "InvalidationBatch": batch("r1")})
    CloudFrontCdn("EDGE", "PAGES").invalidate(PATHS, reference="r1", host=HOST)


def test_invalidate__without_tenants__asks_for_none(stubbed: Stubber) -> None:
    stubbed.add_response("create_invalidation", {}, {"DistributionId": "EDGE", "InvalidationBatch": batch("r1")})
    CloudFrontCdn("EDGE").invalidate(PATHS, reference="r1", host=HOST)


def test_invalidate__tenant_unknown_because_refused__is_to_be_repeated(stubbed: Stubber) -> None:
    stubbed.add_client_error("get_distribution_tenant_by_domain", "AccessDenied", http_status_code=403)
    with pytest.raises(CdnUnavailableError):
        CloudFrontCdn("EDGE", "PAGES").invalidate(PATHS, reference="r1", host=HOST)


@pytest.mark.parametrize("code", [*REFUSED, *REPEATED])
def test_invalidate__that_no_repetition_can_mend__is_refused(stubbed: Stubber, code: str) -> None:
    stubbed.add_client_error("create_invalidation", code, http_status_code=400)
    with pytest.raises(CdnUnavailableError) as caught:
        CloudFrontCdn("EDGE").invalidate(PATHS, reference="r1")
    assert isinstance(caught.value, CdnRefusedError) == (code in REFUSED)
