"""The snippet of a preview: it shows the variation to everybody, where it belongs, and sends and keeps nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.preview.session import snippet_key
from abtest.ports.catalog import Commit
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.publication.preview_snippets import PreviewSnippets
from abtest.storefront import bundle
from tests.support.previewed import PreviewedShop, served
from tests.support.previewing import BLUE, SESSION_ID, Proxy, proxied_shop
from tests.support.storefronts import SHOP_ID, Storefront, experiment, variation

pytestmark = pytest.mark.browser

NEW = {"selector": "h1", "action": "text", "text": "New"}
PAGE = "<!doctype html><title>{0}</title><h1>Old</h1><a href=/lamps>Lamps</a>"
ROBOT = "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/130.0.0.0"


def snippet(**changes: Any) -> str:
    """Text of the snippet of a draft with these changes."""
    storefront = Storefront()
    kind = "redirect" if "redirect_url" in changes else "mutation"
    arms = variation(0), variation(1, **changes)
    draft = replace(experiment(status="draft", started_at=None, delivery_type=kind), variations=arms)
    storefront.catalog.commit(Commit(puts=[EXPERIMENTS.put(draft)]))
    made = PreviewSnippets(
        catalog=storefront.catalog, checker=QuickJsChecker(), bundle=bundle, worker_base_url="https://edge.example"
    )
    return made.of(SHOP_ID, draft.id, arms[1].id).text


@pytest.fixture
def shop() -> Iterator[PreviewedShop]:
    shop = PreviewedShop()
    for path in ("/", "/lamps", "/sale"):
        shop.page(path, PAGE.format(path))
    with served(shop.answer, "shop.example") as host:
        shop.host = host
        yield shop


@contextmanager
def previewed(shop: PreviewedShop, **changes: Any) -> Iterator[Proxy]:
    """Serve a preview of a variation with these changes."""
    with proxied_shop(shop, with_experiment=True) as proxy:
        text = snippet(**changes).encode()
        proxy.preview.files.put(snippet_key(SESSION_ID, BLUE), text, content_type="application/javascript")
        yield proxy


def test_preview__opened_by_a_robot__shows_the_variation_and_sends_and_keeps_nothing(
    browser: Browser, shop: PreviewedShop
) -> None:
    context = browser.new_context(user_agent=ROBOT)
    context.add_init_script("Object.defineProperty(navigator, 'webdriver', { get: () => true })")
    page = context.new_page()
    requests: list[tuple[str, str]] = []
    page.on("request", lambda request: requests.append((request.method, request.url)))
    with previewed(shop, mutations=(NEW,)) as proxy:
        page.goto(proxy.address("/"))
        expect(page.locator("h1")).to_have_text("New")
        page.evaluate("svc.track('order', { orderId: '1', revenue: 5 })")
        page.click("a")
        expect(page).to_have_title("/lamps")
        expect(page.locator("h1")).to_have_text("New")
        page.goto("about:blank")  # what waits is sent when a page is left
        page.wait_for_timeout(500)
        assert {(method, url.partition("?")[0]) for method, url in requests if url != "about:blank"} == {
            ("GET", f"{proxy.base}/api/preview"),
            ("GET", f"{proxy.base}/api/preview/snippet"),
        }
        page.goto(proxy.address("/"))
        assert page.evaluate("[document.cookie, localStorage.length]") == ["", 0]
    context.close()


def test_block__of_a_page__shows_there_only_and_follows_the_address(page: Page, shop: PreviewedShop) -> None:
    block = {"id": "b", "name": "Lamps", "urlRules": [{"type": "simple", "pattern": "/lamps"}], "mutations": [NEW]}
    with previewed(shop, url_blocks=(block,)) as proxy:
        page.goto(proxy.address("/"))
        expect(page.locator("h1")).to_have_text("Old")
        page.evaluate("history.pushState(null, '', '/lamps')")
        expect(page.locator("h1")).to_have_text("New")
        page.go_back()
        expect(page.locator("h1")).to_have_text("Old")
        page.goto(proxy.address("/lamps"))
        expect(page.locator("h1")).to_have_text("New")


def test_redirect__to_a_page_of_the_shop__stays_in_the_preview(page: Page, shop: PreviewedShop) -> None:
    with previewed(shop, redirect_url="/sale") as proxy:
        page.goto(proxy.address("/?size=1"))
        expect(page).to_have_title("/sale")
        assert page.evaluate("document.URL") == f"http://{shop.host}/sale?size=1"
        assert page.url.startswith(proxy.base)


def test_redirect__in_a_circle__ends(page: Page, shop: PreviewedShop) -> None:
    shop.pages["/sale"] = lambda _: (302, {"location": "/"}, b"")
    with previewed(shop, redirect_url="/sale") as proxy:
        page.goto(proxy.address("/"))
        page.wait_for_timeout(1000)
        expect(page).to_have_title("/")
        assert 1 <= len(shop.requests_of("/sale")) <= 3


def test_redirect__to_another_host__is_not_followed(page: Page, shop: PreviewedShop) -> None:
    with previewed(shop, redirect_url="https://elsewhere.example/") as proxy:
        page.goto(proxy.address("/"))
        page.wait_for_timeout(300)
        assert page.evaluate("document.URL") == f"http://{shop.host}/"


def test_snippet__on_the_shop_s_own_page__works_by_the_page_s_address(page: Page) -> None:
    block = {"id": "b", "name": "Lamps", "urlRules": [{"type": "simple", "pattern": "/lamps"}], "mutations": [NEW]}
    text = snippet(url_blocks=(block,))
    shop = PreviewedShop()
    for path in ("/", "/lamps"):
        shop.page(path, f"<!doctype html><script>{text}</script><h1>Old</h1>")
    with served(shop.answer, "127.0.0.1") as host:
        for path, heading in (("/", "Old"), ("/lamps", "New")):
            page.goto(f"http://{host}{path}")
            expect(page.locator("h1")).to_have_text(heading)
        assert page.evaluate("[document.cookie, localStorage.length]") == ["", 0]
