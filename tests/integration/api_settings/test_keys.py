"""API keys over HTTP."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from abtest.domain.credentials.api_keys import PRESETS, digest
from abtest.kit.clock import timestamp
from abtest.ports.catalog import Commit, Head, Put, Record
from abtest.services.key_records import KEYS
from abtest.services.resources import loaded
from tests.support.api import MemoryApi, Tenant
from tests.support.keys import stored_keys

DAY = 86_400


def test_create_key__preset__shows_the_secret_once(api: MemoryApi, tenant: Tenant) -> None:
    admin = api.client(tenant.admin)
    created = admin.post("/api-keys", {"name": "Reader", "preset": "read_only"})
    assert created.status == 201
    key = created.json()
    assert key["secret"].startswith(key["key_prefix"])
    assert key["secret"].endswith(key["last_four"])
    assert set(key["scopes"]) == PRESETS["read_only"]
    read = admin.get(f"/api-keys/{key['id']}")
    assert "secret" not in read.json()
    assert key["secret"] not in read.body.decode()


def test_create_key__stored__nowhere_in_plain_text(api: MemoryApi, tenant: Tenant) -> None:
    headers = {"Idempotency-Key": "create-a-key"}
    secret = (
        api.client(tenant.admin).post("/api-keys", {"name": "K", "preset": "admin"}, headers=headers).json()["secret"]
    )
    catalog, kept = api.management.catalog, api.management.idempotency
    stored = repr(vars(catalog)) + repr(vars(kept))
    assert digest(secret) in stored
    assert secret not in stored
    assert secret[-38:-6] not in stored


def test_create_key__repeated_with_an_idempotency_key__is_told_the_same_secret(api: MemoryApi, tenant: Tenant) -> None:
    admin, headers = api.client(tenant.admin), {"Idempotency-Key": "once"}
    first = admin.post("/api-keys", {"name": "K", "preset": "admin"}, headers=headers)
    again = admin.post("/api-keys", {"name": "K", "preset": "admin"}, headers=headers)
    assert (again.status, again.body) == (first.status, first.body)
    assert again.headers["idempotent-replayed"] == "true"
    assert len(admin.get("/api-keys").json()["data"]) == 2


def test_create_key__unknown_scope__is_400(api: MemoryApi, tenant: Tenant) -> None:
    answer = api.client(tenant.admin).post("/api-keys", {"name": "K", "scopes": ["experiments:read", "shop:*"]})
    assert (answer.status, answer.code, answer.paths) == (400, "unknown_scope", ["scopes[1]"])


def test_create_key__scope_that_the_caller_lacks__names_it(api: MemoryApi, tenant: Tenant) -> None:
    limited = api.key(["keys:write", "experiments:write"], shop_id=tenant.shop.id)
    client = api.client(limited.text)
    assert client.post("/api-keys", {"name": "K", "scopes": ["experiments:read"]}).status == 201
    refused = client.post("/api-keys", {"name": "K", "scopes": ["experiments:launch"]})
    assert (refused.status, refused.code) == (403, "insufficient_scope")
    assert refused.json()["required_scope"] == refused.json()["error"]["required_scope"] == "experiments:launch"


@pytest.mark.parametrize(
    "body", [{}, {"scopes": ["shop:read"], "preset": "editor"}, {"kind": "tracking_source", "preset": "editor"}]
)
def test_create_key__scopes_and_preset_that_do_not_go_together__are_422(
    api: MemoryApi, tenant: Tenant, body: dict[str, object]
) -> None:
    answer = api.client(tenant.admin).post("/api-keys", {"name": "K", **body})
    assert (answer.status, answer.code) == (422, "validation_failed")


@pytest.mark.parametrize(("days", "status"), [(1, 201), (730, 201), (732, 422), (-1, 422)])
def test_create_key__expiry__lies_within_two_years(api: MemoryApi, tenant: Tenant, days: int, status: int) -> None:
    end = timestamp(api.clock.now() + timedelta(days=days))
    body = {"name": "K", "preset": "editor", "expires_at": end}
    assert api.client(tenant.admin).post("/api-keys", body).status == status


def test_create_key__fifty_live_ones__is_the_limit_until_one_is_revoked(api: MemoryApi, tenant: Tenant) -> None:
    admin = api.client(tenant.admin)
    made = [admin.post("/api-keys", {"name": "K", "preset": "read_only"}).json()["id"] for _ in range(49)]
    refused = admin.post("/api-keys", {"name": "K", "preset": "read_only"})
    assert (refused.status, refused.code) == (422, "limit_reached")
    admin.post(f"/api-keys/{made[0]}/revoke")
    assert admin.post("/api-keys", {"name": "K", "preset": "read_only"}).status == 201


def test_expired_key__no_longer_works_and_frees_its_place(api: MemoryApi, tenant: Tenant) -> None:
    end = timestamp(api.clock.now() + timedelta(hours=1))
    admin = api.client(tenant.admin)
    secret = admin.post("/api-keys", {"name": "K", "preset": "editor", "expires_at": end}).json()["secret"]
    assert api.client(secret).get("/me").status == 200
    api.clock.advance(hours=1)
    assert api.client(secret).get("/me").status == 401


def test_revoke__at_once__even_for_a_key_that_was_just_used(api: MemoryApi, tenant: Tenant) -> None:
    admin = api.client(tenant.admin)
    created = admin.post("/api-keys", {"name": "K", "preset": "editor"}).json()
    user = api.client(created["secret"])
    assert user.get("/me").status == 200
    assert admin.post(f"/api-keys/{created['id']}/revoke", {"reason": "lost"}).json()["revoked_at"]
    assert user.get("/me").status == 401
    assert admin.post(f"/api-keys/{created['id']}/revoke").status == 200


def test_list_keys__revoked_ones__count_as_archived(api: MemoryApi, tenant: Tenant) -> None:
    admin = api.client(tenant.admin)
    gone = admin.post("/api-keys", {"name": "Gone", "preset": "editor"}).json()["id"]
    admin.post(f"/api-keys/{gone}/revoke")
    names = {
        archived: sorted(key["name"] for key in admin.get("/api-keys", query={"archived": archived}).json()["data"])
        for archived in ("false", "true", "all")
    }
    assert names == {"false": ["First key"], "true": ["Gone"], "all": ["First key", "Gone"]}


def test_list_keys__thousands_of_revoked_ones__are_walked_in_bounded_steps(api: MemoryApi, tenant: Tenant) -> None:
    api.clock.advance(seconds=1)
    for _ in range(2000):
        api.key(shop_id=tenant.shop.id, revoked_at=api.world.now())
    admin = api.client(tenant.admin)
    first = admin.get("/api-keys").json()
    assert (first["data"], first["pagination"]["has_more"]) == ([], True)
    rest = admin.get("/api-keys", query={"cursor": first["pagination"]["next_cursor"]}).json()
    assert ([key["name"] for key in rest["data"]], rest["pagination"]["has_more"]) == (["First key"], False)


def test_list_keys__by_kind__pages_stay_whole(api: MemoryApi, tenant: Tenant) -> None:
    admin = api.client(tenant.admin)
    for number in range(6):
        admin.post("/api-keys", {"name": f"T{number}", "kind": "tracking_source"})
        admin.post("/api-keys", {"name": f"S{number}", "preset": "read_only"})
        api.clock.advance(seconds=1)
    first = admin.get("/api-keys", query={"kind": "tracking_source", "limit": 4}).json()
    query = {"kind": "tracking_source", "limit": 4, "cursor": first["pagination"]["next_cursor"]}
    second = admin.get("/api-keys", query=query).json()
    assert [key["name"] for key in first["data"] + second["data"]] == ["T5", "T4", "T3", "T2", "T1", "T0"]
    assert second["pagination"]["next_cursor"] is None


def test_cursor__other_filters_or_another_shop__is_invalid(api: MemoryApi, tenant: Tenant) -> None:
    admin = api.client(tenant.admin)
    admin.post("/api-keys", {"name": "K", "preset": "read_only"})
    cursor = admin.get("/api-keys", query={"limit": 1}).json()["pagination"]["next_cursor"]
    other = api.client(api.tenant("Other").admin)
    attempts = [
        admin.get("/api-keys", query={"limit": 1, "cursor": cursor, "archived": "all"}),
        other.get("/api-keys", query={"limit": 1, "cursor": cursor}),
        admin.get("/api-keys", query={"cursor": cursor[:-2] + "AA"}),
        admin.get("/api-keys", query={"cursor": "é"}),
        admin.get("/api-keys", query={"cursor": ""}),
    ]
    assert [(answer.status, answer.code) for answer in attempts] == [(400, "invalid_cursor")] * 5
    assert admin.get("/api-keys", query={"limit": 5, "cursor": cursor}).status == 200


def test_update_key__wider_scopes__are_refused_and_narrower_ones_hold(api: MemoryApi, tenant: Tenant) -> None:
    admin = api.client(tenant.admin)
    created = admin.post("/api-keys", {"name": "K", "scopes": ["shop:write", "experiments:read"]}).json()
    path = f"/api-keys/{created['id']}"
    wider = admin.patch(path, {"scopes": ["shop:write", "experiments:write"]})
    assert (wider.status, wider.paths) == (422, ["scopes"])
    assert admin.patch(path, {"scopes": ["shop:read"]}).json()["scopes"] == ["shop:read"]
    assert api.client(created["secret"]).patch(f"/shops/{tenant.shop.id}", {"name": "X"}).status == 403


def test_rotate__grace__keeps_the_old_secret_for_exactly_that_long(api: MemoryApi, tenant: Tenant) -> None:
    admin = api.client(tenant.admin)
    old = admin.post("/api-keys", {"name": "K", "preset": "editor"}).json()
    new = admin.post(f"/api-keys/{old['id']}/rotate", {"grace_seconds": 3600}).json()
    assert new["id"] != old["id"]
    assert new["scopes"] == old["scopes"]
    assert admin.get(f"/api-keys/{old['id']}").json()["rotated_to"] == new["id"]
    api.clock.advance(seconds=3599)
    assert api.client(old["secret"]).get("/me").status == api.client(new["secret"]).get("/me").status == 200
    api.clock.advance(seconds=1)
    assert (api.client(old["secret"]).get("/me").status, api.client(new["secret"]).get("/me").status) == (401, 200)


def test_rotate__key_that_was_rotated_and_revoked__is_called_revoked(api: MemoryApi, tenant: Tenant) -> None:
    admin = api.client(tenant.admin)
    path = f"/api-keys/{admin.post('/api-keys', {'name': 'K', 'preset': 'editor'}).json()['id']}"
    assert admin.post(f"{path}/rotate", {}).status == 201
    rotated = admin.post(f"{path}/rotate", {}).json()
    assert (rotated["current_status"], rotated["allowed_actions"]) == ("rotated", ["revoke"])
    assert admin.post(f"{path}/revoke", {}).status == 200
    revoked = admin.post(f"{path}/rotate", {}).json()
    assert (revoked["current_status"], revoked["allowed_actions"]) == ("revoked", [])


def test_rotate__no_body__grace_is_a_day(api: MemoryApi, tenant: Tenant) -> None:
    admin = api.client(tenant.admin)
    old = admin.post("/api-keys", {"name": "K", "preset": "editor"}).json()
    assert admin.post(f"/api-keys/{old['id']}/rotate").status == 201
    end = admin.get(f"/api-keys/{old['id']}").json()["expires_at"]
    assert end == timestamp(api.clock.now() + timedelta(seconds=DAY))


def test_rotate__stronger_key_than_ones_own__is_refused(api: MemoryApi, tenant: Tenant) -> None:
    admin = api.client(tenant.admin)
    strong = admin.post("/api-keys", {"name": "Strong", "preset": "admin"}).json()
    weak = api.client(api.key(["keys:write"], shop_id=tenant.shop.id).text)
    assert (weak.post(f"/api-keys/{strong['id']}/rotate").status) == 403


@pytest.mark.parametrize("verb", ["rotate", "patch"])
def test_dead_key__cannot_be_changed(api: MemoryApi, tenant: Tenant, verb: str) -> None:
    admin = api.client(tenant.admin)
    key_id = admin.post("/api-keys", {"name": "K", "preset": "editor"}).json()["id"]
    admin.post(f"/api-keys/{key_id}/revoke")
    path = f"/api-keys/{key_id}"
    answer = admin.post(f"{path}/rotate") if verb == "rotate" else admin.patch(path, {"name": "N"})
    assert (answer.status, answer.code) == (409, "conflict")
    assert (answer.json()["current_status"], answer.json()["allowed_actions"]) == ("revoked", [])


def test_last_used__noted_once_a_minute_without_moving_the_version(api: MemoryApi, tenant: Tenant) -> None:
    admin = api.client(tenant.admin)
    created = admin.post("/api-keys", {"name": "K", "preset": "editor"}).json()
    user = api.client(created["secret"])
    path = f"/api-keys/{created['id']}"
    tag = admin.get(path).headers["etag"]
    seen = []
    for _ in range(4):
        user.get("/me")
        seen.append(admin.get(path).json()["last_used_at"])
        api.clock.advance(seconds=31)
    assert seen[0] == seen[1] != seen[2] == seen[3]
    assert admin.get(path).headers["etag"] == tag


def test_last_used__stored_by_an_earlier_release__is_shown_until_the_next_use(api: MemoryApi, tenant: Tenant) -> None:
    admin, shop_id = api.client(tenant.admin), tenant.shop.id
    created = admin.post("/api-keys", {"name": "K", "preset": "editor"}).json()
    path, former = f"/api-keys/{created['id']}", "2026-01-01T00:00:00.000Z"
    head = Head(
        shop_id=shop_id, kind="SET", id=f"SET#USED#{created['id']}", version=1, created_at=former, updated_at=former
    )
    record = Record(head=head, body={"last_used_at": former})
    api.world.catalog.commit(Commit(puts=[Put(record=record, expected_version=0)]))
    listed = {key["id"]: key["last_used_at"] for key in admin.get("/api-keys").json()["data"]}
    assert admin.get(path).json()["last_used_at"] == listed[created["id"]] == former
    api.client(created["secret"]).get("/me")
    assert admin.get(path).json()["last_used_at"] == api.world.now()


def test_other_shops_key__is_not_found(api: MemoryApi, tenant: Tenant) -> None:
    theirs = api.client(api.tenant("Other").admin).get("/api-keys").json()["data"][0]["id"]
    admin = api.client(tenant.admin)
    answers = [
        admin.get(f"/api-keys/{theirs}"),
        admin.patch(f"/api-keys/{theirs}", {"name": "Mine"}),
        admin.post(f"/api-keys/{theirs}/rotate"),
        admin.post(f"/api-keys/{theirs}/revoke"),
    ]
    assert [answer.status for answer in answers] == [404] * 4


def test_audit__of_a_key_with_every_scope__names_each_of_them(api: MemoryApi, tenant: Tenant) -> None:
    created = api.client(tenant.admin).post("/api-keys", {"name": "K", "preset": "admin"}).json()
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=created["id"], limit=10)
    assert [row.diff["scopes"] for row in rows] == [[None, created["scopes"]]]


def test_audit__of_a_key__holds_neither_secret_nor_hash(api: MemoryApi, tenant: Tenant) -> None:
    created = api.client(tenant.admin).post("/api-keys", {"name": "K", "preset": "editor"}).json()
    api.client(tenant.admin).post(f"/api-keys/{created['id']}/rotate")
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=created["id"], limit=10)
    assert {row.action for row in rows} == {"api_key.create", "api_key.rotate"}
    assert created["secret"] not in repr(rows)
    assert digest(created["secret"]) not in repr(rows)


@pytest.fixture
def overtaken(api: MemoryApi) -> Callable[[Callable[[], object]], None]:
    """Lets a rival act between the next use case's reading and its commit."""

    def arrange(rival: Callable[[], object]) -> None:
        catalog = api.management.catalog
        commit = catalog.commit

        def late(change: Commit) -> None:
            catalog.commit = commit  # type: ignore[method-assign]
            rival()
            commit(change)

        catalog.commit = late  # type: ignore[method-assign]

    return arrange


def test_create_key__two_at_once_for_the_last_place__only_one_gets_it(
    api: MemoryApi, tenant: Tenant, overtaken: Callable[[Callable[[], object]], None]
) -> None:
    admin = api.client(tenant.admin)
    for _ in range(48):
        assert admin.post("/api-keys", {"name": "K", "preset": "read_only"}).status == 201
    overtaken(lambda: api.key(shop_id=tenant.shop.id))
    answer = admin.post("/api-keys", {"name": "K", "preset": "read_only"})
    assert (answer.status, answer.code) == (422, "limit_reached")
    assert len(admin.get("/api-keys", query={"limit": 100}).json()["data"]) == 50


def test_update_key__that_lost_a_race__keeps_what_the_other_did(
    api: MemoryApi, tenant: Tenant, overtaken: Callable[[Callable[[], object]], None]
) -> None:
    admin = api.client(tenant.admin)
    path = f"/api-keys/{admin.post('/api-keys', {'name': 'K', 'preset': 'editor'}).json()['id']}"
    overtaken(lambda: _rename(api, tenant, path.rpartition("/")[2]))
    assert admin.patch(path, {"scopes": ["shop:read"]}).status == 200
    assert (admin.get(path).json()["name"], admin.get(path).json()["scopes"]) == ("Rival's", ["shop:read"])


def _rename(api: MemoryApi, tenant: Tenant, key_id: str) -> None:
    catalog = api.world.catalog
    key = loaded(catalog, KEYS, tenant.shop.id, key_id)
    renamed = replace(key, name="Rival's", version=key.version + 1)
    catalog.commit(stored_keys(catalog, [renamed], api.world.now()))
