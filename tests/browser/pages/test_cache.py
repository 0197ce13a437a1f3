"""The back/forward cache: a page that is kept is run again when it returns, and counts no second exposure.

A debugger keeps pages out of the cache: here Chromium runs by itself, and the pages drive it and report.
"""

import subprocess
from pathlib import Path

import pytest

from tests.browser.sdk.configs import experiment, mutate, pages
from tests.browser.sdk.shop import Shop, html
from tests.support.browser import FLAGS, whole_browser_path

pytestmark = pytest.mark.browser

AWAY = """<script>
  addEventListener('pageshow', (event) => {
    if (event.persisted) setTimeout(() => navigator.sendBeacon('/report', JSON.stringify({events: [{type: 'returned',
      text: document.querySelector('h1').textContent, copies: document.querySelectorAll('i').length}]})), 300);
    else setTimeout(() => { location.href = '/b'; }, 300);
  });
</script>"""
BACK = "<script>addEventListener('pageshow', () => setTimeout(() => history.back(), 300))</script>"


def test_page_that_returns__counts_a_view_and_no_exposure(shop: Shop, tmp_path: Path) -> None:
    mutations = [mutate("h1", "text", text="New"), mutate("h1", "insertAfter", html="<i>+</i>")]
    shop.experiments = [experiment({"mutations": mutations}, pages=pages("\\/a"))]
    shop.page("/a", html("<h1>Original</h1>" + AWAY))
    shop.page("/b", html("<h1>B</h1>" + BACK))
    command = [whole_browser_path(), "--headless=new", *FLAGS, f"--user-data-dir={tmp_path}", f"{shop.url}/a"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
        try:
            [returned] = shop.wait_events("returned")
            shop.wait_events("pageview", 3)
        finally:
            browser.terminate()
    assert (returned["text"], returned["copies"]) == ("New", 1)
    assert [event["url"].removeprefix(shop.url) for event in shop.events("pageview")] == ["/a", "/b", "/a"]
    assert len(shop.events("experiment_viewed")) == 1
