"""Strict content security policies and Trusted Types, `@import`, and scripts of customers that break things."""

import pytest
from playwright.sync_api import Page

from tests.browser.sdk.configs import experiment, mutate, pages
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, chunk_source, html

pytestmark = pytest.mark.browser

NONCE = "r4nd0m"
STRICT = (
    f"default-src 'none'; script-src 'nonce-{NONCE}'; style-src 'self'; connect-src *; "
    "require-trusted-types-for 'script'; trusted-types svc"
)
TAG = f'<script nonce="{NONCE}" src="/s.js"></script>'
H1 = "document.querySelector('h1')"
# Policies are broken silently: the page itself counts what they refuse.
COUNT = f"""<script nonce="{NONCE}">window.refused = [];
  addEventListener('securitypolicyviolation', (e) => refused.push(e.violatedDirective, e.blockedURI));</script>"""


def wait(page: Page, condition: str) -> None:
    """Until it holds; Playwright's own waiting evaluates a text in the page, which a strict policy refuses."""
    look = f"() => {condition} ? done() : requestAnimationFrame(look)"
    page.evaluate(f"new Promise((done) => {{ const look = {look}; look(); }})")


def strict_page(shop: Shop, policy: str = STRICT, body: str = "<h1>Original</h1><ul></ul>") -> None:
    """A page under the policy, with the snippet's nonce."""
    head = f'<meta http-equiv="content-security-policy" content="{policy}">{COUNT}'
    shop.page("/", html(body, head, TAG))


def test_strict_policy__lets_everything_of_a_treatment_through(shop: Shop, open_page: Open) -> None:
    mutations = [
        mutate("h1", "html", html="<b>New</b>"),
        mutate("h1", "style", styles={"margin": "3px"}),
        mutate("h1", "attribute", attributes={"lang": "de"}),
        mutate("ul", "insertBefore", html="<i>+</i>"),
    ]
    js = shop.script(f"{H1}.title = 'ran'")
    shop.experiments = [experiment({"mutations": mutations, "css": "h1{color:rgb(1,2,3)}", "js": js}, js=js)]
    strict_page(shop)
    page = open_page()
    assert page.inner_html("h1") == "<b>New</b>"
    look = f"(e => [e.title, e.lang, getComputedStyle(e).color, getComputedStyle(e).marginTop])({H1})"
    assert page.evaluate(look) == ["ran", "de", "rgb(1, 2, 3)", "3px"]
    assert page.locator("i").count() == 1
    shop.wait_events("experiment_viewed")
    assert page.evaluate("refused") == []
    assert shop.events("sdk_error") == []


def test_strict_policy__lets_an_attribute_of_the_name_style_through_and_takes_it_back(
    shop: Shop, open_page: Open
) -> None:
    mutations = [mutate("h1", "attribute", attributes={"style": "color: rgb(1, 2, 3)"})]
    shop.experiments = [experiment({"mutations": mutations}, pages=pages("/"))]
    strict_page(shop)
    page = open_page()
    look = f"[getComputedStyle({H1}).color, {H1}.getAttribute('style'), refused]"
    assert page.evaluate(look) == ["rgb(1, 2, 3)", "color: rgb(1, 2, 3);", []]
    page.evaluate("history.pushState({}, '', '/other')")
    wait(page, f"{H1}.getAttribute('style') === null")
    assert page.evaluate(f"getComputedStyle({H1}).color") == "rgb(0, 0, 0)"


def test_strict_policy__refuses_styles_in_markup_and_nothing_else_of_it(shop: Shop, open_page: Open) -> None:
    """As docs/storefront.md says: classes, with the styles in `custom_css`, are the way."""
    new = mutate("h1", "html", html='<b class="new" style="color: rgb(9, 9, 9)">New</b>')
    shop.experiments = [experiment({"mutations": [new], "css": ".new{color:rgb(1,2,3)}"})]
    strict_page(shop)
    page = open_page()
    assert page.evaluate(
        "[document.querySelector('b').textContent, getComputedStyle(document.querySelector('b')).color]"
    ) == ["New", "rgb(1, 2, 3)"]
    assert "style-src-attr" in page.evaluate("refused")


def test_strict_policy__lets_chunks_through_that_it_names(shop: Shop, open_page: Open) -> None:
    shop.files["/assets/j.js"] = [chunk_source("j", f"{H1}.title = 'ran'")]
    shop.files["/assets/c.css"] = ["h1{color:rgb(1,2,3)}"]
    shop.experiments = [experiment({"js": shop.chunk("j"), "css": shop.sheet_chunk("c")})]
    strict_page(shop, STRICT.replace("style-src 'self'", f"style-src 'self' http://localhost:{shop.port}"))
    page = open_page()
    wait(page, f"{H1}.title === 'ran'")
    assert page.evaluate(f"getComputedStyle({H1}).color") == "rgb(1, 2, 3)"
    assert page.evaluate("refused") == []
    assert len(shop.wait_events("experiment_viewed")) == 1


def test_policy__that_knows_no_name_of_ours__refuses_variations_with_markup(shop: Shop, open_page: Open) -> None:
    mutations = [mutate("h1", "html", html="<b>New</b>"), mutate("ul", "attribute", attributes={"title": "New"})]
    shop.experiments = [experiment({"mutations": mutations, "css": "h1{color:rgb(1,2,3)}"})]
    strict_page(shop, STRICT.replace("trusted-types svc", "trusted-types theirs"))
    page = open_page()
    assert page.evaluate("document.querySelector('ul').title") == ""
    assert page.evaluate(f"[{H1}.textContent, getComputedStyle({H1}).color]") == ["Original", "rgb(0, 0, 0)"]
    assert shop.wait_events("sdk_error")[0]["data"]["source"] == "mutation"
    shop.wait_events("pageview")
    assert shop.events("experiment_viewed") == []


def test_import_in_css__loads_what_it_names(shop: Shop, open_page: Open) -> None:
    shop.files["/more.css"] = ["h1{margin-top:7px}"]
    shop.experiments = [experiment({"css": "@import url(/more.css); h1{color:rgb(0,0,3)}"})]
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    wait(page, f"getComputedStyle({H1}).marginTop === '7px'")
    assert page.evaluate(f"getComputedStyle({H1}).color") == "rgb(0, 0, 3)"


def test_import_in_css__under_a_strict_policy__keeps_the_rest_of_the_sheet(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment({"css": "@import url(/more.css); h1{color:rgb(0,0,3)}"})]
    strict_page(shop)
    page = open_page()
    assert page.evaluate(f"getComputedStyle({H1}).color") == "rgb(0, 0, 3)"


@pytest.mark.parametrize(
    "harm",
    [
        "window.fetch = () => { throw new Error('no fetch') }",
        "JSON.stringify = () => 'broken'; JSON.parse = () => { throw new Error('no') }",
        "Array.prototype.push = () => { throw new Error('no push') }",
        "Element.prototype.matches = () => { throw new Error('no matches') }",
        "throw new Error('the shop')",
    ],
    ids=["fetch", "JSON", "push", "matches", "throws"],
)
def test_customer_script__that_breaks_things__keeps_no_other_from_running(
    harm: str, shop: Shop, open_page: Open
) -> None:
    shop.experiments = [
        experiment({"js": shop.script(harm)}),
        experiment({"js": shop.script("document.title = 'other'"), "mutations": [mutate("h1", "remove")]}, name="e2"),
    ]
    later = "try { svc.track('later') } catch { document.title = 'harmed' }"
    act = f"<script>addEventListener('load', () => {{ {later} }})</script>"
    shop.page("/", html(f"<h1>Original</h1>{act}"))
    page = open_page()
    assert page.title() == "other"
    counted = {"e2"} if "throw new Error('the shop')" in harm else {"e1", "e2"}
    assert {event["experimentId"] for event in shop.wait_events("experiment_viewed", len(counted))} == counted
    shop.wait_events("custom")
