"""Sessions: their end, their list, and what stays as it is for callers with a cookie."""

from __future__ import annotations

import pytest

from abtest.domain.identity.sessions import MAX_SESSIONS
from abtest.http.admission import REQUESTS_PER_MINUTE
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.console import Browser, begun

CLICK = {"name": "Click", "type": "click", "selector": "a"}


def signed_in(api: MemoryApi, tenant: Tenant, **fields: str) -> Browser:
    """A browser with a session of the shop's owner."""
    return Browser(api.handler, begun(api.management, tenant.user_id, **fields).token, shop_id=tenant.shop.id)


def test_session__not_used_for_an_hour__has_ended(api: MemoryApi, owner: Browser) -> None:
    for _ in range(3):
        api.clock.advance(minutes=59)
        assert owner.api.get("/shop").status == 200
    api.clock.advance(minutes=60)
    answer = owner.api.get("/shop")
    assert (answer.status, answer.code) == (401, "sign_in_required")


def test_session__used_all_the_time__ends_after_twelve_hours(api: MemoryApi, owner: Browser) -> None:
    for _ in range(13):
        api.clock.advance(minutes=55)
        assert owner.identity("GET", "/session").status == 200
    api.clock.advance(minutes=5)
    assert owner.identity("GET", "/session").status == 401


def test_session__signed_out__is_gone_for_writes_at_once_and_for_reads_within_ten_seconds(
    api: MemoryApi, owner: Browser
) -> None:
    other = Browser(api.handler, owner.token, shop_id=owner.shop_id)
    answer = owner.identity("DELETE", "/session")
    assert (answer.status, owner.token) == (204, "")
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert other.api.post("/goals", CLICK).status == 401
    api.clock.advance(seconds=10)
    assert (other.api.get("/shop").status, other.identity("GET", "/session").status) == (401, 401)


def test_session__late_note_of_its_use__does_not_bring_it_back(api: MemoryApi, tenant: Tenant) -> None:
    store = api.management.session_store
    session = begun(api.management, tenant.user_id)
    store.end(session.used.session)
    store.note_use(session.used.session, api.world.now())
    assert store.find(session.used.session.sha256) is None


def test_sessions__of_a_user__are_ten_at_most(api: MemoryApi, tenant: Tenant) -> None:
    first, *others = [signed_in(api, tenant) for _ in range(MAX_SESSIONS)]
    others[0].identity("DELETE", "/session")
    signed_in(api, tenant)
    assert first.identity("GET", "/session").status == 200, "one of the ten had ended"
    signed_in(api, tenant)
    assert first.identity("GET", "/session").status == 401
    assert len(others[1].identity("GET", "/sessions").json()["data"]) == MAX_SESSIONS


def test_sessions__listed__are_those_of_the_user(api: MemoryApi, owner: Browser, tenant: Tenant) -> None:
    signed_in(api, api.tenant("Theirs"))
    api.clock.advance(minutes=2)
    phone = signed_in(api, tenant, user_agent="A phone")
    first, second = owner.identity("GET", "/sessions").json()["data"]
    assert (first["user_agent"], first["is_current"], second["is_current"]) == ("A phone", False, True)
    assert first["level"] == "local"
    assert phone.identity("DELETE", f"/sessions/{second['id']}").status == 204
    assert (owner.identity("GET", "/session").status, phone.identity("GET", "/session").status) == (401, 200)
    assert phone.identity("DELETE", f"/sessions/{second['id']}").code == "not_found"


def test_sessions__others_ended__leave_the_current_one(api: MemoryApi, owner: Browser, tenant: Tenant) -> None:
    others = [signed_in(api, tenant) for _ in range(3)]
    theirs = signed_in(api, api.tenant("Theirs"))
    assert owner.identity("POST", "/sessions/end-others").status == 204
    assert {other.identity("GET", "/session").status for other in others} == {401}
    assert (owner.identity("GET", "/session").status, theirs.identity("GET", "/session").status) == (200, 200)


def test_sessions__of_a_key__do_not_see_those_of_its_user(api: MemoryApi, owner: Browser, tenant: Tenant) -> None:
    contractor = Browser(api.handler)
    key = api.key(["shop:read"], shop_id=tenant.shop.id, user_id=tenant.user_id).text
    contractor.identity("POST", "/exchange", {"api_key": key})
    (only,) = contractor.identity("GET", "/sessions").json()["data"]
    assert only["is_current"]
    contractor.identity("POST", "/sessions/end-others")
    assert owner.identity("GET", "/session").status == 200
    assert contractor.api.get("/shops").code == "user_key_required"


def test_session__bearer_next_to_it__wins(api: MemoryApi, owner: Browser) -> None:
    theirs = api.tenant("Theirs")
    owner.headers = {"Authorization": f"Bearer {theirs.admin}"}
    assert owner.api.get("/shop").json()["id"] == theirs.shop.id
    owner.headers = {"Authorization": "Bearer wrong"}
    assert owner.api.get("/shop").code == "invalid_api_key"
    owner.headers = {"Authorization": "Basic dTpw"}  # of a proxy in front of a test deployment
    assert owner.api.get("/shop").json()["id"] == owner.shop_id


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "https://api.test"}, 403),
        ({"Sec-Fetch-Site": "", "Origin": "https://api.test"}, 200),
        ({"Sec-Fetch-Site": "", "Origin": "https://evil.test"}, 403),
        ({"Sec-Fetch-Site": "", "Origin": "null"}, 403),
        ({"Sec-Fetch-Site": ""}, 403),
    ],
)
def test_request__of_another_page__is_refused(owner: Browser, headers: dict[str, str], status: int) -> None:
    owner.headers = headers
    answers = [
        owner.api.get("/shop", checked=False),
        owner.api.get("/shop/defaults", checked=False),
        owner.identity("GET", "/session"),
    ]
    assert [answer.status for answer in answers] == [status] * 3
    if status == 403:
        assert {answer.code for answer in answers} == {"cross_site_request"}
        refused = owner.identity("POST", "/exchange", {"api_key": "svc_sk_x"})
        assert (refused.status, refused.code) == (403, "cross_site_request")


def test_request__of_another_page__with_a_key__is_accepted(api: MemoryApi, tenant: Tenant) -> None:
    client = Client(api.handler, key=tenant.admin, headers={"Sec-Fetch-Site": "cross-site"})
    assert client.get("/shop").status == 200


def test_shop__of_another_user__is_as_unknown(api: MemoryApi, owner: Browser) -> None:
    headers = {"X-Request-Id": "the-same-request"}
    owner.shop_id = api.tenant("Theirs").shop.id
    foreign = owner.api.get("/experiments", checked=False, headers=headers)
    owner.shop_id = "0192e4a0-ffff-7000-8000-000000000000"
    unknown = owner.api.get("/experiments", checked=False, headers=headers)
    assert (foreign.status, foreign.body) == (404, unknown.body)


@pytest.mark.parametrize("shop_id", ["", "x"])
def test_shop__not_named__is_an_invalid_header(owner: Browser, shop_id: str) -> None:
    owner.shop_id = shop_id
    answer = owner.api.get("/experiments")
    assert (answer.status, answer.code, answer.paths) == (400, "invalid_parameter", ["X-Svc-Shop"])


def test_cookie__missing_next_to_a_shop__asks_for_sign_in(owner: Browser) -> None:
    owner.token = ""
    assert owner.api.get("/shop").code == "sign_in_required"
    assert owner.identity("GET", "/session").code == "sign_in_required"


def test_rate_limit__is_that_of_the_session(api: MemoryApi, owner: Browser, tenant: Tenant) -> None:
    answer = owner.api.get("/shop")
    assert answer.headers["x-ratelimit-limit"] == str(REQUESTS_PER_MINUTE)
    bucket, now = f"session#{session_id(owner)}", api.clock.now()
    for _ in range(REQUESTS_PER_MINUTE):
        api.management.limiter.take(bucket, limit=REQUESTS_PER_MINUTE, window_seconds=60, now=now)
    assert owner.api.get("/shop").status == 429
    assert signed_in(api, tenant).api.get("/shop").status == 200


def session_id(browser: Browser) -> str:
    """Return the id of the current session."""
    return str(next(each["id"] for each in browser.identity("GET", "/sessions").json()["data"] if each["is_current"]))


def test_idempotency_key__of_a_session__repeats_the_answer_in_its_shop(api: MemoryApi, tenant: Tenant) -> None:
    owner = signed_in(api, tenant)
    user_key = api.key(kind="user", user_id=tenant.user_id).text
    shop = {"name": "Second", "domain": "second.example", "currency": "USD"}
    second = api.client(user_key).post("/shops", shop).json()["id"]
    headers = {"Idempotency-Key": "one"}
    made = owner.api.post("/goals", CLICK, headers=headers)
    repeated = owner.api.post("/goals", CLICK, headers=headers)
    assert (made.status, repeated.headers["idempotent-replayed"], repeated.body) == (201, "true", made.body)
    owner.shop_id = second
    elsewhere = owner.api.post("/goals", CLICK, headers=headers)
    assert (elsewhere.status, "idempotent-replayed" in elsewhere.headers) == (201, False)


def test_audit__of_a_change__names_the_user(api: MemoryApi, owner: Browser, tenant: Tenant) -> None:
    goal = owner.api.post("/goals", CLICK).json()
    (row,), _ = api.world.catalog.audit(tenant.shop.id, entity_id=goal["id"], limit=1)
    assert row.user_id == tenant.user_id


def test_passkey__used_ten_minutes_ago__makes_no_keys(api: MemoryApi, tenant: Tenant) -> None:
    owner = signed_in(api, tenant, level="passkey", verified_at=api.world.now())
    new_key = {"name": "Reports", "preset": "read_only"}
    api.clock.advance(minutes=9, seconds=59)
    key = owner.api.post("/api-keys", new_key).json()["id"]
    api.clock.advance(seconds=1)
    shop = {"name": "Second", "domain": "second.example", "currency": "USD"}
    refused = [
        owner.api.post("/api-keys", new_key),
        owner.api.post(f"/api-keys/{key}/rotate"),
        owner.api.post(f"/api-keys/{key}/revoke"),
        owner.api.post("/shops", shop),
    ]
    assert {(answer.status, answer.code) for answer in refused} == {(403, "passkey_required")}
    assert owner.api.get("/api-keys").status == 200
    assert owner.api.post("/goals", CLICK).status == 201


def test_emailed_code__only_reads(api: MemoryApi, tenant: Tenant) -> None:
    reader = signed_in(api, tenant, level="email")
    assert reader.api.get("/goals").status == 200
    answer = reader.api.post("/goals", CLICK)
    assert (answer.status, answer.code) == (403, "passkey_required")
    assert reader.identity("DELETE", "/session").status == 204
