"""Flags: made, read, found by key, edited, deleted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client

Create = Callable[..., dict[str, Any]]
SCHEDULE = {"excludedDays": ["saturday", "sunday"], "timezone": "Europe/Berlin"}


def test_flag__only_key_and_name__has_the_defaults_and_every_field(create: Create, client: Client) -> None:
    flag = create()
    assert {name: flag[name] for name in flag.keys() - {"id", "created_at", "updated_at"}} == {
        "key": "new-checkout",
        "name": "New checkout",
        "description": None,
        "status": "draft",
        "delivery_type": "visual",
        "environment_key": "production",
        "rollout_percentage": 1,
        "targeting": None,
        "weekday_schedule": None,
        "variants": [{"key": "off", "value": False}, {"key": "on", "value": True}],
    }
    assert client.get(f"/flags/{flag['id']}").json() == flag


def test_flag__everything_stated__is_kept_as_it_came(create: Create) -> None:
    stated = {
        "description": "Shorter",
        "environment_key": "eu_test-2",
        "rollout_percentage": 0.25,
        "targeting": {"pageMatchMode": "all", "ours": {"kept": True}},
        "weekday_schedule": SCHEDULE,
    }
    flag = create("k", off_value=None, on_value={"color": ["red", 1, None]}, **stated)
    assert {name: flag[name] for name in stated} == stated
    assert flag["variants"] == [{"key": "off", "value": None}, {"key": "on", "value": {"color": ["red", 1, None]}}]


@pytest.mark.parametrize("key", ["a", "0", "a" * 100, "a-b", "a--b", "0-1"])
def test_key__at_its_limits__is_taken(create: Create, key: str) -> None:
    assert create(key)["key"] == key


NESTED: Any = "x"
for _ in range(19):
    NESTED = [NESTED]

BAD: dict[str, list[Any]] = {
    "key": ["", "a" * 101, "A", "-a", "a-", "a_b", "a b", "é", "a\n", 7, None],
    "name": ["", "n" * 256, None, 1],
    "description": ["d" * 2001, 1],
    "delivery_type": ["recommendation", None],
    "environment_key": ["", "e" * 49, "Production", "a b", "a#b", None],
    "rollout_percentage": [-0.01, 1.01, "1", True, None],
    "targeting": ["everywhere", []],
    "weekday_schedule": [{"excludedDays": ["monday"]}, {"excludedDays": [], "timezone": "UTC"}],
    "off_value": ["x" * 65_535, [NESTED]],
    "on_value": ["x" * 65_535, [NESTED]],
    "activate": ["yes", None],
}


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in BAD.items() for value in values])
def test_field__of_a_wrong_form__is_400_with_its_path_and_stores_nothing(
    client: Client, field: str, value: Any
) -> None:
    answer = client.post("/flags", {"key": "k", "name": "K", field: value})
    assert (answer.status, answer.code) == (400, "invalid_request")
    assert all(path.split(".")[0] == field for path in answer.paths)
    assert client.get("/flags").json()["data"] == []


@pytest.mark.parametrize("field", ["key", "name"])
def test_field__required__is_missed(client: Client, field: str) -> None:
    body = {"key": "k", "name": "K"}
    del body[field]
    answer = client.post("/flags", body)
    assert (answer.status, answer.paths) == (400, [field])


def test_values__at_their_limits__are_kept(create: Create, client: Client) -> None:
    flag = create(name="n" * 255, description="d" * 2000, off_value="x" * 65_534, on_value=NESTED)
    assert flag["variants"][0]["value"] == "x" * 65_534
    assert flag["variants"][1]["value"] == NESTED


def test_property__unknown__is_400(client: Client) -> None:
    answer = client.post("/flags", {"key": "k", "name": "K", "status": "active"})
    assert (answer.status, answer.code, answer.paths) == (400, "unknown_property", ["status"])


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"delivery_type": "api", "weekday_schedule": SCHEDULE}, "weekday_schedule"),
        ({"weekday_schedule": SCHEDULE | {"timezone": "Mars/Olympus"}}, "weekday_schedule.timezone"),
        ({"weekday_schedule": SCHEDULE | {"timezone": "../../etc/passwd"}}, "weekday_schedule.timezone"),
    ],
)
def test_fields__that_do_not_go_together__are_422_with_their_path(
    client: Client, create: Create, fields: dict[str, Any], path: str
) -> None:
    answer = client.post("/flags", {"key": "k", "name": "K", **fields})
    assert (answer.status, answer.code, answer.paths) == (422, "validation_failed", [path])
    address = f"/flags/{create()['id']}"
    answer = client.patch(address, fields)
    assert (answer.status, answer.paths) == (422, [path])
    assert client.get(address).headers["etag"] == 'W/"1"'


def test_key__of_another_flag_of_the_environment__is_taken(create: Create, client: Client) -> None:
    create("k")
    create("k", environment_key="staging")
    answer = client.post("/flags", {"key": "k", "name": "K"})
    assert (answer.status, answer.code) == (409, "key_taken")
    other = create("other")
    assert client.patch(f"/flags/{other['id']}", {"key": "k"}).code == "key_taken"
    assert client.patch("/flags/k", {"environment_key": "staging"}).code == "key_taken"


def test_flag__by_its_key__is_that_of_the_environment(create: Create, client: Client) -> None:
    live, staged = create("k"), create("k", environment_key="staging")
    assert client.get("/flags/k").json() == live
    assert client.get("/flags/k", query={"environment_key": "staging"}).json() == staged
    assert client.get("/flags/k", query={"environment_key": "none"}).code == "not_found"
    assert client.get(f"/flags/{staged['id'].upper()}").json() == staged


def test_key__in_the_form_of_an_id__is_found(create: Create, client: Client) -> None:
    key = "0192f000-0000-7000-8000-000000000001"
    flag = create(key)
    assert client.get(f"/flags/{key}").json() == flag


@pytest.mark.parametrize("reference", ["-", "K", "a_b", "k" * 101, "k%20k", "%F0%9F%98%80"])
def test_reference__of_no_form__is_400(client: Client, reference: str) -> None:
    assert client.get(f"/flags/{reference}").code == "invalid_parameter"


def test_key__changed__is_free_for_others_and_leads_to_its_flag(create: Create, client: Client) -> None:
    flag = create("old")
    changed = client.patch("/flags/old", {"key": "new", "environment_key": "staging"})
    assert changed.status == 200
    assert client.get("/flags/old").status == 404
    assert client.get("/flags/new", query={"environment_key": "staging"}).json()["id"] == flag["id"]
    assert create("old")["id"] != flag["id"]
    assert client.delete(f"/flags/{flag['id']}").status == 204
    create("new", environment_key="staging")


def test_patch__merges__absent_stays_and_null_clears(create: Create, client: Client) -> None:
    flag = create(description="d", targeting={"a": 1, "b": {"c": 2}}, weekday_schedule=SCHEDULE)
    changed = client.patch(
        f"/flags/{flag['id']}", {"description": None, "targeting": {"a": None, "b": {"d": 3}}, "rollout_percentage": 0}
    ).json()
    assert changed | {"updated_at": flag["updated_at"]} == flag | {
        "description": None,
        "targeting": {"b": {"c": 2, "d": 3}},
        "rollout_percentage": 0,
    }
    cleared = client.patch(f"/flags/{flag['id']}", {"targeting": None, "weekday_schedule": None}).json()
    assert (cleared["targeting"], cleared["weekday_schedule"]) == (None, None)


def test_patch__that_says_nothing_new__stores_nothing(create: Create, client: Client) -> None:
    flag = create()
    answer = client.patch(f"/flags/{flag['id']}", {"name": flag["name"]})
    assert (answer.json(), answer.headers["etag"]) == (flag, 'W/"1"')


@pytest.mark.parametrize("field", ["off_value", "on_value", "activate"])
def test_patch__of_what_has_its_own_route__is_400(create: Create, client: Client, field: str) -> None:
    answer = client.patch(f"/flags/{create()['id']}", {field: True})
    assert (answer.status, answer.code, answer.paths) == (400, "unknown_property", [field])


def test_if_match__of_an_older_version__is_412(create: Create, client: Client) -> None:
    path = f"/flags/{create()['id']}"
    old = {"if-match": 'W/"1"'}
    assert client.patch(path, {"name": "Two"}, headers=old).headers["etag"] == 'W/"2"'
    assert client.patch(path, {"name": "Three"}, headers=old).status == 412
    assert client.post(f"{path}/activate", headers=old).status == 412
    assert client.delete(path, headers=old).status == 412
    assert (
        client.put(f"{path}/variants", [{"key": "on", "value": 1}, {"key": "off", "value": 0}], headers=old).status
        == 412
    )
    assert client.get(path, headers={"if-none-match": 'W/"2"'}).status == 304


def test_variants__replaced__keep_1_and_true_apart(create: Create, client: Client) -> None:
    path = f"/flags/{create()['id']}/variants"
    answer = client.put(path, [{"key": "on", "value": 1}, {"key": "off", "value": None}])
    assert answer.json()["variants"] == [{"key": "off", "value": None}, {"key": "on", "value": 1}]
    assert answer.json()["variants"][1]["value"] is not True
    assert client.put(path, [{"key": "on", "value": True}, {"key": "off", "value": None}]).headers["etag"] == 'W/"3"'


@pytest.mark.parametrize(
    ("body", "status", "paths"),
    [
        ([{"key": "on", "value": 1}, {"key": "on", "value": 2}], 422, ["[1].key"]),
        ([{"key": "on", "value": 1}], 400, [""]),
        ([], 400, [""]),
        ([{"key": "on", "value": 1}, {"key": "off"}], 400, ["[1].value"]),
        ([{"key": "on", "value": 1}, {"key": "half", "value": 1}], 400, ["[1].key"]),
        ([{"key": "on", "value": 1}, {"key": "off", "value": 1, "weight": 1}], 400, ["[1].weight"]),
        ([{"key": "on", "value": "x" * 65_535}, {"key": "off", "value": 1}], 400, ["[0].value"]),
        ({"on": 1, "off": 2}, 400, [""]),
    ],
)
def test_variants__not_both_once__are_refused(
    create: Create, client: Client, body: Any, status: int, paths: list[str]
) -> None:
    answer = client.put(f"/flags/{create()['id']}/variants", body)
    assert (answer.status, answer.paths) == (status, paths)


def test_delete__draft__is_gone_with_its_key(create: Create, client: Client) -> None:
    flag = create("k")
    assert client.delete("/flags/k").status == 204
    assert client.get(f"/flags/{flag['id']}").status == 404
    assert client.delete("/flags/k").status == 404
    create("k")


def test_creation__repeated_with_its_idempotency_key__is_one_flag(client: Client) -> None:
    once = {"idempotency-key": "one"}
    body = {"key": "k", "name": "K", "activate": True}
    first = client.post("/flags", body, headers=once)
    again = client.post("/flags", body, headers=once)
    assert (again.status, again.json()) == (201, first.json())
    assert again.headers["idempotent-replayed"] == "true"
    assert len(client.get("/flags").json()["data"]) == 1
    assert client.post("/flags", body | {"name": "Other"}, headers=once).code == "idempotency_key_reused"


def test_audit__of_every_write__says_what_changed(api: MemoryApi, tenant: Tenant, client: Client) -> None:
    variants = [{"key": "on", "value": 1}, {"key": "off", "value": False}]
    writes: list[Callable[[], Any]] = [
        lambda: client.post("/flags", {"key": "k", "name": "K"}),
        lambda: client.patch("/flags/k", {"rollout_percentage": 0.5}),
        lambda: client.put("/flags/k/variants", variants),
        lambda: client.post("/flags/k/activate"),
        lambda: client.post("/flags/k/activate"),
        lambda: client.post("/flags", {"key": "j", "name": "J"}),
        lambda: client.delete("/flags/j"),
    ]
    for write in writes:
        api.clock.advance(seconds=1)
        write()
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=None, limit=50)
    told = [row for row in rows if row.entity_type == "flag"]
    verbs = ["delete", "create", "activate", "set_variants", "update", "create"]
    assert [row.action for row in told] == [f"flag.{verb}" for verb in verbs]
    assert {row.user_id for row in told} == {tenant.user_id}
    assert told[4].diff == {"rollout_percentage": [1.0, 0.5]}
    assert told[3].diff == {"on_value": [True, 1]}
    assert told[2].diff["status"] == ["draft", "active"]


@pytest.mark.parametrize(
    ("sent", "stored"), [("europe/berlin", "Europe/Berlin"), ("utc", "UTC"), ("AMERICA/NEW_YORK", "America/New_York")]
)
def test_schedule__with_a_time_zone_in_any_case__has_the_spelling_of_the_database(
    create: Create, client: Client, sent: str, stored: str
) -> None:
    flag = create(weekday_schedule=SCHEDULE | {"timezone": sent})
    assert flag["weekday_schedule"] == SCHEDULE | {"timezone": stored}
    changed = client.patch(f"/flags/{flag['id']}", {"weekday_schedule": SCHEDULE | {"timezone": sent.upper()}})
    assert changed.json()["weekday_schedule"]["timezone"] == stored
