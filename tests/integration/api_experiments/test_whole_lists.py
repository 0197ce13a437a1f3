"""PATCH of an experiment that states all of its variations or goals."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.client import Client

Create = Callable[..., dict[str, Any]]
CLICK = {"name": "Click", "type": "click", "selector": ".buy"}


def shown(experiment: dict[str, Any]) -> list[tuple[str, float, bool]]:
    return [(v["name"], v["weight"], v["is_control"]) for v in experiment["variations"] if v["archived_at"] is None]


def test_variations__of_a_draft__become_the_stated_list(client: Client, create: Create) -> None:
    made = create()
    control, variant = made["variations"]
    stated = [
        {"id": variant["public_id"], "is_control": True, "weight": 0.6},
        {"name": "New", "weight": 0.4, "custom_css": "a{}"},
    ]
    changed = client.patch(f"/experiments/{made['id']}", {"variations": stated}).json()
    assert shown(changed) == [("Variant", 0.6, True), ("New", 0.4, False)]
    assert changed["variations"][0]["id"] == variant["id"]
    assert client.get(f"/variations/{control['id']}").status == 404
    assert client.get(f"/variations/{changed['variations'][1]['public_id']}").json()["name"] == "New"


def test_variations__of_a_started_experiment__are_archived_when_left_out(client: Client, create: Create) -> None:
    made = create(variations=[{"name": "A", "weight": 0.5}, {"name": "B", "weight": 0.5}, {"name": "C", "weight": 0}])
    path = f"/experiments/{made['id']}"
    client.post(f"{path}/launch")
    stated = {"variations": [{"id": arm["id"]} for arm in made["variations"][:2]]}
    assert client.patch(path, stated).code == "page_live_impact"
    consent = {"confirm_live_impact": True, "confirmed_consumer_ids": [made["id"]]}
    changed = client.patch(path, {**stated, **consent}).json()
    assert [arm["archived_at"] is not None for arm in changed["variations"]] == [False, False, True]
    rows = client.get(f"{path}/history").json()["data"]
    assert [1, 2] in [row["diff"].get("measurement_epoch") for row in rows]


@pytest.mark.parametrize(
    ("stated", "status", "named"),
    [
        ([{"name": "A", "is_control": True}], 400, "variations"),
        ([{"weight": 1}, {"name": "B"}], 400, "variations[0]"),
        ([{"name": "A", "is_control": True}, {"name": "B", "is_control": True}], 422, "variations[1].is_control"),
        ([{"name": "A", "is_control": False}, {"name": "B"}], 422, "variations"),
        ([{"name": "A"}, {"id": "1234567890"}], 422, "variations[1].id"),
        ([{"id": "x"}, {"name": "B"}], 400, "variations[0].id"),
        ([{"name": "A", "status": "x"}, {"name": "B"}], 400, "variations[0].status"),
    ],
)
def test_variations__bad_list__is_refused_by_path(
    client: Client, create: Create, stated: list[dict[str, Any]], status: int, named: str
) -> None:
    answer = client.patch(f"/experiments/{create()['id']}", {"variations": stated})
    assert (answer.status, answer.paths) == (status, [named])


def test_variations__same_one_twice__is_refused(client: Client, create: Create) -> None:
    made = create()
    twice = [{"id": made["variations"][0]["id"]}, {"id": made["variations"][0]["public_id"]}]
    assert client.patch(f"/experiments/{made['id']}", {"variations": twice}).code == "validation_failed"


def test_variations__eleven__reach_the_limit(client: Client, create: Create) -> None:
    stated = [{"name": str(n), "is_control": n == 0} for n in range(11)]
    assert client.patch(f"/experiments/{create()['id']}", {"variations": stated}).code == "limit_reached"


def test_goals__of_a_draft__become_the_stated_list(client: Client, create: Create) -> None:
    made = create(goals=[{**CLICK, "name": "a"}, {**CLICK, "name": "b"}])
    first, second = (goal["id"] for goal in made["goals"])
    kept = client.post("/goals", {**CLICK, "name": "Kept"}).json()["id"]
    stated = [{"id": second, "is_primary": True, "name": "B"}, {**CLICK, "name": "c"}, {"goal_id": kept}]
    changed = client.patch(f"/experiments/{made['id']}", {"goals": stated}).json()["goals"]
    assert [(goal["name"], goal["role"]) for goal in changed] == [
        ("B", "primary"),
        ("c", "secondary"),
        ("Kept", "secondary"),
    ]
    assert first not in [goal["id"] for goal in changed]


def test_goals__of_a_started_experiment__are_archived_when_left_out(client: Client, create: Create) -> None:
    made = create(goals=[{**CLICK, "name": "a"}, {**CLICK, "name": "b"}])
    path = f"/experiments/{made['id']}"
    client.post(f"{path}/launch")
    stated = {"goals": [{"id": made["goals"][1]["id"]}]}
    changed = client.patch(path, stated).json()["goals"]
    assert [(goal["name"], goal["archived_at"] is None, goal["is_primary"]) for goal in changed] == [
        ("b", True, False),
        ("a", False, False),
    ]
    again = client.patch(path, {"goals": [{"id": made["goals"][1]["id"], "type": "pageview"}]})
    assert again.code == "conflict"


@pytest.mark.parametrize(
    ("stated", "status"),
    [
        ([{"id": "019c0000-0000-7000-8000-000000000000"}], 422),
        ([{"name": "x"}], 400),
        ([{**CLICK, "is_primary": True}, {**CLICK, "role": "primary"}], 422),
        ([{**CLICK, "id": "019c0000-0000-7000-8000-000000000000"}], 422),
    ],
)
def test_goals__bad_list__is_refused(client: Client, create: Create, stated: list[dict[str, Any]], status: int) -> None:
    assert client.patch(f"/experiments/{create()['id']}", {"goals": stated}).status == status
