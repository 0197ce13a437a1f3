"""Passkeys in a real browser, with its virtual authenticator, on a running stack: enrol, sign out, sign in, step up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.stack]

CALL = """async ([method, path, body, shop]) => {
  const headers = {"content-type": "application/json", ...(shop ? {"X-Svc-Shop": shop} : {})};
  const answer = await fetch(path, {method, headers, body: body === null ? undefined : JSON.stringify(body)});
  const text = await answer.text();
  return {status: answer.status, body: text ? JSON.parse(text) : null};
}"""
CREATE = """async (options) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return (await navigator.credentials.create({publicKey})).toJSON();
}"""
GET = """async (options) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return (await navigator.credentials.get({publicKey})).toJSON();
}"""


class Console:
    """A page of the console's origin, and its calls."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def call(self, method: str, path: str, body: Any = None, *, shop: str = "") -> Any:
        return self.page.evaluate(CALL, [method, path, body, shop])

    def identity(self, method: str, path: str, body: Any = None) -> Any:
        return self.call(method, f"/console/identity{path}", body)


@pytest.fixture
def console(stack: dict[str, Any], browser: Browser) -> Iterator[Console]:
    """A page at `localhost` with a virtual authenticator that verifies its user, and without the policy of the page."""
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    authority = page.context.new_cdp_session(page)
    authority.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True}
    options |= {"hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True}
    authority.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    root = stack["base_url"].removesuffix("/api/v1").replace("127.0.0.1", "localhost")
    page.goto(f"{root}/api/v1/docs")
    yield Console(page)
    context.close()


def test_passkey__of_a_browser__enrols_signs_in_and_steps_up(stack: dict[str, Any], console: Console) -> None:
    shop = stack["shop_id"]
    assert console.identity("POST", "/exchange", {"api_key": stack["user_key"]})["status"] == 201
    options = console.identity("POST", "/passkeys/register-challenge", {})["body"]["options"]
    made = console.page.evaluate(CREATE, options)
    enrolled = console.identity("POST", "/passkeys", {"credential": made, "name": "Virtual"})
    assert (enrolled["status"], enrolled["body"]["name"]) == (201, "Virtual")
    assert console.identity("GET", "/session")["body"]["level"] == "passkey"
    assert console.call("GET", "/api/v1/experiments", shop=shop)["status"] == 200
    assert console.identity("DELETE", "/session")["status"] == 204
    assert console.call("POST", "/api/v1/experiments", {"name": "No"}, shop=shop)["status"] == 401

    options = console.identity("POST", "/passkeys/challenge", {})["body"]["options"]
    used = console.page.evaluate(GET, options)
    signed_in = console.identity("POST", "/passkeys/verify", {"credential": used})
    assert (signed_in["status"], signed_in["body"]["level"]) == (201, "passkey")
    assert shop in [each["id"] for each in signed_in["body"]["shops"]]
    key = console.call("POST", "/api/v1/api-keys", {"name": "Of the console", "preset": "read_only"}, shop=shop)
    assert key["status"] == 201
    (passkey,) = console.identity("GET", "/passkeys")["body"]["data"]
    assert passkey["last_used_at"] is not None
    assert console.page.evaluate("document.cookie") == "", "no script reads the session"
