"""The second way into the editor: the shop's own page in a window, which its own tag connects with the console."""

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.e2e.console.editing import MARKUP, draft, shop_console, without_addresses
from tests.support.console_page import Console

pytestmark = [pytest.mark.browser, pytest.mark.stack]
console = shop_console

FORGE = """() => {
  const element = {tag: "evil", path: [], selectors: [{selector: "*", strength: "name"}], text: "x"};
  const [, nonce] = window.name.split(",");
  for (const each of [undefined, "", "guessed"]) {
    opener.postMessage({source: "svc-edit", nonce: each, type: "selected", element}, "*");
    opener.postMessage({source: "svc-edit", nonce: each, type: "hello", url: "https://evil.example/"}, "*");
  }
  opener.postMessage({source: "svc-edit", nonce, type: "save", mutations: []}, "*");
  opener.postMessage({source: "svc-edit", nonce, type: "linked", urls: [7, "https://evil.example/", "/cart/add"]}, "*");
  opener.postMessage({source: "svc-edit", nonce, type: "counted", turn: 1, url: "", matches: ["<b>"]}, "*");
  opener.postMessage({source: "svc-preview", type: "hello", url: "https://evil.example/"}, "*");
}"""


def in_a_window(console: Console, experiment_id: str, variation_id: str) -> Page:
    """Open the editor, and from it the shop's page in a window of its own."""
    page = console.page
    page.goto(f"{console.root}/console/{console.shop_id}/experiments/{experiment_id}/edit/{variation_id}")
    with page.expect_popup() as popup:
        page.get_by_role("button", name="In a window").click()
    return popup.value


def test_page__in_a_window__is_edited_and_is_what_visitors_get(console: Console, browser: Browser) -> None:
    experiment_id, variation_id = draft(console, [])
    page, shop = console.page, in_a_window(console, experiment_id, variation_id)
    expect(page.get_by_role("heading", name="The page is in a window of its own")).to_be_visible(timeout=20_000)
    requests: list[str] = []
    shop.on("request", lambda request: requests.append(request.url) if request.resource_type == "fetch" else None)
    shop.locator("h1").click()
    expect(page.get_by_text("The same on each page.")).to_be_visible()
    # Other pages are read once, and no link that does something, such as the checkout.
    store = console.story.dev["store_url"]
    assert sorted(requests) == [f"{store}/product?item={name}" for name in ("linen-throw", "stoneware-mug")]
    page.get_by_label("Text", exact=True).fill("Made well")
    expect(shop.locator("h1")).to_have_text("Made well")
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Use the page").click()
    shop.locator("a[href*='/product?']").first.click()
    shop.wait_for_url("**/product?*")
    expect(page.get_by_label("Address of the page")).to_have_value(shop.url, timeout=20_000)
    expect(page.get_by_role("heading", name="The page is in a window of its own")).to_be_visible(timeout=20_000)
    shop.go_back()
    expect(shop.locator("h1")).to_have_text("Made well", timeout=20_000)
    shown = shop.evaluate(MARKUP)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Saved")).to_be_disabled()
    console.api("POST", f"/experiments/{experiment_id}/launch", override_checklist_warnings=True)
    console.story.await_delivery()
    visitor = browser.new_context().new_page()
    visitor.goto(f"{console.story.dev['store_url']}/?svc_force={experiment_id}:{variation_id}")
    expect(visitor.locator("h1")).to_have_text("Made well")
    assert without_addresses(shown) == without_addresses(visitor.evaluate(MARKUP))
    visitor.context.close()


def test_page__that_separates_itself__is_reported_with_the_other_ways(console: Console) -> None:
    def separate(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, headers={**answer.headers, "cross-origin-opener-policy": "same-origin"})

    console.context.route(f"{console.story.dev['store_url']}/", separate)
    experiment_id, variation_id = draft(console, [])
    in_a_window(console, experiment_id, variation_id)
    page = console.page
    expect(page.get_by_text("Cross-Origin-Opener-Policy")).to_be_visible(timeout=12_000)
    page.get_by_role("button", name="Show the page here").click()
    expect(page.frame_locator("iframe").locator("h1")).to_be_visible(timeout=20_000)


def test_window__that_forges_messages__changes_nothing_in_the_panel(console: Console) -> None:
    experiment_id, variation_id = draft(console, [])
    page, shop = console.page, in_a_window(console, experiment_id, variation_id)
    expect(page.get_by_role("heading", name="The page is in a window of its own")).to_be_visible(timeout=20_000)
    shop.evaluate(FORGE)
    # The right window with the right nonce, but on a host that is not the shop's.
    with page.expect_event("console", lambda message: message.text == "heard"):
        page.evaluate("() => addEventListener('message', ({data}) => data.type === 'selected' && console.log('heard'))")
        stranger = console.story.dev["store_url"].replace("127.0.0.1", "localhost")
        shop.evaluate("(address) => { location.href = address }", f"{stranger}/")
        shop.wait_for_url(f"{stranger}/")
        shop.evaluate(
            """() => {
              const element = {tag: "evil", path: [], selectors: [{selector: "*", strength: "name"}], text: "x"};
              const [, nonce] = window.name.split(",");
              opener.postMessage({source: "svc-edit", nonce, type: "selected", element}, "*");
            }"""
        )
    page.wait_for_timeout(300)
    expect(page.get_by_role("heading", name="evil")).to_have_count(0)
    expect(page.get_by_role("heading", name="Changes")).to_be_visible()
    expect(page.get_by_label("Address of the page")).not_to_have_value("https://evil.example/")
