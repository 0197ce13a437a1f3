"""The visual editor on the demo store: what it shows is what visitors get, and nothing is lost or forged."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.console.editing import CHANGES, MARKUP, draft, edited, shop_console, without_addresses
from tests.support.console_page import Console

pytestmark = [pytest.mark.browser, pytest.mark.stack]
console = shop_console
DOTS = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="3" fill="#c54"/></svg>'


def test_page__in_the_editor__is_what_visitors_get(console: Console, browser: Browser) -> None:
    experiment_id, variation_id = draft(console, CHANGES)
    frame = edited(console, experiment_id, variation_id)
    expect(frame.locator("h1")).to_have_text("Mornings & made <simple>")
    shown = frame.locator("main").evaluate(MARKUP)
    console.api("POST", f"/experiments/{experiment_id}/launch", override_checklist_warnings=True)
    console.story.await_delivery()
    visitor = browser.new_context().new_page()
    store = console.story.dev["store_url"]
    visitor.goto(f"{store}/?svc_force={experiment_id}:{variation_id}")
    expect(visitor.locator("h1")).to_have_text("Mornings & made <simple>")
    expect(visitor.locator("footer")).to_have_count(0)
    assert without_addresses(shown) == without_addresses(visitor.evaluate(MARKUP))
    visitor.context.close()


def test_element__pointed_at__is_changed_undone_and_saved(console: Console) -> None:
    experiment_id, variation_id = draft(console, [])
    page, frame = console.page, edited(console, experiment_id, variation_id)
    expect(page.get_by_role("button", name="Saved")).to_be_disabled()
    frame.locator("h1").click()
    expect(page.get_by_text("The same on each page.")).to_be_visible()
    page.get_by_label("Text", exact=True).fill("Made well")
    expect(frame.locator("h1")).to_have_text("Made well")
    page.get_by_role("button", name="Undo").click()
    expect(frame.locator("h1")).not_to_have_text("Made well")
    page.get_by_role("button", name="Redo").click()
    expect(frame.locator("h1")).to_have_text("Made well")
    page.get_by_role("button", name="Original").click()
    expect(frame.locator("h1")).not_to_have_text("Made well")
    page.get_by_role("button", name="Original").click()
    frame.locator("#banner").click()
    page.get_by_role("button", name="Remove it").click()
    expect(frame.locator("#banner")).to_have_count(0)
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Saved")).to_be_disabled()
    stored = console.api("GET", f"/experiments/{experiment_id}/variations/{variation_id}")["mutations"]
    assert [(each["selector"], each["action"]) for each in stored] == [("h1", "text"), ("#banner", "remove")]


def test_selector__that_other_pages_do_not_have__is_named_with_them(console: Console) -> None:
    experiment_id, variation_id = draft(console, [{"selector": ".hero p", "action": "remove"}])
    page, frame = console.page, edited(console, experiment_id, variation_id)
    expect(page.get_by_text("/product?item=linen-throw: none")).to_be_visible()
    frame.locator("#hero-cta").click()
    expect(page.get_by_text("The change does nothing on the other pages.")).to_be_visible()
    page.get_by_text("Other pages that are counted").click()
    first = page.get_by_label("Other page, 1")
    expect(first).to_have_attribute("placeholder", "/product?item=stoneware-mug")
    first.fill("https://elsewhere.example/")
    first.press("Tab")
    expect(page.get_by_text("Only pages of the same host can be counted from here.")).to_be_visible()
    first.fill("/shop.css")
    first.press("Tab")
    expect(page.locator("dl > div").filter(has_text="/shop.css")).to_contain_text("is not a page")
    expect(page.get_by_text("The change does nothing on /product?item=stoneware-mug.")).to_be_visible()


def test_click__while_selecting__does_not_leave_the_page__and_does_while_using_it(console: Console) -> None:
    page, frame = console.page, edited(console, *draft(console, []))
    link = frame.locator("a[href*='product']").first
    link.click()
    expect(page.get_by_label("Address of the page")).not_to_have_value(re.compile("product"))
    page.get_by_role("button", name="Use the page").click()
    link.click()
    expect(page.get_by_label("Address of the page")).to_have_value(re.compile("product"), timeout=20_000)


def test_variation__saved_elsewhere_meanwhile__is_shown_and_chosen(console: Console) -> None:
    experiment_id, variation_id = draft(console, [])
    page, frame = console.page, edited(console, experiment_id, variation_id)
    frame.locator("h1").click()
    page.get_by_label("Text", exact=True).fill("Mine")
    path = f"/experiments/{experiment_id}/variations/{variation_id}"
    console.api("PATCH", path, mutations=[{"selector": "h1", "action": "text", "text": "Theirs"}])
    page.get_by_role("button", name="Save", exact=True).click()
    sheet = page.get_by_role("dialog", name="This variation was saved elsewhere")
    expect(sheet).to_contain_text("Theirs")
    expect(frame.locator("h1")).to_have_text("Mine")
    sheet.get_by_role("button", name="Save mine in its place").click()
    expect(sheet).to_have_count(0)
    expect(page.get_by_role("button", name="Saved")).to_be_disabled()
    assert console.api("GET", path)["mutations"][0]["text"] == "Mine"


def test_page__that_forges_messages__changes_nothing_in_the_panel(console: Console) -> None:
    frame = edited(console, *draft(console, []))
    frame.locator("h1").evaluate(
        """() => {
          const element = {tag: "evil", path: [], selectors: [{selector: "*", strength: "name"}], text: "x"};
          for (const nonce of [undefined, "", "guessed"]) {
            parent.postMessage({source: "svc-edit", nonce, type: "selected", element}, "*");
            parent.postMessage({source: "svc-edit", nonce, type: "save", mutations: []}, "*");
            parent.postMessage({source: "svc-edit", nonce, type: "linked", urls: ["/evil"]}, "*");
          }
        }"""
    )
    console.page.wait_for_timeout(300)
    expect(console.page.get_by_role("heading", name="evil")).to_have_count(0)
    expect(console.page.get_by_role("heading", name="Changes")).to_be_visible()


def test_element__moved_and_given_a_picture__is_what_visitors_get(console: Console, browser: Browser) -> None:
    experiment_id, variation_id = draft(console, [])
    page, frame = console.page, edited(console, experiment_id, variation_id)
    page.get_by_role("button", name="Choose an element with keys").click()
    expect(page.get_by_role("heading", name="h1")).to_be_visible()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name="Paragraph p")).to_be_visible()
    page.get_by_role("button", name="Move it", exact=True).click()
    expect(frame.locator(".hero > p")).to_have_count(0)
    frame.locator("#products").click()
    page.get_by_role("button", name="After it").click()
    expect(frame.locator("#products + p")).to_be_visible()
    frame.locator("h1").click()
    page.get_by_text("Style", exact=True).click()
    page.get_by_role("button", name="Choose a picture of the shop for the background").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload a picture").click()
    chooser.value.set_files({"name": "dots.svg", "mimeType": "image/svg+xml", "buffer": DOTS})
    expect(frame.locator("h1")).to_have_css("background-image", re.compile("dots|assets"), timeout=10_000)
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Other changes on certain pages").click()
    page.get_by_label("On these addresses, 1", exact=True).fill("/product")
    page.get_by_label("Name", exact=True).fill("Products")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Saved")).to_be_disabled()
    stored = console.api("GET", f"/experiments/{experiment_id}/variations/{variation_id}")
    assert [each["action"] for each in stored["mutations"]] == ["remove", "insertAfter", "style"]
    block = stored["url_blocks"][0]
    assert (block["name"], block["urlRules"]) == ("Products", [{"type": "simple", "pattern": "/product"}])
    page.get_by_label("Pages", exact=True).select_option("Every page")
    expect(frame.locator("#products + p")).to_be_visible()
    shown = frame.locator("main").evaluate(MARKUP)
    console.api("POST", f"/experiments/{experiment_id}/launch", override_checklist_warnings=True)
    console.story.await_delivery()
    visitor = browser.new_context().new_page()
    visitor.goto(f"{console.story.dev['store_url']}/?svc_force={experiment_id}:{variation_id}")
    expect(visitor.locator("#products + p")).to_be_visible()
    assert without_addresses(shown) == without_addresses(visitor.evaluate(MARKUP))
    visitor.context.close()
