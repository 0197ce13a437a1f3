"""The back/forward cache and consent: a page that returns asks again before it does anything."""

import subprocess
from pathlib import Path

import pytest

from abtest.domain.settings.consent_providers import reader_of
from tests.browser.pages.test_cache import BACK
from tests.browser.sdk.shop import Shop, html
from tests.support.browser import FLAGS, whole_browser_path

pytestmark = pytest.mark.browser

GIVEN = "<script>document.cookie = 'given=1; path=/'; allowed = () => document.cookie.includes('given=1')</script>"
TAKEN = "<script>for (const name of ['given', 'svc_v']) document.cookie = name + '=; path=/; max-age=0'</script>"
AWAY = """<script>
  addEventListener('pageshow', (event) => {
    if (event.persisted) setTimeout(() => navigator.sendBeacon('/report', JSON.stringify({events: [{type: 'returned',
      cookies: document.cookie, id: svc.visitorId()}]})), 100);
    else setTimeout(() => { location.href = '/b'; }, 1100);
  });
</script>"""


def test_page_that_returns__where_consent_was_taken_back__leaves_no_trace(shop: Shop, tmp_path: Path) -> None:
    reader = reader_of("custom", "allowed")
    shop.runtime["consent"] = {"read": shop.script(reader.read), "events": list(reader.events), "group": ""}
    shop.page("/a", html("<h1>A</h1>" + AWAY, GIVEN))
    shop.page("/b", html("<h1>B</h1>" + BACK, TAKEN, tag=""))
    command = [whole_browser_path(), "--headless=new", *FLAGS, f"--user-data-dir={tmp_path}", f"{shop.url}/a"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
        try:
            [returned] = shop.wait_events("returned")
        finally:
            browser.terminate()
    assert (returned["cookies"], returned["id"]) == ("", "")
    assert len(shop.events("pageview")) == 1
