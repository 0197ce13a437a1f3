"""People of the console: invited by mail, enrolled with a passkey, and out again."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.e2e.story import Story
from tests.support.console_page import Console

pytestmark = [pytest.mark.browser, pytest.mark.stack]

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def give_authenticator(page: Page) -> None:
    """Give the browser a lock that opens at once."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})


def newest_mail(stack: dict[str, Any], to: str) -> str:
    """Return the newest mail to an address."""
    mails = [(file.stat().st_mtime_ns, file.read_text()) for file in Path(stack["directory"], "mail").iterdir()]
    return max(mail for mail in mails if f"To: {to}" in mail[1])[1]


def accept(console: Console, mail: str) -> None:
    """Accept the invitation of a mail, in a browser that can make passkeys."""
    give_authenticator(console.page)
    link = re.search(r"https?://\S+#invite=\S+", mail)
    assert link
    console.page.goto(link[0])
    console.click("Accept the invitation")
    console.settled()


def test_person__invited_with_a_role__adds_a_passkey_does_what_it_allows_and_is_removed(
    own_shop: Story, stack: dict[str, Any], browser: Browser
) -> None:
    owner = Console(browser, Story({**own_shop.dev, "api_key": own_shop.dev["user_key"]}))
    owner.sign_in()
    owner.open("/people")
    owner.click("Invite")
    owner.field("E-mail address").fill("bob@shop.example")
    owner.field("Role").select_option("editor")
    owner.click("Send the invitation")
    expect(owner.page.get_by_role("table", name="Invitations")).to_contain_text("bob@shop.example")

    bob = Console(browser, own_shop)
    accept(bob, newest_mail(stack, "bob@shop.example"))
    assert "invite" not in bob.page.url
    bob.open("/people/me")
    expect(bob.page.locator("main")).to_contain_text("change nothing yet")
    bob.click("Add a passkey of this device")
    expect(bob.page.get_by_role("table", name="Passkeys")).to_be_visible()
    expect(bob.page.locator("main")).not_to_contain_text("change nothing yet")
    bob.page.get_by_label("Your name").fill("Bob")
    bob.click("Save")

    bob.open("/webhooks/new")
    bob.field("Address of your server").fill("http://127.0.0.1:9/hooks")
    bob.page.get_by_label("An experiment was completed.").check()
    bob.click("Create webhook")
    expect(bob.page.get_by_role("dialog", name="Signing secret")).to_be_visible()
    bob.open("/keys")
    expect(bob.page.locator("main")).to_contain_text("You may not see this")

    bob.click("Bob")
    bob.click("Sign out")
    bob.click("Sign in with a passkey")
    expect(bob.page.get_by_role("button", name="Bob")).to_be_visible()

    owner.open("/people")
    owner.click("Change Bob")
    owner.click("Remove …")
    owner.page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
    expect(owner.page.get_by_role("table", name="People").get_by_role("row")).to_have_count(2)
    bob.page.reload()
    expect(bob.page.get_by_role("heading", name="You have no shop yet")).to_be_visible(timeout=15_000)
    bob.close()
    owner.close()


def test_change_of_keys__with_a_passkey_used_long_ago__asks_over_the_form_and_keeps_it(console: Console) -> None:
    page = console.page
    signed_in = page.evaluate("async () => (await fetch('/console/identity/session')).json()")
    error = {"code": "passkey_required", "message": "confirm with your passkey", "status": 403, "request_id": "r"}

    def refuse(route: Any) -> None:
        if route.request.method == "POST":
            route.fulfill(status=403, json={"error": error})
        else:
            route.fallback()

    page.route("**/console/identity/session", lambda route: route.fulfill(json={**signed_in, "level": "passkey"}))
    page.route("**/api/v1/api-keys", refuse)
    console.open("/keys/new")
    console.field("Name").fill("Reporting")
    console.click("Create key")
    page.get_by_role("dialog", name="Is it still you?").get_by_role("button", name="Cancel").click()
    expect(page.locator("main").get_by_role("alert")).to_contain_text("confirm with your passkey")
    expect(console.field("Name")).to_have_value("Reporting")

    page.unroute("**/api/v1/api-keys")
    console.click("Create key")
    expect(page.get_by_role("dialog", name="Secret of Reporting")).to_be_visible()


def test_change_of_keys__after_the_passkey_is_used_in_the_dialog__goes_on_as_the_same_request(
    own_shop: Story, stack: dict[str, Any], browser: Browser
) -> None:
    owner = Console(browser, Story({**own_shop.dev, "api_key": own_shop.dev["user_key"]}))
    owner.sign_in()
    call = """async ([shop, body]) => (await fetch("/console/identity/invitations", {method: "POST", body,
      headers: {"Content-Type": "application/json", "X-Svc-Shop": shop}})).status"""
    body = json.dumps({"email": "carla@shop.example", "role": "admin"})
    assert owner.page.evaluate(call, [owner.shop_id, body]) == 201
    carla = Console(browser, own_shop)
    accept(carla, newest_mail(stack, "carla@shop.example"))
    page = carla.open("/people/me")
    carla.click("Add a passkey of this device")
    expect(page.get_by_role("table", name="Passkeys")).to_be_visible()

    sent: list[str | None] = []
    error = {"code": "passkey_required", "message": "confirm with your passkey", "status": 403, "request_id": "r"}

    def too_old(route: Route) -> None:
        if route.request.method != "POST":
            return route.fallback()
        sent.append(route.request.header_value("idempotency-key"))
        return route.fulfill(status=403, json={"error": error}) if len(sent) == 1 else route.continue_()

    page.route("**/api/v1/api-keys", too_old)
    carla.open("/keys/new")
    carla.field("Name").fill("Reporting")
    carla.click("Create key")
    former = carla.context.cookies()
    page.get_by_role("dialog", name="Is it still you?").get_by_role("button", name="Use my passkey").click()
    expect(page.get_by_role("dialog", name="Secret of Reporting")).to_be_visible()
    assert len(sent) == 2
    assert sent[0] == sent[1]
    assert carla.context.cookies() != former, "the proof begins another session"
    carla.close()
    owner.close()
