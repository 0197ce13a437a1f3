"""Next: the documented layout in React's own server rendering and hydration, with the scripts that Next adds to it."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.pages.conftest import installed
from tests.browser.pages.recipes.conftest import Open, Store, block, titles
from tests.browser.sdk.configs import mutate

pytestmark = pytest.mark.browser

RENDER = Path(__file__).parent / "next" / "render.mjs"
CLIENT = "/_next/static/chunks/main.js"
# What `next/script` writes into the page for `beforeInteractive`.
SCRIPT = "<script dangerouslySetInnerHTML={{ __html: '(self.__next_s=self.__next_s||[]).push([\"%s\",{}])' }} />"


def serve(store: Store, layout: str) -> None:
    """Serve the page of a root layout."""
    installed("react-dom")
    code = store.tag.rpartition("<script>")[2].removesuffix("</script>")
    limit = block("Next and React", "ts").replace("/* the code between <script> and </script> */", code)
    done = subprocess.run(
        ["node", RENDER],
        input=json.dumps({"layout": store.filled(layout), "limit": limit}),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    page = json.loads(done.stdout)
    store.shop.files |= {CLIENT: [page["client"]], "/_next/static/css/app.css": ["h1{color:teal}"]}
    store.shop.experiments[0]["variations"][1]["mutations"].append(mutate("h2", "text", text="New price"))
    store.serve(page["html"])


def hydrated(page: Page) -> Page:
    """The page, once React has it and the variation is in the part that comes later."""
    page.wait_for_function("window.hydrated && seen_('h2') === 'New price'")
    return page


def test_layout__with_the_tag__shows_no_frame_of_the_original_through_hydration(store: Store, open_page: Open) -> None:
    serve(store, block("Next and React", "tsx"))
    page = hydrated(open_page())
    for clicks in (1, 2):
        page.click("#buy")
        assert page.inner_text("output") == str(clicks)
    assert titles(page) == ["New title"]
    assert titles(page, 1) == ["New price"]
    assert all("418" in message for message in page.evaluate("recovered"))
    assert len(store.shop.wait_events("experiment_viewed")) == 1
    assert len(store.shop.events("pageview")) == 1
    assert store.shop.events("sdk_error") == []
    assert store.check() == ("bounded", [])


def test_next_script__before_interactive__shows_the_original_first(store: Store, open_page: Open) -> None:
    script = SCRIPT % store.filled("https://<snippet host>/s/<shop id>.js")
    layout = block("Next and React", "tsx")
    serve(store, re.sub(r"<link .*?/>\s*<script async .*?/>\s*<script .*? />", script, layout, flags=re.DOTALL))
    page = hydrated(open_page())
    assert titles(page) == ["Original title", "New title"]
    tag, errors = store.check()
    assert tag is None
    assert "by another script" in errors[0]
