"""Every route of sign-in: refused from other pages and without a session, never compressed, never in the document."""

from __future__ import annotations

import pytest

from abtest.http.route import Route
from abtest.http.signed_in import SameOrigin, SignedIn
from api_identity.routes import ROUTERS
from tests.support.api import MemoryApi, Tenant
from tests.support.console import IDENTITY, Browser, begun
from tests.support.openapi import contract

ROUTES = [
    (method, route)
    for router in ROUTERS
    for route in router.routes
    if isinstance(route, Route)
    for method in sorted(route.methods or ())
]
UNKNOWN = "0192e4a0-ffff-7000-8000-000000000000"
OPEN = {
    "/enter",
    "/exchange",
    "/invitations/accept",
    "/passkeys/challenge",
    "/passkeys/verify",
    "/sign-in",
    "/sign-in/verify",
}


def path_of(route: Route) -> str:
    """Return an address of a route, below the base."""
    parts = route.path.removeprefix(IDENTITY).split("/")
    return "/".join(UNKNOWN if part.startswith("{") else part for part in parts)


def named(case: tuple[str, Route]) -> str:
    return f"{case[0]} {case[1].path}"


@pytest.mark.parametrize("case", ROUTES, ids=named)
def test_route__of_sign_in__keeps_the_rules_of_all(
    api: MemoryApi, browser: Browser, tenant: Tenant, case: tuple[str, Route]
) -> None:
    method, route = case
    path, operation = path_of(route), route.operation
    body: dict[str, str] | None = None if method in ("GET", "DELETE") else {}
    signed_in = Browser(api.handler, begun(api.management, tenant.user_id).token, shop_id=tenant.shop.id)
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": ""}):
        signed_in.headers = headers
        answer = signed_in.identity(method, path, body)
        assert (answer.status, answer.code) == (403, "cross_site_request")
    assert getattr(route.endpoint, "confidential", False), "a compressed answer helps to guess what it has"
    assert isinstance(operation.admission, SameOrigin if path in OPEN else SignedIn)
    if path not in OPEN:
        answer = browser.identity(method, path, body)
        assert (answer.status, answer.code) == (401, "sign_in_required")
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("case", ROUTES, ids=named)
def test_route__of_people_and_secrets__needs_a_recent_passkey(
    api: MemoryApi, tenant: Tenant, case: tuple[str, Route]
) -> None:
    method, route = case
    admission = route.operation.admission
    if not isinstance(admission, SignedIn) or not admission.recent:
        assert method == "GET" or not path_of(route).startswith("/members")
        return
    old = begun(api.management, tenant.user_id, level="passkey", verified_at="2026-03-02T08:50:00.000Z")
    browser = Browser(api.handler, old.token, shop_id=tenant.shop.id)
    answer = browser.identity(method, path_of(route), None if method == "DELETE" else {})
    assert (answer.status, answer.code) == (403, "passkey_required")


def test_document__of_the_api__has_no_route_of_sign_in() -> None:
    assert not [path for path in contract().document["paths"] if "console" in path or "identity" in path]


def test_key__on_a_route_of_sign_in__is_refused(api: MemoryApi, browser: Browser, tenant: Tenant) -> None:
    browser.headers = {"Authorization": f"Bearer {tenant.admin}"}
    assert browser.identity("GET", "/session").code == "sign_in_required"
