"""The family as it is deployed: the template's handler on DynamoDB and S3, as moto has them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from random import Random

import pytest

from abtest.wiring.settings import settings
from tests.support.client import Client
from tests.support.handlers import Handler, fresh_handler
from tests.support.moto_stack import AwsStack

NOISE = b64encode(Random(1).randbytes(149_000)).decode()  # three of them do not fit into an item, however packed


@pytest.fixture
def author(aws_stack: AwsStack) -> Iterator[Handler]:
    yield fresh_handler(aws_stack, "ApiExperiments", "api_experiments")
    settings.cache_clear()


def test_results__of_an_experiment_larger_than_an_item__are_read(author: Handler, aws_stack: AwsStack) -> None:
    from abtest.services.shops import Shops
    from abtest.wiring.api import management

    base = management()
    wish = {"name": "Shop", "domain": "shop.example", "currency": "EUR"}
    _, minted = Shops(base.world, base.publication).found(base.world.new_id(), wish)
    code = {"experiment_css": NOISE, "experiment_js": f'"{NOISE[::-1]}"', "experiment_reset_js": f"/*{NOISE[7:]}*/"}
    made = Client(author, key=minted.text).post("/experiments", {"name": "x", **code}).json()
    analyst = Client(fresh_handler(aws_stack, "ApiAnalytics", "api_analytics"), key=minted.text)
    for reference in (made["id"], made["public_id"]):
        assert analyst.get(f"/experiments/{reference}/results").json()["computed_at"] is None
    assert analyst.post(f"/experiments/{made['id']}/results", {}, checked=False).status == 405
