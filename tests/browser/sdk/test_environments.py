"""On a host of an environment with a snippet of its own, the snippet fetches that one and does nothing else."""

import json
import re
from collections.abc import Callable

import pytest

from abtest.domain.delivery.sdk_parts import parts_of
from abtest.storefront import bundle
from tests.browser.sdk.configs import experiment
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import SHOP_ID, SIGNATURE, Shop, html
from tests.support.any_json import any_json

pytestmark = pytest.mark.browser

TITLE = "document.querySelector('h1').textContent"


def snippet(shop: Shop, key: str, text: str, hosts: list[str]) -> str:
    """What an environment serves: its own treatment, and the list of environments that all have."""
    config = {
        "shop_id": SHOP_ID,
        "runtime": {
            "environment": key,
            "events_url": f"http://localhost:{shop.port}/events",
            "events_signature": SIGNATURE,
            "environments": [{"key": "staging", "domains": hosts}],
        },
        "experiments": [experiment({"mutations": [{"selector": "h1", "action": "text", "text": text}]})],
    }
    return f"{bundle(parts_of(any_json(config)))}({json.dumps(config)},[]);"


@pytest.fixture
def open_with(shop: Shop, open_page: Open) -> Callable[..., list[str]]:
    """Opens a page on a staging host with this tag; the snippets that were asked for, in order."""

    def open_tag(tag: str, hosts: list[str], both: str = "staging") -> list[str]:
        asked: list[str] = []
        page = open_page("/blank")
        shop.page(
            "/", html("<h1>Old</h1><script>window.parsed = document.querySelector('h1').textContent</script>", tag=tag)
        )

        def serve(route: object, request: object) -> None:
            address = request.url  # type: ignore[attr-defined]
            asked.append(address.removeprefix(shop.url))
            is_staging = "env=staging" in address
            text = "Staging" if is_staging else "Production"
            body = snippet(shop, both if is_staging else "production", text, hosts)
            route.fulfill(body=body, content_type="text/javascript")  # type: ignore[attr-defined]

        page.route(re.compile(r"/e\.js"), serve)
        page.goto(shop.url)
        page.wait_for_function(f"window.svc && {TITLE} !== 'Old'")
        asked.append(page.evaluate(TITLE))
        asked.append(page.evaluate("window.parsed"))
        assert page.evaluate(
            "[...document.scripts].every((each) => !each.src || each.dataset.x === document.scripts[0].dataset.x)"
        )
        return asked

    shop.page("/blank", "<!doctype html>")
    return open_tag


HERE = ["127.0.0.1"]


def test_host__of_an_environment__runs_its_snippet_before_anything_is_seen(open_with: Callable[..., list[str]]) -> None:
    found = open_with('<script src="/e.js?a=1" data-x="kept"></script>', HERE)
    assert found == ["/e.js?a=1", "/e.js?a=1&env=staging", "Staging", "Staging"]


def test_host__by_name_and_port__is_one(shop: Shop, open_with: Callable[..., list[str]]) -> None:
    assert open_with('<script src="/e.js"></script>', [f"127.0.0.1:{shop.port}"])[1] == "/e.js?env=staging"


@pytest.mark.parametrize("how", ["async", "defer"])
def test_install__that_does_not_wait__fetches_it_as_well(open_with: Callable[..., list[str]], how: str) -> None:
    assert open_with(f'<script {how} src="/e.js"></script>', HERE)[:3] == ["/e.js", "/e.js?env=staging", "Staging"]


def test_other_host__runs_what_it_has(open_with: Callable[..., list[str]]) -> None:
    assert open_with('<script src="/e.js"></script>', ["stage.shop.example"])[:2] == ["/e.js", "Production"]


def test_snippet__that_is_asked_for_by_name__never_asks_again(open_with: Callable[..., list[str]]) -> None:
    found = open_with('<script src="/e.js?env=staging"></script>', HERE, both="production")
    assert found[:2] == ["/e.js?env=staging", "Staging"], "even where it says it is another one"


def test_policy__of_trusted_types__is_kept(shop: Shop, open_page: Open) -> None:
    policy = '<meta http-equiv="Content-Security-Policy" content="require-trusted-types-for \'script\'">'
    shop.page("/", html("<h1>Old</h1>", tag=f'{policy}<script src="/e.js"></script>'))
    shop.page("/blank", "<!doctype html>")
    page = open_page("/blank")
    page.route(re.compile(r"/e\.js"), lambda route: route.fulfill(
        body=snippet(shop, "staging" if "env=" in route.request.url else "production",
                     "Staging" if "env=" in route.request.url else "Production", HERE),
        content_type="text/javascript",
    ))  # fmt: skip
    page.goto(shop.url)
    page.wait_for_selector("h1:text('Staging')")
