"""Code fields: their editor runs under the console's policy, keys enter and leave it, and errors name their place."""

import pytest
from playwright.sync_api import expect

from tests.e2e.console.editing import draft
from tests.support.console_page import Console

pytestmark = [pytest.mark.browser, pytest.mark.stack]


def test_script__with_an_error__is_refused_at_its_line_and_kept_and_saved_when_it_is_right(console: Console) -> None:
    experiment_id, variation_id = draft(console, [], "https://shop.example/")
    page = console.open(f"/experiments/{experiment_id}?variation={variation_id}")
    page.get_by_text("CSS and JavaScript").click()
    script = page.locator("form", has_text="Save the variation").get_by_label("JavaScript", exact=True)
    script.scroll_into_view_if_needed()
    expect(script).to_have_attribute("contenteditable", "true")
    script.click()
    page.keyboard.type("const a = 1;\nconst b = ;")
    page.get_by_role("button", name="Save the variation").click()
    message = page.locator(".message").filter(has_text="line 2")
    expect(message).to_be_visible()
    expect(script).to_have_attribute("aria-invalid", "true")
    # The field with the error has the focus. Tab is text in it, until Escape.
    assert page.evaluate("document.activeElement.className") == "code-host"
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("if (a) {\nb();")
    page.keyboard.press("Enter")
    page.keyboard.type("}")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") != "code-host"
    with page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        page.get_by_role("button", name="Save the variation").click()
    stored = console.api("GET", f"/experiments/{experiment_id}/variations/{variation_id}")
    assert stored["custom_js"] == "if (a) {\n  b();\n}"


def test_editor_of_code__that_cannot_be_loaded__leaves_a_plain_field(console: Console) -> None:
    console.context.route("**/code_mirror-*.js", lambda route: route.abort())
    page = console.open("/flags/new")
    value = page.get_by_label("Value when it is on", exact=True)
    expect(value).to_have_js_property("tagName", "TEXTAREA")
    value.fill('{"a": 1}')
    expect(value).to_have_value('{"a": 1}')
