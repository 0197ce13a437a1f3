"""Exclusion groups over HTTP: members and shares, who is moved, who must be asked."""

from collections.abc import Callable
from typing import Any

import pytest

from abtest.domain.exclusion_groups.documents import exclusion_group_from
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Answer, Client

Json = dict[str, Any]
Create = Callable[..., Json]
UNKNOWN = "019c0000-0000-7000-8000-000000000000"
Ids = list[str]


@pytest.fixture
def ids(create: Create) -> Ids:
    """Three drafts."""
    return [create(name=f"Experiment {number}")["id"] for number in range(3)]


def members(*pairs: tuple[str, float]) -> list[Json]:
    return [{"experiment_id": experiment_id, "share": share} for experiment_id, share in pairs]


@pytest.fixture
def group(client: Client, ids: Ids) -> Json:
    """Two of them, half and half."""
    wish = {"name": "Checkout tests", "members": members((ids[0], 0.5), (ids[1], 0.5))}
    answer = client.post("/exclusion-groups", wish)
    assert answer.status == 201, answer.body
    made: Json = answer.json()
    return made


def ranges(api: MemoryApi, tenant: Tenant, group: Json) -> dict[str, tuple[tuple[int, int], ...]]:
    """The buckets that the members hold."""
    record = api.world.catalog.get(tenant.shop.id, "GRP", group["id"])
    assert record is not None
    return {member.experiment_id: member.ranges for member in exclusion_group_from(record.body).members}


def test_create__shows_members_and_the_first_epoch(client: Client, group: Json, ids: Ids) -> None:
    assert group["members"] == members((ids[0], 0.5), (ids[1], 0.5))
    assert (group["name"], group["epoch"]) == ("Checkout tests", 1)
    found = client.get(f"/exclusion-groups/{group['id']}")
    assert (found.json(), found.headers["etag"]) == (group, 'W/"1"')
    assert client.get("/exclusion-groups", query={"q": "CHECK"}).json()["data"] == [group]
    assert client.get("/exclusion-groups", query={"q": "cart"}).json()["data"] == []


def test_update__keeps_buckets_and_raises_the_epoch(
    api: MemoryApi, tenant: Tenant, client: Client, group: Json, ids: Ids
) -> None:
    path = f"/exclusion-groups/{group['id']}"
    third = members((ids[0], 0.4), (ids[1], 0.5), (ids[2], 0.1))
    answer = client.patch(path, {"members": third})
    assert (answer.json()["epoch"], answer.json()["members"]) == (2, third)
    assert ranges(api, tenant, group) == {
        ids[0]: ((0, 4000),),
        ids[1]: ((5000, 10_000),),
        ids[2]: ((4000, 5000),),
    }
    assert client.patch(path, {"name": "Cart tests"}).json()["epoch"] == 2
    assert client.patch(path, {"members": list(reversed(third))}).json()["epoch"] == 2
    assert client.patch(path, {"members": third[1:]}).json()["epoch"] == 3
    assert client.patch(path, {"members": []}).json()["members"] == []


def bad(answers: list[Answer], status: int, path: str) -> None:
    for answer in answers:
        assert (answer.status, answer.paths) == (status, [path])


def test_write__with_one_thing_wrong__is_refused_and_changes_nothing(
    client: Client, group: Json, ids: Ids, create: Create
) -> None:
    path = f"/exclusion-groups/{group['id']}"
    cases: list[tuple[Any, int, str]] = [
        (members((ids[2], 1.01)), 400, "members[0].share"),
        (members((ids[2], -0.01)), 400, "members[0].share"),
        ([{"experiment_id": "1234567890", "share": 0.1}], 400, "members[0].experiment_id"),
        ([{"experiment_id": ids[2]}], 400, "members[0].share"),
        (members(*((ids[2], 0.01) for _ in range(21))), 400, "members"),
        (None, 400, "members"),
        (members((ids[2], 0.6), (ids[1], 0.5)), 422, "members"),
        (members((ids[2], 0.1), (ids[2], 0.1)), 422, "members[1].experiment_id"),
        (members((ids[2], 0.1), (UNKNOWN, 0.1)), 422, "members[1].experiment_id"),
    ]
    for wrong, status, field in cases:
        wish = {"name": "x", "members": wrong}
        bad([client.post("/exclusion-groups", wish), client.patch(path, {"members": wrong})], status, field)
    for name in ("", "n" * 256, None):
        bad([client.post("/exclusion-groups", {"name": name}), client.patch(path, {"name": name})], 400, "name")
    assert client.get("/exclusion-groups").json()["data"] == [group]


def test_members__are_20_at_most(client: Client, create: Create) -> None:
    many = [create(name=str(number))["id"] for number in range(21)]
    twenty = members(*((found, 0.05) for found in many[:20]))
    made = client.post("/exclusion-groups", {"name": "n" * 255, "members": twenty})
    assert made.status == 201
    path = f"/exclusion-groups/{made.json()['id']}"
    assert client.patch(path, {"members": members(*((found, 0.04) for found in many[1:]))}).status == 200
    assert client.patch(path, {"members": members(*((found, 0.04) for found in many))}).status == 400


def test_experiment__of_another_group__is_refused_and_says_which(client: Client, group: Json, ids: Ids) -> None:
    wish = {"name": "Other", "members": members((ids[2], 0.1), (ids[1], 0.1))}
    answer = client.post("/exclusion-groups", wish)
    assert (answer.status, answer.code) == (409, "conflict")
    assert ids[1] in answer.json()["error"]["message"]
    assert group["id"] in answer.json()["error"]["message"]
    client.patch(f"/exclusion-groups/{group['id']}", {"members": members((ids[0], 0.5))})
    other = client.post("/exclusion-groups", wish)
    assert other.status == 201
    taken = client.patch(f"/exclusion-groups/{group['id']}", {"members": members((ids[2], 0.1))})
    assert (taken.status, taken.code) == (409, "conflict")
    assert client.delete(f"/exclusion-groups/{other.json()['id']}").status == 204
    assert client.patch(f"/exclusion-groups/{group['id']}", {"members": members((ids[2], 0.1))}).status == 200


def test_write__with_a_running_member__must_be_acknowledged(client: Client, group: Json, ids: Ids) -> None:
    client.post(f"/experiments/{ids[0]}/launch")
    path = f"/exclusion-groups/{group['id']}"
    less, consent = members((ids[1], 0.5)), {"confirm_live_impact": True, "confirmed_consumer_ids": [ids[0]]}
    live = [{"id": ids[0], "name": "Experiment 0", "consumer": "experiment"}]
    for answer in (
        client.patch(path, {"members": less}),
        client.patch(path, {"members": less, "confirm_live_impact": True}),
        client.delete(path),
    ):
        assert (answer.code, answer.json()["live_experiments"]) == ("page_live_impact", live)
    assert client.get(path).json() == group
    assert client.patch(path, {"name": "Renamed"}).status == 200
    assert client.patch(path, {"members": less, **consent}).status == 200
    back = {"name": "New", "members": members((ids[0], 1.0))}
    assert client.post("/exclusion-groups", back).code == "page_live_impact"
    made = client.post("/exclusion-groups", {**back, **consent})
    assert made.status == 201
    assert client.delete(f"/exclusion-groups/{made.json()['id']}", json_body=consent).status == 204


def test_member__that_was_deleted__holds_its_share_until_it_is_taken_out(client: Client, group: Json, ids: Ids) -> None:
    assert client.delete(f"/experiments/{ids[0]}").status == 204
    path = f"/exclusion-groups/{group['id']}"
    assert client.get(path).json()["members"] == group["members"]
    kept = members((ids[0], 0.5), (ids[1], 0.4))
    assert client.patch(path, {"members": kept}).json()["members"] == kept
    assert client.patch(path, {"members": kept[1:]}).status == 200
    assert client.patch(path, {"members": kept}).paths == ["members[0].experiment_id"]


def test_if_match__of_another_version__is_412(client: Client, group: Json) -> None:
    path, headers = f"/exclusion-groups/{group['id']}", {"if-match": 'W/"7"'}
    assert client.patch(path, {"name": "x"}, headers=headers).status == 412
    assert client.delete(path, headers=headers).status == 412
    assert client.delete(path).status == 204
    assert client.get(path).status == 404


def test_group__of_another_shop__is_unknown(api: MemoryApi, client: Client, group: Json, ids: Ids) -> None:
    other = api.client(api.tenant("Other").admin)
    path = f"/exclusion-groups/{group['id']}"
    assert [other.get(path).status, other.patch(path, {"name": "x"}).status, other.delete(path).status] == [404] * 3
    answer = other.post("/exclusion-groups", {"name": "x", "members": members((ids[0], 0.1))})
    assert (answer.status, answer.paths) == (422, ["members[0].experiment_id"])
    assert client.get(path).json() == group


def test_write__while_storage_fails__is_kept_with_a_warning(
    api: MemoryApi, client: Client, group: Json, ids: Ids
) -> None:
    api.management.blobs.available = False
    answer = client.patch(f"/exclusion-groups/{group['id']}", {"members": members((ids[0], 0.1))})
    assert answer.json()["publication_warning"]["code"] == "storefront_publication_incomplete"
    api.management.blobs.available = True
    assert client.get(f"/exclusion-groups/{group['id']}").json()["epoch"] == 2


def test_writes__leave_audit_rows(api: MemoryApi, tenant: Tenant, client: Client, group: Json) -> None:
    for change in ({"name": "Other"}, None):
        api.clock.advance(seconds=1)
        path = f"/exclusion-groups/{group['id']}"
        assert (client.patch(path, change) if change else client.delete(path)).status in (200, 204)
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=group["id"], limit=10)
    assert [row.action for row in rows] == [
        "exclusion_group.delete",
        "exclusion_group.update",
        "exclusion_group.create",
    ]
    assert rows[1].diff == {"name": ["Checkout tests", "Other"]}
