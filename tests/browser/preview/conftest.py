"""A console of another origin, which shows previews in a frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Frame, Page

from tests.support.previewed import served

CONSOLE = """<!doctype html><title>console</title><iframe id=frame width=1200 height=700></iframe><script>
  window.heard = [];
  addEventListener('message', (event) => heard.push({ ...event.data, origin: event.origin }));
  window.order = (command) => frame.contentWindow.postMessage({ source: 'svc-preview', ...command }, '*');
  window.show = (address) => new Promise((done) => { frame.onload = done; frame.src = address; });
</script>"""


@pytest.fixture(scope="package")
def console() -> Iterator[str]:
    """Address of the console."""
    page = {"content-type": "text/html"}
    with served(lambda _: (200, page, CONSOLE.encode()), "localhost") as host:
        yield f"http://{host}/"


@pytest.fixture
def page(browser: Browser, console: str) -> Iterator[Page]:
    """The console in a profile of its own, without a preview yet."""
    context = browser.new_context()
    context.set_default_timeout(10_000)
    page = context.new_page()
    page.goto(console)
    yield page
    context.close()


def shown(page: Page, *addresses: str) -> Frame:
    """Show addresses one after the other; returns the frame with the last one."""
    for address in addresses:
        page.evaluate("show", address)
    frame = page.frames[1]
    frame.wait_for_load_state()
    return frame


def heard(page: Page, kind: str) -> list[dict[str, Any]]:
    """Return the messages of one kind that the preview has posted."""
    return [one for one in page.evaluate("heard") if one["type"] == kind]
