"""Exchange of a key for a session, and one-time entry."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abtest.http.session_cookie import NAME
from abtest.ports.catalog import Commit, Put
from abtest.services.identity.sign_in import ENTRY, ENTRY_LIFETIME
from abtest.services.rate_limits import FAILURES_PER_WINDOW
from abtest.services.shop_records import owned_by
from abtest.wiring.api_identity import identity_uses
from api_identity.routes import ROUTERS
from tests.support.api import MemoryApi, Tenant
from tests.support.console import Browser

COOKIE = f"{NAME}=%s; Path=/; Secure; HttpOnly; SameSite=Strict"


def entry(api: MemoryApi, user_id: str) -> str:
    """Store a one-time token as the local stack does."""
    token = "t" * 43
    api.management.session_store.keep_once(ENTRY, token, {"user_id": user_id}, ENTRY_LIFETIME)
    return token


def test_exchange__of_a_shop_key__has_its_shop_and_scopes(api: MemoryApi, browser: Browser) -> None:
    tenant = api.tenant()
    key = api.key(["experiments:write"], shop_id=tenant.shop.id)
    answer = browser.identity("POST", "/exchange", {"api_key": key.text})
    assert (answer.status, answer.headers["set-cookie"]) == (201, COOKIE % browser.token)
    body = answer.json()
    assert (body["level"], body["user"]) == ("key", {"id": key.key.user_id, "email": None, "name": None})
    (shop,) = body["shops"]
    assert (shop["id"], shop["role"], shop["currency"], shop["timezone"]) == (tenant.shop.id, None, "EUR", "UTC")
    assert shop["scopes"] == ["experiments:read", "experiments:write"]
    assert browser.identity("GET", "/session").json() == body
    browser.shop_id = tenant.shop.id
    assert browser.api.get("/experiments").status == 200
    assert browser.api.get("/api-keys").code == "insufficient_scope"
    assert browser.api.get("/me").json()["key"]["name"] == "Console session"


def test_exchange__of_a_user_key__has_all_shops_of_the_user(api: MemoryApi, browser: Browser, tenant: Tenant) -> None:
    api.tenant("Theirs")
    browser.identity("POST", "/exchange", {"api_key": api.key(kind="user", user_id=tenant.user_id).text})
    api.clock.advance(seconds=1)
    second = {"name": "Second", "domain": "second.example", "currency": "USD", "timezone": "asia/tokyo"}
    made = browser.api.post("/shops", second).json()
    shops = browser.identity("GET", "/session").json()["shops"]
    assert [(shop["id"], shop["role"]) for shop in shops] == [(made["id"], "owner"), (tenant.shop.id, "owner")]
    assert [shop["timezone"] for shop in shops] == ["Asia/Tokyo", "UTC"]
    assert [shop["id"] for shop in browser.api.get("/shops").json()["data"]] == [made["id"], tenant.shop.id]


def test_exchange__of_a_tracking_key__is_refused(api: MemoryApi, browser: Browser, tenant: Tenant) -> None:
    key = api.key(kind="tracking_source", shop_id=tenant.shop.id).text
    answer = browser.identity("POST", "/exchange", {"api_key": key})
    assert (answer.status, answer.paths, browser.token) == (422, ["api_key"], "")


def test_exchange__of_wrong_keys__is_limited_like_failed_authentications(api: MemoryApi, browser: Browser) -> None:
    answers = [
        browser.identity("POST", "/exchange", {"api_key": "svc_sk_wrong"}) for _ in range(FAILURES_PER_WINDOW + 1)
    ]
    assert [answer.status for answer in answers] == [401] * FAILURES_PER_WINDOW + [429]
    assert browser.identity("POST", "/exchange", {"api_key": api.tenant().admin}).status == 201


def test_exchange__revoked_key__ends_the_session(api: MemoryApi, browser: Browser, tenant: Tenant) -> None:
    browser.identity("POST", "/exchange", {"api_key": tenant.admin})
    browser.shop_id = tenant.shop.id
    other = Browser(api.handler)
    key = api.key(["keys:write"], shop_id=tenant.shop.id)
    other.identity("POST", "/exchange", {"api_key": key.text})
    other.shop_id = tenant.shop.id
    assert other.api.get("/experiments").code == "insufficient_scope"
    assert browser.api.post(f"/api-keys/{key.key.id}/revoke").status == 200
    assert (other.api.post("/api-keys", {}).status, other.identity("GET", "/session").status) == (401, 401)
    api.clock.advance(seconds=10)
    assert (other.api.get("/ping", checked=False).code, browser.api.get("/ping").status) == ("sign_in_required", 200)


def test_exchange__expiring_key__ends_the_session(api: MemoryApi, browser: Browser, tenant: Tenant) -> None:
    key = api.key(["shop:read"], shop_id=tenant.shop.id, expires_at="2026-03-02T09:30:00.000Z")
    body = browser.identity("POST", "/exchange", {"api_key": key.text}).json()
    assert body["expires_at"] == "2026-03-02T09:30:00.000Z"
    browser.shop_id = tenant.shop.id
    api.clock.advance(minutes=29, seconds=59)
    assert browser.api.get("/shop").status == 200
    api.clock.advance(seconds=1)
    assert browser.api.get("/shop").status == 401


def test_exchange__text_of_the_key__is_stored_nowhere(api: MemoryApi, browser: Browser, tenant: Tenant) -> None:
    browser.identity("POST", "/exchange", {"api_key": tenant.admin})
    kept = str(vars(api.management.sign_ins)) + str(vars(api.management.seen))
    assert tenant.admin not in kept
    assert browser.token not in kept


def test_enter__once__is_the_owner_of_all_shops(api: MemoryApi, browser: Browser, tenant: Tenant) -> None:
    token = entry(api, tenant.user_id)
    body = browser.identity("POST", "/enter", {"token": token}).json()
    assert (body["level"], body["user"]["id"]) == ("local", tenant.user_id)
    assert [(shop["id"], shop["role"]) for shop in body["shops"]] == [(tenant.shop.id, "owner")]
    second = Browser(api.handler).identity("POST", "/enter", {"token": token})
    assert (second.status, second.code) == (401, "sign_in_required")


def test_enter__after_a_day__is_refused(api: MemoryApi, browser: Browser, tenant: Tenant) -> None:
    token = entry(api, tenant.user_id)
    api.clock.advance(hours=24)
    assert browser.identity("POST", "/enter", {"token": token}).status == 401


def test_enter__deployment_that_does_not_allow_it__has_no_such_route(api: MemoryApi, tenant: Tenant) -> None:
    token = entry(api, tenant.user_id)
    base = api.management
    base.settings = replace(base.settings, allow_local_sign_in="false")
    api.serve("ApiIdentity", ROUTERS, identity_uses(base))
    answer = Browser(api.handler).identity("POST", "/enter", {"token": token})
    assert (answer.status, answer.code) == (404, "route_not_found")


@pytest.mark.parametrize("path", ["/exchange", "/enter"])
def test_sign_in__with_a_session__ends_the_former_one(api: MemoryApi, browser: Browser, path: str) -> None:
    tenant = api.tenant()
    browser.identity("POST", "/exchange", {"api_key": tenant.admin})
    former = Browser(api.handler, browser.token)
    body = {"/exchange": {"api_key": tenant.admin}, "/enter": {"token": entry(api, tenant.user_id)}}[path]
    assert browser.identity("POST", path, body).status == 201
    assert browser.token != former.token
    assert (former.identity("GET", "/session").status, browser.identity("GET", "/session").status) == (401, 200)


def test_shops__listed_by_an_earlier_release__have_their_currency(
    api: MemoryApi, owner: Browser, tenant: Tenant
) -> None:
    catalog, place = api.world.catalog, owned_by(tenant.user_id)
    entry = catalog.get(place, "SHOP", tenant.shop.id)
    assert entry is not None
    former = {name: value for name, value in entry.head.attributes.items() if name != "currency"}
    head = replace(entry.head, attributes=former, version=2)
    catalog.commit(Commit(puts=[Put(record=replace(entry, head=head), expected_version=1)]))
    assert owner.identity("GET", "/session").json()["shops"][0]["currency"] == "EUR"
