"""Landing pages of the running stack under load: each view is one whole version, through all flips of an address."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from threading import Event
from time import monotonic, sleep
from typing import Any

import pytest
import requests
from playwright.sync_api import Browser

from tests.e2e.story import Story, new_shop
from tests.support.sizes import sized
from tools.local.landing import add_version, caller, claim_host, page_of

pytestmark = [pytest.mark.stack]

DOMAIN = "flips.example"
PATH = "/morning"
FLIPS = sized(50, 15)
THREADS = 4
VIEWS_A_SECOND = 200
ONLINE_SECONDS = 5
"""Far more than the second and a half that is promised: the machine of a test is busy with other tests."""


@dataclass(frozen=True)
class View:
    """One view: the body's hash, the tag, the version and the publish of its headers, when it began and ended."""

    body: str
    tag: str
    heading: str
    version: str
    publish_id: str
    began: float
    ended: float


@pytest.fixture(scope="module")
def shop(stack: dict[str, Any]) -> Story:
    return new_shop(Story(stack), DOMAIN)


def published(shop: Story) -> tuple[str, dict[str, str]]:
    """Publish a page twice; return its id, and the heading of each publish."""
    call = caller(shop.dev)
    claim_host(call)
    page = page_of(call, PATH[1:], "Morning")
    headings = {}
    for heading in ("A quiet morning", "A busy morning"):
        version_id = add_version(call, page["id"], heading)
        publish = call("POST", f"/landing-pages/{page['id']}/publish", {"version_id": version_id})
        headings[publish["id"]] = heading
    return page["id"], headings


class Visitors:
    """Threads that open the page, together so many times a second, until the test is over."""

    def __init__(self, shop: Story) -> None:
        self.address = f"{shop.dev['worker_base_url']}{PATH}"
        self.views: list[View] = []
        self.over = Event()

    def run(self, _number: int) -> None:
        """Open the page again and again."""
        due = monotonic()
        with requests.Session() as session:
            while not self.over.is_set():
                self.views.append(self.view(session))
                due += THREADS / VIEWS_A_SECOND
                sleep(max(0.0, due - monotonic()))

    def view(self, session: requests.Session) -> View:
        """Open the page once."""
        began = monotonic()
        answer = session.get(self.address, headers={"Host": DOMAIN, "Accept-Encoding": "gzip"}, timeout=30)
        ended = monotonic()
        assert answer.status_code == 200, answer.text
        heading = re.search("<h1[^>]*>([^<]+)</h1>", answer.text)
        assert heading
        return View(
            body=sha256(answer.content).hexdigest(),
            tag=answer.headers["ETag"],
            heading=heading[1],
            version=answer.headers["x-svc-landing-page-version"],
            publish_id=answer.headers["x-svc-landing-page-publish-id"],
            began=began,
            ended=ended,
        )


def test_flips__under_load__show_each_visitor_one_whole_version(shop: Story) -> None:
    page_id, headings = published(shop)
    visitors, flips = Visitors(shop), []
    with ThreadPoolExecutor(THREADS) as pool:
        running = [pool.submit(visitors.run, number) for number in range(THREADS)]
        try:
            for number in range(FLIPS):
                source = list(headings)[number % 2]
                shop.call("POST", f"/landing-pages/{page_id}/rollback", publish_id=source)
                (newest,) = shop.call("GET", f"/landing-pages/{page_id}/publishes?limit=1")["data"]
                headings[newest["id"]] = headings[source]
                flips.append((newest["id"], monotonic()))
            until = monotonic() + ONLINE_SECONDS
            while visitors.views[-1].publish_id != flips[-1][0] and monotonic() < until:
                sleep(0.05)
        finally:
            visitors.over.set()
        for each in running:
            each.result()
    assert len(visitors.views) > FLIPS * 10
    for view in visitors.views:
        assert view.tag.startswith(f'"{view.body}')
        assert view.heading == headings.get(view.publish_id, view.heading)
        assert view.version == {"A quiet morning": "1", "A busy morning": "2"}[view.heading]
    order = {publish_id: place for place, publish_id in enumerate(headings)}
    for publish_id, online in flips:
        late = [each for each in visitors.views if each.began > online and order[each.publish_id] < order[publish_id]]
        assert max((each.began - online for each in late), default=0.0) < ONLINE_SECONDS


@pytest.mark.browser
def test_page__of_any_host__opens_in_a_browser_of_this_machine(shop: Story, browser: Browser) -> None:
    published(shop)
    problems: list[str] = []
    with browser.new_context() as context:
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        port = shop.dev["worker_base_url"].rpartition(":")[2]
        answer = page.goto(f"http://{DOMAIN}.localhost:{port}{PATH}")
        assert answer is not None
        assert answer.status == 200
        assert answer.headers["x-svc-edge"] == "landing-page"
        assert page.inner_text("h1") in ("A quiet morning", "A busy morning")
        assert page.get_attribute("link[rel=canonical]", "href") == f"https://{DOMAIN}{PATH}"
        missing = page.goto(f"http://{DOMAIN}.localhost:{port}/nothing")
        assert missing is not None
        assert (missing.status, page.inner_text("h1")) == (404, "Page not found")
    assert [each for each in problems if "404" not in each] == []
