"""The config function on the template's bucket and tables."""

import json
from base64 import b64decode

import brotli

from tests.support.delivered import flag, keep
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, http, sample
from tests.support.moto_stack import AwsStack
from tests.support.published import PublishedShop
from tests.support.storefronts import SHOP_ID, experiment


def test_function__given_its_sample_events__answers_them(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    shop.keep(experiment())
    assert shop.publish().ok
    handler = fresh_handler(aws_stack, "EdgeConfig", "edge_config")

    public = handler(sample("edge_config__public"), Context())
    assert public["statusCode"] == 200
    config = json.loads(brotli.decompress(b64decode(public["body"])))
    assert [each["name"] for each in config["experiments"]] == ["Experiment 1"]
    assert config["runtime"]["events_url"].endswith("/events")

    tag = public["headers"]["ETag"]
    assert handler(http("edge_config__public", headers={"if-none-match": tag}), Context())["statusCode"] == 304
    assert handler(sample("edge_config__qa"), Context())["headers"]["X-Service-Config-Cache"] == "bypass"
    assert handler(sample("edge_config__preflight"), Context())["statusCode"] == 204


def test_function__asked_for_an_environment__serves_that_one(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    shop.keep(experiment())
    keep(shop.catalog, flag(environment_key="staging"))
    assert shop.publish().ok
    handler = fresh_handler(aws_stack, "EdgeConfig", "edge_config")
    for name in ("env", "environment"):
        staging = handler(http("edge_config__public", query={"shopId": SHOP_ID, name: "staging"}), Context())
        config = json.loads(brotli.decompress(b64decode(staging["body"])))
        assert (config["runtime"]["environment"], config["flags"][0]["key"]) == ("staging", "flag-1")
    unknown = handler(http("edge_config__public", query={"shopId": SHOP_ID, "env": "preview"}), Context())
    assert (unknown["statusCode"], json.loads(unknown["body"])["error"]) == (404, "not_found")


def test_function__for_a_shop_that_was_never_published__says_not_found(aws_stack: AwsStack) -> None:
    handler = fresh_handler(aws_stack, "EdgeConfig", "edge_config")
    answer = handler(http("edge_config__public", query={"shopId": SHOP_ID}), Context())
    assert (answer["statusCode"], json.loads(answer["body"])["error"]) == (404, "not_found")


def test_function__when_the_bucket_is_gone__serves_what_it_has(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    shop.publish()
    handler = fresh_handler(aws_stack, "EdgeConfig", "edge_config")
    handler(sample("edge_config__qa"), Context())
    bucket = aws_stack.name("DeliveryBucket")
    for version in aws_stack.clients.s3.list_object_versions(Bucket=bucket)["Versions"]:
        aws_stack.clients.s3.delete_object(Bucket=bucket, Key=version["Key"], VersionId=version["VersionId"])
    aws_stack.clients.s3.delete_bucket(Bucket=bucket)
    answer = handler(sample("edge_config__qa"), Context())
    assert (answer["statusCode"], answer["headers"]["X-Service-Config-Cache"]) == (200, "stale")
