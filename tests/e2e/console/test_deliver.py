"""Personalizations, exports and the decision on a checked landing page, in the browser."""

from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.support.console_page import Console

pytestmark = [pytest.mark.browser, pytest.mark.stack]


def test_personalizations__made_and_moved_by_keys__are_served_in_that_order(console: Console) -> None:
    console.api("POST", "/personalizations", 201, name="Newsletter", key="newsletter")
    page = console.open("/personalizations/new")
    console.field("Name").fill("Returning visitors")
    console.field("Key").fill("returning")
    console.click("Make a draft")
    expect(page.get_by_role("heading", name="Returning visitors")).to_be_visible()
    page.get_by_role("link", name="Results", exact=True).click()
    console.settled()
    expect(page.get_by_role("heading", name="Returning visitors")).to_be_visible()

    console.open("/personalizations")
    mover = page.get_by_role("button", name="Move Returning visitors up")
    mover.focus()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("Returning visitors is now 1 of 2")
    expect(mover).to_be_focused()
    console.click("Save the order")
    expect(page.get_by_role("button", name="Save the order")).to_have_count(0)
    served = sorted(console.api("GET", "/personalizations")["data"], key=lambda each: int(each["priority"]))
    assert [each["key"] for each in served] == ["returning", "newsletter"]


def test_export__ordered__is_made_and_can_be_downloaded(console: Console) -> None:
    page = console.open("/exports")
    page.get_by_label("What", exact=True).select_option("audit")
    console.click("Make the file")
    link = page.get_by_role("link", name="Download").first
    expect(link).to_be_visible(timeout=20_000)
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename


def test_landing_page__checked_and_rejected__sends_the_note_and_is_a_draft_again(console: Console) -> None:
    made = console.api("POST", "/landing-pages", 201, name="Lantern", slug="lantern")
    run: dict[str, Any] = {
        "id": made["id"],
        "version_id": made["id"],
        "status": "passed",
        "findings": [],
        "screenshots": {},
        "created_at": made["created_at"],
    }
    sent: list[Any] = []

    def with_run(route: Route) -> None:
        route.fulfill(json={**made, "qa_runs": [run]})

    def reject(route: Route) -> None:
        sent.append(route.request.post_data_json)
        run["status"] = "rejected"
        route.fulfill(json=run)

    console.page.route(f"**/landing-pages/{made['id']}", with_run)
    console.page.route("**/reject", reject)
    page = console.open(f"/landing-pages/{made['id']}/qa")
    console.click("Reject")
    dialog = page.get_by_role("dialog", name="Reject this version?")
    dialog.get_by_label("Note").fill("The lantern is upside down.")
    dialog.get_by_role("button", name="Reject", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Reject")).to_have_count(0)
    assert sent == [{"note": "The lantern is upside down."}]
