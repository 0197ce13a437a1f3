"""Runtime settings from end to end: what a shop sets over HTTP is what the edge serves to its storefront."""

from time import monotonic, sleep
from typing import Any

import pytest
import requests

from tests.e2e.story import Story, new_shop

pytestmark = pytest.mark.stack


@pytest.fixture
def shop(story: Story) -> Story:
    """A shop of its own: consent that nobody gives would end all other stories."""
    return new_shop(story, "settings.example")


def served(shop: Story, **query: str) -> dict[str, Any]:
    """The `runtime` of the config."""
    answer = requests.get(
        f"{shop.dev['worker_base_url']}/api/exp",
        params={"shopId": shop.dev["shop_id"], "debug": "1", **query},
        timeout=30,
    )
    runtime: dict[str, Any] = answer.json()["runtime"]
    return runtime


def environment(key: str, *domains: str) -> dict[str, Any]:
    return {
        "key": key,
        "name": key.title(),
        "isDefault": key == "production",
        "subSnippetEnabled": bool(domains),
        "domains": list(domains),
    }


def test_settings__written_over_http__are_what_the_edge_serves(shop: Story) -> None:
    untouched = shop.call("GET", "/settings/environments")
    assert untouched["version"] is None
    both = [environment("production"), environment("staging", "stage.settings.example")]
    written = shop.call("PATCH", "/settings/environments", environments={"activeKey": "production", "items": both})
    assert written["precompile"]["status"] == "ok"
    shop.call("PATCH", "/settings/consent", consentMode={"enabled": True, "provider": "provider_b"})
    shop.call("PATCH", "/settings/external-tracking", externalTracking={"domains": ["pay.settings.example"]})
    shop.await_delivery()

    runtime = served(shop)
    assert runtime["environments"] == [{"key": "staging", "domains": ["stage.settings.example"]}]
    assert runtime["consent"]["group"] == "statistics"
    assert runtime["handover"]["domains"] == ["pay.settings.example"]
    snippet = requests.get(f"{shop.dev['worker_base_url']}/s/{shop.dev['shop_id']}.js", timeout=30).text
    for told in ("CookiebotOnAccept", "stage.settings.example", "pay.settings.example", runtime["handover"]["url"]):
        assert told in snippet
    assert served(shop, env="staging")["environment"] == "staging"

    shop.call("PATCH", "/settings/environments", 409, environments={"activeKey": "staging", "items": both})
    shop.call(
        "PATCH",
        "/settings/environments",
        environments={"activeKey": "staging", "items": both},
        expected_version=written["version"],
    )
    assert served(shop)["environment"] == "staging"
    assert served(shop, env="production")["environment"] == "production"


def test_publish__on_demand__rises(shop: Story) -> None:
    first = second = shop.call("POST", "/settings/publish")
    deadline = monotonic() + 60
    # Within a second of a publication, nothing has changed, so its result is repeated.
    while second == first:
        assert monotonic() < deadline
        sleep(0.1)
        second = shop.call("POST", "/settings/publish")
    assert (second["revision"], second["status"]) == (first["revision"] + 1, "published")
