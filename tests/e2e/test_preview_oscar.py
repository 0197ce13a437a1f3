"""The software of another shop, shopped through the preview of a draft in a frame of another origin: django-oscar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Frame, expect

from tests.e2e.console.editing import draft, edited, without_addresses
from tests.e2e.oscar.server import running_shop
from tests.e2e.story import Story
from tests.support.console_page import Console
from tests.support.previewed import served

pytestmark = [pytest.mark.browser, pytest.mark.stack]
NOTEBOOK = "Notebook with dotted pages"
PROMISE = "The notebook for long days"
CHANGES: list[dict[str, Any]] = [
    {"selector": ".product_main h1", "action": "text", "text": "Pages & <dots>"},
    {"selector": ".breadcrumb li:first-child", "action": "setText", "text": "Start"},
    {"selector": ".availability", "action": "html", "html": "<b>Here</b> until Sunday"},
    {"selector": ".product_main h1", "action": "style", "styles": {"backgroundColor": "rgb(1, 2, 3)", "margin": "7px"}},
    {"selector": ".price_color", "action": "setStyle", "styles": {"color": "rgb(4, 5, 6)"}},
    {"selector": ".add-to-basket button", "action": "attribute", "attributes": {"title": "Take it"}},
    {"selector": ".product_page", "action": "insertBefore", "html": "<p class='before'>Before</p>"},
    {"selector": ".product_main h1", "action": "insertAfter", "html": "<p class='after'>After</p>"},
    {"selector": "footer", "action": "remove"},
]
# Scripts and hidden fields are the page's own: the proxy has fields of its own in forms, and the shop tokens.
MARKUP = """() => document.querySelector("#default").outerHTML
  .replace(/<script.*?<\\/script>|<!--.*?-->| data-svc="[^"]*"|<input type="hidden"[^>]*>/gs, "")
  .replace(/\\s+/g, " ")"""


@pytest.fixture(scope="module")
def oscar(stack: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Origin of the shop, with the snippet in every page."""
    snippet = f"{stack['worker_base_url']}/s/{stack['shop_id']}.js"
    with running_shop(tmp_path_factory.mktemp("previewed"), snippet) as product:
        parts = urlsplit(product)
        yield f"{parts.scheme}://{parts.netloc}"


@pytest.fixture
def console() -> Iterator[str]:
    """Address of a page of another origin, with a frame."""
    page = b"<!doctype html><title>console</title><iframe width=1200 height=700></iframe>"
    with served(lambda _: (200, {"content-type": "text/html"}, page), "localhost") as host:
        yield f"http://{host}/"


def opened(story: Story, url: str) -> Any:
    """Open a session of a draft that changes the name of each product."""
    story.claim_domain()
    mutation = {"selector": ".product_main h1", "action": "text", "text": PROMISE}
    draft = story.call(
        "POST",
        "/experiments",
        201,
        name="A name with a promise",
        variations=[
            {"name": "Control", "weight": 0.5, "is_control": True},
            {"name": "Promise", "weight": 0.5, "is_control": False, "mutations": [mutation]},
        ],
    )
    return story.call("POST", "/previews", 201, url=url, experiment_id=draft["id"])


def follow(frame: Frame, selector: str) -> None:
    """Click, and wait for the next page."""
    with frame.expect_navigation():
        frame.click(selector)
    frame.wait_for_function("window.__svcPreview")


def visit(frame: Frame, path: str) -> None:
    """Go to a page of the shop by its own address, as a script of the page would."""
    with frame.expect_navigation():
        frame.evaluate("path => location.assign(path)", path)
    frame.wait_for_function("window.__svcPreview")


def test_draft__on_the_software_of_another_shop__is_shopped_through_by_one_session(
    story: Story, oscar: str, console: str, browser: Browser
) -> None:
    session = opened(story, f"{oscar}/")
    context = browser.new_context()
    page = context.new_page()
    outside: list[str] = []
    origin = f"{urlsplit(session['preview_url']).scheme}://{urlsplit(session['preview_url']).netloc}"
    page.on("request", lambda request: outside.append(request.url) if not request.url.startswith(origin) else None)
    page.goto(console)
    page.evaluate("address => { document.querySelector('iframe').src = address }", session["preview_url"])
    page.wait_for_function("document.querySelector('iframe').contentWindow.length === 0")
    frame = page.frames[1]
    frame.wait_for_function("window.__svcPreview")

    frame.fill("#id_q", "notebook")
    follow(frame, "form:has(#id_q) [type=submit]")
    assert frame.evaluate("document.URL") == f"{oscar}/search/?q=notebook"
    follow(frame, ".product_pod h3 a")
    expect(frame.locator(".product_main h1")).to_have_text(PROMISE)
    follow(frame, ".add-to-basket button")
    follow(frame, "button[onclick*=basket]")
    expect(frame.locator("#content_inner")).to_contain_text(NOTEBOOK)

    follow(frame, "a[href*='checkout']")
    frame.fill("input[name=username]", "ada@shop.example")
    frame.check("input[value=anonymous]")
    follow(frame, "button[type=submit]:has-text('Continue')")
    expect(frame.locator("input[name=first_name]")).to_be_visible()

    visit(frame, "/accounts/login/")
    frame.fill("#login_form input[name=login-username]", "ada@shop.example")
    frame.fill("#login_form input[type=password]", "not-her-password")
    follow(frame, "#login_form button[type=submit]")
    # The shop has taken the form, with its protection against forged ones, and knows no such customer.
    expect(frame.locator("#login_form")).to_contain_text("Please enter a correct username and password")

    assert page.url == console
    assert context.cookies() == [], "cookies are kept by the session"
    # Pictures are the shop's own; all else is the proxy's.
    assert {url for url in outside if not url.startswith((f"{oscar}/static/", f"{oscar}/media/"))} == {console}

    other = context.new_page()
    second = story.call("POST", "/previews", 201, url=f"{oscar}/basket/")
    other.goto(second["preview_url"])
    expect(other.locator("#content_inner")).to_contain_text("Your cart is empty")
    context.close()


def test_editor__on_the_software_of_another_shop__shows_what_visitors_get(
    story: Story, oscar: str, browser: Browser
) -> None:
    story.claim_domain()
    story.finish_running()
    console = Console(browser, story)
    console.sign_in()
    visitor = console.context.new_page()
    visitor.goto(f"{oscar}/search/?q=notebook")
    visitor.click(".product_pod h3 a")
    product = visitor.url
    experiment_id, variation_id = draft(console, CHANGES, product)
    frame = edited(console, experiment_id, variation_id)
    expect(frame.locator(".product_main h1")).to_have_text("Pages & <dots>")
    expect(console.page.get_by_text("1 element")).to_have_count(len(CHANGES))
    shown = frame.locator("body").evaluate(MARKUP)
    console.api("POST", f"/experiments/{experiment_id}/launch", override_checklist_warnings=True)
    story.await_delivery()
    visitor = browser.new_context().new_page()
    visitor.goto(f"{product}?svc_force={experiment_id}:{variation_id}")
    expect(visitor.locator(".product_main h1")).to_have_text("Pages & <dots>")
    expect(visitor.locator("footer")).to_have_count(0)
    assert without_addresses(shown) == without_addresses(visitor.evaluate(MARKUP))
    story.finish_running()
    visitor.context.close()
    console.close()
