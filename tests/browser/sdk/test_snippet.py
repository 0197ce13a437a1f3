"""A snippet that is slow or cannot be had: the shop's page does not depend on it."""

import pytest
from playwright.sync_api import BrowserContext, Route

from tests.browser.sdk.configs import experiment, mutate
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

PAGE = html("<h1>Original</h1>")
ASYNC = html("<h1>Original</h1>", tag='<script async src="/s.js"></script>')


@pytest.mark.parametrize("answer", ["aborted", "500", "404", "half"])
def test_snippet_that_fails__leaves_the_page_as_it_is(answer: str, shop: Shop, context: BrowserContext) -> None:
    shop.experiments = [experiment({"mutations": [mutate("h1", "text", text="New")]})]
    shop.page("/", PAGE)

    def fail(route: Route) -> None:
        if answer == "aborted":
            route.abort()
        elif answer == "half":
            route.fulfill(body=shop.snippet()[:-200], content_type="text/javascript")
        else:
            route.fulfill(status=int(answer), body="no", content_type="text/plain")

    context.route("**/s.js", fail)
    page = context.new_page()
    page.goto(shop.url)
    assert page.inner_text("h1") == "Original"
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).opacity") == "1"
    assert page.evaluate("window.svc") is None
    assert shop.attempts == []


def test_async_snippet_that_is_slow__shows_the_page_and_treats_it_later(
    shop: Shop, open_page: Open, context: BrowserContext
) -> None:
    shop.experiments = [experiment({"mutations": [mutate("h1", "text", text="New")]})]
    shop.page("/", ASYNC)
    held: list[Route] = []
    context.route("**/s.js", lambda route: held.append(route))
    page = open_page(until="commit")
    page.wait_for_function("document.querySelector('h1') && document.readyState === 'interactive'")
    assert page.inner_text("h1") == "Original"
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).opacity") == "1"
    assert shop.attempts == []
    held[0].continue_()
    page.wait_for_function("document.querySelector('h1').textContent === 'New'")
    assert len(shop.wait_events("experiment_viewed")) == 1


def test_synchronous_snippet_that_is_slow__holds_the_page_and_shows_no_frame_of_the_original(
    shop: Shop, open_page: Open
) -> None:
    shop.experiments = [experiment({"mutations": [mutate("h1", "text", text="New")]})]
    shop.files["/slow.js"] = ["", shop.snippet()]
    watch = """<script>
      window.frames_ = [];
      (function sample() {
        const h1 = document.querySelector('h1');
        if (h1) frames_.push(h1.textContent);
        requestAnimationFrame(sample);
      })();
      setTimeout(() => { window.during = document.querySelector('h1'); fetch('/gate') }, 700);
    </script>"""
    shop.page("/", html("<h1>Original</h1>", watch, '<script src="/slow.js"></script>'))
    page = open_page()
    page.wait_for_function("frames_.length > 3")
    assert page.evaluate("during") is None
    assert set(page.evaluate("frames_")) == {"New"}
    assert page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") >= 700
    assert len(shop.wait_events("experiment_viewed")) == 1
