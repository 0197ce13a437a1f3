"""The bundle as shoppers get it decides in Chromium as the server does; Node answers all questions in tests/golden."""

import json
from collections.abc import Iterator
from html import escape
from itertools import islice

import pytest
from playwright.sync_api import Browser, Page, Route

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.delivery.snippet import render_snippet
from abtest.services.publication.code import CheckedScripts
from abtest.storefront import bundle
from tests.golden.bundle_questions import Document, bundle_questions, expected_of
from tests.support.sizes import sized
from tools.golden.answers import whole

pytestmark = pytest.mark.browser

VISITS = sized(100, 10)
LEAST_SEEN = sized(
    {"assignments": 20, "personalizations": 20, "flags": 40}, {"assignments": 2, "personalizations": 2, "flags": 4}
)


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A window on a shop of which every address answers."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def document(asked: Document) -> str:
    """The page: the time, what it tells of its visitor, and the snippet; what was decided is noted at once."""
    visitor, config = asked["visitor"], asked["config"]
    customer = {"customer_id": visitor["customer_id"]} if isinstance(visitor.get("customer_id"), str) else {}
    surface = visitor.get("surface")
    attribute = f' data-surface="{surface}"' if isinstance(surface, str) else ""
    keys = [[flag["key"] for flag in config.get("flags", [])], [each["key"] for each in config["personalizations"]]]
    told = json.dumps(json.dumps([visitor["id"], asked["now"], visitor["attributes"] | customer, keys]))
    snippet = render_snippet(config, bundle, CheckedScripts(QuickJsChecker()), "https://edge.example/s/").text
    marks = [f'<meta name="svc-served" content="{escape(":".join(mark))}">' for mark in visitor["served"].items()]
    return f"""<!doctype html>{"".join(marks)}<script{attribute}>
      const [id, time, given, [flags, placements]] = JSON.parse({told.replace("<", chr(92) + "u003c")});
      Date.now = () => time;
      document.cookie = `svc_v=${{id}}.; path=/; secure`;
      window.svc = given;
      {snippet}
      window.seen = JSON.stringify({{
        visitor: svc.visitorId(),
        assignments: svc.assignments(),
        flags: flags.map((key) => svc.flag(key) ?? null),
        personalizations: placements.map((key) => svc.personalization(key) ?? null),
      }}).replace(/[^ -~]/g, (unit) => '\\\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'));
    </script>"""


def seen_by(page: Page, asked: Document) -> Document:
    """What the page's own code is told."""

    def serve(route: Route) -> None:
        route.fulfill(body=document(asked), content_type="text/html; charset=utf-8")

    page.route("**/*", serve)
    page.goto("about:blank")  # or the same address with a fragment would be no new page
    page.goto(asked["url"])
    found: Document = json.loads(page.evaluate("seen"), parse_int=whole)
    page.unroute("**/*")
    return found


def test_bundle__on_random_pages_with_random_configs__tells_what_the_server_decides(page: Page) -> None:
    seen = dict.fromkeys(LEAST_SEEN, 0)
    asked_of = list(islice(bundle_questions(), 0, VISITS * 5, 5))
    assert len(asked_of) == VISITS
    for asked in asked_of:
        found = seen_by(page, asked)
        assert found == json.loads(json.dumps(expected_of(asked))), json.dumps(asked)
        for kind in seen:
            seen[kind] += any(each is not None for each in found[kind])
    assert {kind: count for kind, count in seen.items() if count < LEAST_SEEN[kind]} == {}
