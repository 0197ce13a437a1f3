"""Connecting a shop in the console: webhooks, keys, the installation, settings of two windows, the audit."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.receiver import Receiver
from tests.e2e.story import Story
from tests.support.console_page import Console

pytestmark = [pytest.mark.browser, pytest.mark.stack]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A server of the shop that answers."""
    server = Receiver()
    server.start()
    yield server
    server.stop()


def test_webhook__made_and_tested__shows_what_the_server_got_and_answered(console: Console, receiver: Receiver) -> None:
    page = console.open("/webhooks")
    console.click("New webhook", role="link")
    console.field("Address of your server").fill("not an address")
    page.get_by_label("An experiment was completed.").check()
    console.click("Create webhook")
    expect(console.field("Address of your server")).to_have_attribute("aria-invalid", "true")
    console.field("Address of your server").fill(receiver.url)
    console.click("Create webhook")

    secret = page.get_by_role("dialog", name="Signing secret")
    shown = secret.locator("pre").inner_text()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(secret.get_by_role("alert")).to_contain_text("Is it stored?")
    secret.get_by_label("I have stored it").check()
    secret.get_by_role("button", name="Close").click()
    expect(secret).to_have_count(0)

    console.click("Send a test")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("heading", name="experiment completed")).to_be_visible()
    expect(page.get_by_role("table", name="Attempts")).to_contain_text("204", timeout=15_000)
    expect(page.locator("main")).to_contain_text('"test": true')
    (arrival,) = receiver.arrivals(1)
    assert arrival.is_signed_by(shown)

    console.click("Send again")
    expect(page.get_by_role("link", name="the first delivery")).to_be_visible()
    console.click("Webhook", role="link")
    log = page.get_by_role("table", name="Deliveries")
    expect(log.get_by_role("row")).to_have_count(3)
    console.field("Status").select_option("dead")
    expect(page.locator("main")).to_contain_text("No delivery fits these filters")


def test_key__made_for_a_server_and_revoked__has_its_scopes_until_then(console: Console) -> None:
    page = console.open("/keys/new")
    console.field("Name").fill("Reporting")
    console.click("Create key")
    dialog = page.get_by_role("dialog", name="Secret of Reporting")
    secret = dialog.locator("pre").inner_text()
    dialog.get_by_label("I have stored it").check()
    dialog.get_by_role("button", name="Close").click()
    expect(page.get_by_role("heading", name="Reporting", exact=True)).to_be_visible()
    assert secret not in page.content()

    program = Story({**console.story.dev, "api_key": secret})
    program.call("GET", "/experiments")
    program.call("POST", "/experiments", 403, name="Not allowed")

    console.click("Revoke")
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.locator("main .heading")).to_contain_text("revoked")
    (revoked,) = console.api("GET", "/api-keys?archived=true")["data"]
    assert revoked["name"] == "Reporting"
    assert revoked["revoked_at"]

    console.open("/audit?action=api_key.revoke")
    page.get_by_role("link", name="API key: revoke").click()
    console.click("Check the proof")
    expect(page.locator("main")).to_contain_text("not sealed yet")
    console.click("Reporting", role="link")
    expect(page.get_by_role("heading", name="Reporting", exact=True)).to_be_visible()


def test_installation__of_a_page_with_the_tag__is_checked_in_three_steps(story: Story, browser: Browser) -> None:
    story.claim_domain()
    console = Console(browser, story)
    console.sign_in()
    page = console.open("/install")
    expect(page.locator("main pre").first).to_contain_text(f"/s/{console.shop_id}.js")
    address = console.field("Address of a page")
    address.fill("https://elsewhere.example/")
    console.click("Check this page")
    expect(address).to_have_attribute("aria-invalid", "true")
    address.fill(story.dev["store_url"] + "/")
    console.click("Check this page")
    expect(page.get_by_role("status").filter(has_text="It works")).to_be_visible(timeout=15_000)
    console.close()


def test_settings__changed_in_two_windows__keep_both_changes_and_say_what_is_replaced(console: Console) -> None:
    console.open("/settings/domains")
    other = console.context.new_page()
    other.goto(console.page.url)
    other.get_by_label("Further hosts").fill("b.console-two.example")
    other.get_by_role("button", name="Save").click()
    expect(other.locator(".toasts")).to_contain_text("Saved")

    page = console.page
    page.get_by_label("Further hosts").fill("a.console-two.example")
    console.click("Save")
    console.click("Load the newest and keep what I typed")
    expect(page.get_by_role("status").filter(has_text="further hosts")).to_be_visible()
    expect(page.get_by_label("Further hosts")).to_have_value("a.console-two.example")
    console.click("Save")
    expect(page.locator(".toasts")).to_contain_text("Saved")
    assert console.api("GET", "/settings/install-domains")["additionalDomains"] == ["a.console-two.example"]


def test_moments__in_the_zone_of_the_shop__are_shown_as_they_were_typed(console: Console) -> None:
    console.api("PATCH", f"/shops/{console.shop_id}", timezone="pacific/auckland")
    year = datetime.now(UTC).year + 1
    page = console.open("/keys/new")
    console.field("Name").fill("Until July")
    page.get_by_label("Expires").fill(f"{year}-07-15T10:00")
    expect(page.get_by_text("Clock of Pacific/Auckland.")).to_be_visible()
    console.click("Create key")
    expect(page.get_by_role("dialog")).to_be_visible()
    (key,) = [each for each in console.api("GET", "/api-keys")["data"] if each["name"] == "Until July"]
    assert key["expires_at"] == f"{year}-07-14T22:00:00.000Z"
    page = console.open("/keys")
    expect(page.get_by_role("row", name="Until July")).to_contain_text(f"15 Jul {year}, 10:00")
    page = console.open("/traffic")
    expect(page.get_by_text("Days are those of Pacific/Auckland.")).to_be_visible()
    expect(page.get_by_text("Days are those of UTC.")).to_be_visible()
