"""The bundle as shoppers get it decides as the server does: same config, same visitor, same page, same moment."""

import json
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.delivery.snippet import render_snippet
from abtest.kit import canonical_json
from abtest.services.publication.code import CheckedScripts
from abtest.storefront import bundle
from tools.conformance.modes import decide_mode
from tools.golden.answers import whole
from tools.golden.questions.decisions import decision_questions

pytestmark = pytest.mark.browser

SHOP = "https://shop.example/"
VISITS = 100
SEED = 20260103
RUNTIME = {
    "currency": "EUR",
    "events_url": f"{SHOP}events",
    "events_signature": "v1.k1.00",
    "environment": "production",
}
LEAST_SEEN = {"assignments": 20, "personalizations": 20, "flags": 40}

Document = dict[str, Any]

# The conditions ask for these; a browser would tell its own where a page does not.
TOLD_BY_BROWSERS: Document = {"device": "tablet", "visits": 3}


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A window on a shop of which every address answers."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def questions() -> Iterator[Document]:
    """Questions that a page can be asked: a real address, an id as the cookie has it, nothing remembered or fired."""
    for each in decision_questions(Random(SEED), VISITS * 100):
        if isinstance(each["visitor"], dict) and isinstance(each["url"], str) and each["url"].startswith(SHOP):
            visitor = each["visitor"] | {"sticky": {}, "triggers": []}
            given = visitor.get("attributes")
            if len(str(visitor.get("id"))) == 32 and isinstance(given, dict) and "customer_id" not in given:
                visitor["attributes"] = TOLD_BY_BROWSERS | given
                if is_text(each["config"]):
                    yield {**each, "config": with_values(each["config"]), "visitor": visitor, "force": {}}


def is_text(config: Document) -> bool:
    """Whether it can be published: a file in UTF-8 has no halves of surrogate pairs."""
    try:
        canonical_json.encode(config)
    except ValueError:
        return False
    return True


def with_values(config: Document) -> Document:
    """Each experience with its own id as value, by which a page can tell which one is shown."""
    those = config.get("personalizations", [])
    told = [each | {"experiences": [one | {"value": one["id"]} for one in each["experiences"]]} for each in those]
    return {**config, "runtime": RUNTIME, "personalizations": told}


def document(asked: Document) -> str:
    """The page: the time, what it tells of its visitor, and the snippet; what was decided is noted at once."""
    visitor, config = asked["visitor"], asked["config"]
    customer = {"customer_id": visitor["customer_id"]} if isinstance(visitor.get("customer_id"), str) else {}
    surface = visitor.get("surface")
    attribute = f' data-surface="{surface}"' if isinstance(surface, str) else ""
    keys = [[flag["key"] for flag in config.get("flags", [])], [each["key"] for each in config["personalizations"]]]
    told = json.dumps(json.dumps([visitor["id"], asked["now"], visitor["attributes"] | customer, keys]))
    snippet = render_snippet(config, bundle, CheckedScripts(QuickJsChecker()), "https://edge.example/s/").text
    return f"""<!doctype html><script{attribute}>
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


def expected_of(asked: Document) -> Document:
    """The same from the server's decision."""
    decided = decide_mode(asked)
    shown = {each["personalization_id"]: each["experience_id"] for each in decided["personalizations"] if each["shown"]}
    config = asked["config"]
    return {
        "visitor": asked["visitor"]["id"],
        "assignments": [_told(each) for each in decided["assignments"] if each["active"]],
        "flags": [decided["flags"][flag["key"]]["value"] for flag in config.get("flags", [])],
        "personalizations": [shown.get(each["id"]) for each in config["personalizations"]],
    }


def _told(assignment: Document) -> Document:
    return {
        "experimentId": assignment["experiment_id"],
        "variationId": assignment["variation_id"],
        "variationIndex": assignment["variation_index"],
        "epoch": assignment["assignment_epoch"],
    }


def test_bundle__on_random_pages_with_random_configs__tells_what_the_server_decides(page: Page) -> None:
    seen = dict.fromkeys(LEAST_SEEN, 0)
    asked_of = list(islice(questions(), 0, VISITS * 5, 5))
    assert len(asked_of) == VISITS
    for asked in asked_of:
        found = seen_by(page, asked)
        assert found == json.loads(json.dumps(expected_of(asked))), json.dumps(asked)
        for kind in seen:
            seen[kind] += any(each is not None for each in found[kind])
    assert {kind: count for kind, count in seen.items() if count < LEAST_SEEN[kind]} == {}
