"""Shops over HTTP."""

import pytest

from abtest.kit import canonical_json
from abtest.kit.clock import to_milliseconds
from abtest.ports.blobs import BlobsUnavailableError
from abtest.services.shop_records import read_shop
from tests.support.api import MemoryApi, Tenant


def test_me__shop_key__names_key_shop_and_limit(api: MemoryApi, tenant: Tenant) -> None:
    answer = api.client(tenant.admin).get("/me")
    assert answer.status == 200
    assert answer.json()["shop"]["id"] == tenant.shop.id
    assert answer.json()["key"]["kind"] == "shop"
    assert answer.json()["rate_limit"] == {"limit": 600, "window_seconds": 60}


def test_me__user_key__has_no_shop(api: MemoryApi) -> None:
    answer = api.client(api.key(kind="user").text).get("/me")
    assert answer.json()["shop"] is None
    assert answer.json()["key"]["shop_id"] is None


def test_create_shop__user_key__gives_a_shop_whose_first_key_works(api: MemoryApi) -> None:
    user = api.client(api.key(kind="user").text)
    created = user.post("/shops", {"name": "Second", "domain": "Two.Example", "currency": "JPY"})
    assert created.status == 201
    shop = created.json()
    assert (shop["domain"], shop["tier"], shop["holdout_pct"]) == ("two.example", "self_managed", 0)
    with_first_key = api.client(shop["api_key"]["secret"])
    assert with_first_key.get("/shop").json()["id"] == shop["id"]
    assert [entry["id"] for entry in user.get("/shops").json()["data"]] == [shop["id"]]


@pytest.mark.parametrize(
    ("tier", "status"),
    [("self_managed", 201), ("service_managed", 400), ("legacy_managed", 400), ("", 400), (None, 400)],
)
def test_create_shop__with_a_tier__is_refused_unless_it_is_the_default(
    api: MemoryApi, tier: str | None, status: int
) -> None:
    user = api.client(api.key(kind="user").text)
    answer = user.post("/shops", {"name": "S", "domain": "s.example", "currency": "EUR", "tier": tier})
    assert answer.status == status
    if status == 400:
        assert (answer.code, answer.paths) == ("invalid_request", ["tier"])
        assert user.get("/shops").json()["data"] == []


def test_create_shop__at_once__the_edge_knows_it(api: MemoryApi) -> None:
    user = api.client(api.key(kind="user").text)
    shop_id = user.post("/shops", {"name": "S", "domain": "s.example", "currency": "EUR"}).json()["id"]
    assert any(shop_id in entry.key for entry in api.management.blobs.list(""))
    assert api.world.catalog.outbox("publish", created_before="9999", limit=10) == []


def test_create_shop__shop_key__needs_a_user_key(api: MemoryApi, tenant: Tenant) -> None:
    answer = api.client(tenant.admin).post("/shops", {"name": "S", "domain": "s.example", "currency": "EUR"})
    assert (answer.status, answer.code) == (403, "user_key_required")


def test_create_shop__unknown_currency__names_the_field(api: MemoryApi) -> None:
    user = api.client(api.key(kind="user").text)
    answer = user.post("/shops", {"name": "S", "domain": "not a host", "currency": "EUX"})
    assert (answer.status, answer.code, sorted(answer.paths)) == (400, "invalid_request", ["currency", "domain"])


def test_list_shops__many__pages_through_all_newest_first(api: MemoryApi) -> None:
    key = api.key(kind="user")
    user = api.client(key.text)
    made = []
    for number in range(5):
        body = {"name": f"S{number}", "domain": "s.example", "currency": "EUR"}
        made.append(user.post("/shops", body).json()["id"])
        api.clock.advance(seconds=1)
    seen, cursor = [], None
    while True:
        query = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = user.get("/shops", query=query).json()
        seen += [shop["id"] for shop in page["data"]]
        cursor = page["pagination"]["next_cursor"]
        assert page["pagination"]["has_more"] == (cursor is not None)
        if cursor is None:
            break
    assert seen == made[::-1]


def test_list_shops__filters_and_order__are_those_of_lists(api: MemoryApi) -> None:
    user = api.client(api.key(kind="user").text)
    made = {}
    for name in ("Garden", "Attic", "Garage"):
        made[name] = user.post("/shops", {"name": name, "domain": "s.example", "currency": "EUR"}).json()["id"]
        api.clock.advance(seconds=1)
    since = api.world.now()
    owner = api.client(api.key(["shop:write"], shop_id=made["Garden"]).text)
    assert owner.patch(f"/shops/{made['Garden']}", {"name": "Gardens"}).status == 200

    def listed(**query: str) -> list[str]:
        return [shop["name"] for shop in user.get("/shops", query=query).json()["data"]]

    assert listed() == ["Garage", "Attic", "Gardens"]
    assert listed(sort="name") == ["Attic", "Garage", "Gardens"]
    assert listed(q="GAR") == ["Garage", "Gardens"]
    assert listed(updated_since=since) == ["Gardens"]
    refused = user.get("/shops", query={"status": "active"})
    assert (refused.status, refused.code, refused.paths) == (400, "unknown_property", ["status"])


def test_get_shop__others__is_told_as_an_unknown_one(api: MemoryApi, tenant: Tenant) -> None:
    other = api.tenant("Other")
    client = api.client(tenant.admin, headers={"X-Request-Id": "same-request"})
    theirs = client.get(f"/shops/{other.shop.id}")
    unknown = client.get(f"/shops/{api.world.new_id()}")
    assert theirs.status == unknown.status == 404
    assert theirs.body == unknown.body


def test_get_shop__user_of_another_shop__is_not_found(api: MemoryApi, tenant: Tenant) -> None:
    stranger = api.client(api.key(kind="user").text)
    owner = api.client(api.key(kind="user", user_id=tenant.user_id).text)
    assert stranger.get(f"/shops/{tenant.shop.id}").status == 404
    assert owner.get(f"/shops/{tenant.shop.id}").status == 200


def test_update_shop__currency__is_published(api: MemoryApi, tenant: Tenant) -> None:
    client = api.client(tenant.admin)
    answer = client.patch(f"/shops/{tenant.shop.id}", {"currency": "USD", "holdout_pct": 10})
    assert answer.status == 200
    assert "publication_warning" not in answer.json()
    configs = [api.management.blobs.get(entry.key) for entry in api.management.blobs.list("")]
    assert any(blob and b'"currency":"USD"' in blob.content for blob in configs)


def test_update_shop__time_zone__is_spelled_as_in_the_database_and_not_published(
    api: MemoryApi, tenant: Tenant
) -> None:
    client, path = api.client(tenant.admin), f"/shops/{tenant.shop.id}"
    assert client.get(path).json()["timezone"] == "UTC"
    before = [entry.key for entry in api.management.blobs.list("")]
    assert client.patch(path, {"timezone": "europe/berlin"}).json()["timezone"] == "Europe/Berlin"
    assert [entry.key for entry in api.management.blobs.list("")] == before
    for zone in ("Europe/Atlantis", "", "../etc/passwd", "posix/Europe/Berlin", None, 1):
        refused = client.patch(path, {"timezone": zone})
        assert (refused.status, refused.paths) == (400, ["timezone"])
    assert client.get(path).json()["timezone"] == "Europe/Berlin"


def test_update_shop__delivery_store_down__warns_and_keeps_the_promise(api: MemoryApi, tenant: Tenant) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise BlobsUnavailableError

    api.management.blobs.put = refuse  # type: ignore[method-assign]
    answer = api.client(tenant.admin).patch(f"/shops/{tenant.shop.id}", {"currency": "USD"})
    assert answer.status == 200
    assert answer.json()["publication_warning"]["code"] == "storefront_publication_incomplete"
    assert answer.json()["currency"] == "USD"
    assert [row.shop_id for row in api.world.catalog.outbox("publish", created_before="9999", limit=10)] == [
        tenant.shop.id
    ]


def test_update_shop__name_only__publishes_nothing(api: MemoryApi, tenant: Tenant) -> None:
    before = api.world.catalog.next_revision(tenant.shop.id)
    api.client(tenant.admin).patch(f"/shops/{tenant.shop.id}", {"name": "New name"})
    assert api.world.catalog.next_revision(tenant.shop.id) == before + 1


def test_update_shop__read_only_fields__are_refused(api: MemoryApi, tenant: Tenant) -> None:
    client = api.client(tenant.admin)
    for field in ("id", "tier", "platform", "org_id", "operator_enabled", "created_at", "domain", "version"):
        answer = client.patch(f"/shops/{tenant.shop.id}", {field: "x"})
        assert (answer.status, answer.code, answer.paths) == (400, "unknown_property", [field])


def test_update_shop__stale_if_match__is_412_and_changes_nothing(api: MemoryApi, tenant: Tenant) -> None:
    client = api.client(tenant.admin)
    tag = client.get("/shop").headers["etag"]
    assert client.patch(f"/shops/{tenant.shop.id}", {"name": "A"}, headers={"If-Match": tag}).status == 200
    again = client.patch(f"/shops/{tenant.shop.id}", {"name": "B"}, headers={"If-Match": tag})
    assert (again.status, again.code) == (412, "version_conflict")
    assert client.get("/shop").json()["name"] == "A"


@pytest.mark.parametrize(
    ("value", "status"),
    [(0, 200), (10, 200), (2.5, 200), (10.0001, 400), (-0.1, 400), ("1", 400), (True, 400), (None, 400)],
)
def test_update_shop__holdout_at_and_past_the_border__is_taken_or_refused(
    api: MemoryApi, tenant: Tenant, value: object, status: int
) -> None:
    assert api.client(tenant.admin).patch(f"/shops/{tenant.shop.id}", {"holdout_pct": value}).status == status


def test_update_shop__holdout__is_stored_with_its_moment_and_promised_to_shoppers(
    api: MemoryApi, tenant: Tenant
) -> None:
    api.clock.advance(seconds=1)
    before = api.world.catalog.next_revision(tenant.shop.id)
    answer = api.client(tenant.admin).patch(f"/shops/{tenant.shop.id}", {"holdout_v1_enabled": True})
    assert "holdout_config_epoch" not in answer.json()
    stored = read_shop(api.world.catalog, tenant.shop.id)
    assert stored.holdout_config_epoch == to_milliseconds(api.clock.now())
    assert api.world.catalog.next_revision(tenant.shop.id) == before + 2


def test_update_shop__done__leaves_an_audit_row_with_the_difference(api: MemoryApi, tenant: Tenant) -> None:
    api.clock.advance(seconds=1)
    api.client(tenant.admin).patch(f"/shops/{tenant.shop.id}", {"name": "New"})
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=tenant.shop.id, limit=1)
    assert (rows[0].action, rows[0].diff) == ("shop.update", {"name": ["Shop", "New"]})


def test_defaults__landing_pages_need_qa__until_the_shop_turns_it_off(api: MemoryApi, tenant: Tenant) -> None:
    client = api.client(tenant.admin)
    assert client.get("/shop/defaults").json()["require_landing_qa"] is True
    assert client.patch("/shop/defaults", {"require_landing_qa": False}).json()["require_landing_qa"] is False
    assert client.get("/shop/defaults").json()["require_landing_qa"] is False
    assert client.patch("/shop/defaults", {"require_landing_qa": "no"}, checked=False).status == 400


def test_defaults__untouched__require_approval_by_tier(api: MemoryApi) -> None:
    for tier, required in (("self_managed", False), ("service_managed", True)):
        client = api.client(api.tenant(tier=tier).admin)
        assert client.get("/shop/defaults").json()["require_approval"] is required


def test_update_defaults__merge_patch__changes_what_is_named(api: MemoryApi, tenant: Tenant) -> None:
    client = api.client(tenant.admin)
    first = client.patch("/shop/defaults", {"guardian": {"pause_on_harm": False}, "alpha": 0.01})
    assert first.status == 200
    assert first.json()["guardian"]["pause_on_harm"] is False
    assert first.json()["guardian"]["pause_on_broken"] is True
    assert client.patch("/shop/defaults", {"auto_stop": {"mode": "sequential_significance"}}).json()["alpha"] == 0.01


@pytest.mark.parametrize(
    ("name", "stored"), [("sequential", "sequential_significance"), ("group_sequential", "group_sequential")]
)
def test_update_defaults__short_name_of_a_mode__is_answered_by_the_long_one(
    api: MemoryApi, tenant: Tenant, name: str, stored: str
) -> None:
    client = api.client(tenant.admin)
    assert client.patch("/shop/defaults", {"auto_stop": {"mode": name}}).json()["auto_stop"]["mode"] == stored
    assert client.get("/shop/defaults").json()["auto_stop"]["mode"] == stored


def test_update_defaults__null_inside_guardian__is_what_is_inherited_again(api: MemoryApi, tenant: Tenant) -> None:
    client = api.client(tenant.admin)
    inherited = client.get("/shop/defaults").json()["guardian"]
    client.patch("/shop/defaults", {"guardian": {"enabled": False, "revenue_loss": {"currency": "EUR"}}})
    after = client.patch("/shop/defaults", {"guardian": {"enabled": None, "revenue_loss": None}})
    assert after.json()["guardian"] == inherited == client.get("/shop/defaults").json()["guardian"]


def test_update_defaults__alpha_past_the_border__is_refused(api: MemoryApi, tenant: Tenant) -> None:
    answer = api.client(tenant.admin).patch("/shop/defaults", {"alpha": 0.2001, "guardian": {"colour": 1}})
    assert (answer.status, sorted(answer.paths)) == (400, ["alpha", "guardian.colour"])


def test_update_defaults__whole_numbers__are_kept_as_far_as_json_keeps_them(api: MemoryApi, tenant: Tenant) -> None:
    client = api.client(tenant.admin)
    for largest, status in ((2**53 - 1, 200), (2**53, 400)):
        stop = {"mode": "off", "min_runtime_minutes": largest, "sequential": {"min_visitors": largest}}
        drift = {"minSamples": largest}
        answer = client.patch("/shop/defaults", {"auto_stop": stop, "guardian": {"delivery_drift": drift}})
        assert answer.status == status


def test_conditional_get__unchanged__is_304_without_a_body(api: MemoryApi, tenant: Tenant) -> None:
    client = api.client(tenant.admin)
    tag = client.get("/shop").headers["etag"]
    answer = client.get("/shop", headers={"If-None-Match": tag})
    assert (answer.status, answer.body, answer.headers["etag"]) == (304, b"", tag)


def test_openapi__served__is_conditional_and_open(api: MemoryApi) -> None:
    anonymous = api.client()
    document = anonymous.get("/openapi.json")
    assert canonical_json.loads(document.body)["openapi"].startswith("3.1")
    assert anonymous.get("/openapi.json", headers={"If-None-Match": document.headers["etag"]}).status == 304
