"""The preview proxy as it is deployed: opened by the API, on DynamoDB and S3 as moto has them, under its policy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from abtest.domain.delivery.manifest import pointer_key
from abtest.domain.preview.session import snippet_key
from abtest.domain.settings.install_domains import claim_name
from abtest.ports.catalog import Claim, Commit
from abtest.wiring.api import management
from tests.support.deployed import DeployedFamily
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context
from tests.support.moto_stack import AwsStack, moto_stack
from tests.support.permissions import Need, allows
from tests.support.previewed import PreviewedShop, served
from tests.support.previewing import event_of, reply_of
from tests.support.template import Stack

LAMP = "<!doctype html><title>Lamp</title><h1>Lamp</h1>"


@pytest.fixture
def local_stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[AwsStack]:
    """A stack whose previews may show pages of this machine."""
    with moto_stack(monkeypatch, {"AllowLoopbackEgress": "true"}) as stack:
        yield stack


@pytest.fixture
def shop() -> Iterator[PreviewedShop]:
    shop = PreviewedShop()
    shop.page("/", LAMP, Set_Cookie="basket=7; Path=/")
    shop.pages["/basket"] = lambda request: (200, {"content-type": "text/plain"}, request.headers["cookie"].encode())
    with served(shop.answer, "127.0.0.1") as host:
        shop.host = host
        yield shop


def test_session__opened_by_the_api__is_shown_with_its_cookies_and_variation_until_it_is_revoked(
    local_stack: AwsStack, shop: PreviewedShop
) -> None:
    family = DeployedFamily.started(local_stack, "ApiExperiments", "api_experiments")
    client = family.client
    name = claim_name("127.0.0.1")
    management().world.catalog.commit(
        Commit(claims=[Claim(scope=None, name=name, target_id="x", target_shop_id=family.tenant.shop.id)])
    )
    draft = client.post("/experiments", {"name": "Draft"}).json()
    opened = client.post("/previews", {"url": f"http://{shop.host}/", "experiment_id": draft["id"]}).json()
    token, shown = opened["token"], opened["variation_id"]
    proxy = fresh_handler(local_stack, "EdgePreview", "edge_preview")

    def ask(path: str, method: str = "GET", body: str = "") -> Any:
        return reply_of(proxy(event_of(method, path, {"content-type": "application/json"}, body), Context()))

    page = ask(f"/api/preview?pst={token}&url=http://{shop.host}/")
    assert (page.status, "<h1>Lamp</h1>" in page.text) == (200, True)
    assert f"/api/preview/snippet?pst={token}" in page.text
    assert ask(f"/api/preview?pst={token}&url=http://{shop.host}/basket").text == "basket=7"
    assert shown in ask(f"/api/preview/snippet?pst={token}").text

    control = next(each["id"] for each in draft["variations"] if each["id"] != shown)
    assert ask(f"/api/preview/state?pst={token}", "POST", f'{{"variation_id": "{control}"}}').status == 204
    assert control in ask(f"/api/preview/snippet?pst={token}").text
    state = ask(f"/api/preview/state?pst={token}").json
    assert (state["variation_id"], state["cookies"]) == (control, ["basket"])

    other = family.calling("ApiExperiments", "api_experiments")
    assert other.delete(f"/previews/{opened['session_id']}").status == 204
    proxy = fresh_handler(local_stack, "EdgePreview", "edge_preview")
    assert ask(f"/api/preview/state?pst={token}").error == (401, "preview_token_invalid")


def test_policy__lets_it_read_snippets_of_previews_and_nothing_else_of_the_bucket() -> None:
    stack = Stack.planned(endpoint="http://127.0.0.1:1")
    statements, attributes = stack.statements("EdgePreview"), stack.resolver.attributes
    bucket, table = attributes["DeliveryBucket"]["Arn"], attributes["EphemeralTable"]["Arn"]

    def may(action: str, resource: str, *keys: str) -> bool:
        return allows(statements, Need(action, resource, keys or ("",)))

    assert may("s3:GetObject", f"{bucket}/{snippet_key('one', 'two')}")
    assert not may("s3:GetObject", f"{bucket}/{pointer_key('one')}")
    assert not may("s3:PutObject", f"{bucket}/{snippet_key('one', 'two')}")
    assert may("dynamodb:PutItem", table, "SESSION#one")
    assert not may("dynamodb:PutItem", table, "NONCE#one")
    assert not may("dynamodb:DeleteItem", table, "SESSION#one")
    assert not any(
        may(action, attributes["CatalogTable"]["Arn"], "S#one#EXP") for action in ("dynamodb:GetItem", "dynamodb:Query")
    )
