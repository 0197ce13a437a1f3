"""Shipping a winner through the API: what it takes, what comes of it, what is written down."""

from collections.abc import Callable
from typing import Any

import pytest

from abtest.domain.delivery.manifest import object_key, pointer_key, read_pointer
from abtest.domain.personalizations.model import Personalization
from abtest.kit import canonical_json
from abtest.kit.documents import decode
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Answer, Client

Create = Callable[..., dict[str, Any]]
UNKNOWN = "01920000-0000-7000-8000-000000000001"
CLICK = {"name": "Click", "type": "click", "selector": "#buy"}
BLOCK = {
    "id": "1",
    "name": "Cart",
    "urlRules": [{"type": "simple", "pattern": "/cart"}],
    "mutations": [{"selector": "h1", "action": "text", "text": "Cart"}],
}
WINNER = {"custom_css": "h1{color:red}", "custom_js": "b()", "url_blocks": [BLOCK]}


@pytest.fixture
def ended(client: Client, create: Create) -> Create:
    """Makes an experiment that ran and was completed; `winner` are fields of its treatment."""

    def made(winner: dict[str, Any] = WINNER, **fields: Any) -> dict[str, Any]:
        arms = [{"name": "Control", "weight": 0.5}, {"name": "Bold", "weight": 0.5, **winner}]
        experiment = create(variations=arms, experiment_js="a()", **fields)
        for action in ("launch", "complete"):
            answer = client.post(f"/experiments/{experiment['id']}/{action}")
            assert answer.status == 200, answer.body
        return experiment

    return made


def ship(client: Client, experiment: dict[str, Any], **wish: Any) -> Answer:
    variation = {"variation_id": experiment["variations"][1]["id"]}
    return client.post(f"/experiments/{experiment['id']}/ship", variation | wish)


def published(api: MemoryApi, tenant: Tenant) -> dict[str, Any]:
    pointer = api.management.blobs.get(pointer_key(tenant.shop.id))
    assert pointer is not None
    found = api.management.blobs.get(object_key(read_pointer(pointer.content).config.sha256))
    assert found is not None
    config: dict[str, Any] = canonical_json.loads(found.content)
    return config


def test_ship__of_a_completed_experiment__is_an_active_personalization_that_is_published(
    api: MemoryApi, tenant: Tenant, client: Client, ended: Create
) -> None:
    experiment = ended(goals=[CLICK])
    answer = ship(client, experiment)
    assert answer.status == 201, answer.body
    made = answer.json()["personalization"]
    assert list(answer.json()) == ["personalization"]
    assert answer.headers["etag"] == 'W/"1"'
    assert (made["status"], made["rollout_percentage"]) == ("active", 1)
    assert (made["name"], made["key"]) == ("Headline: Bold", f"ship-{experiment['public_id']}")
    assert [(item["key"], item["name"], item["custom_css"]) for item in made["experiences"]] == [
        ("default", "Bold", "h1{color:red}"),
        ("block-1", "Cart", None),
    ]
    assert made["experiences"][1]["custom_js"] == "a()"
    assert made["experiences"][1]["mutations"] == BLOCK["mutations"]
    assert made["rules"][0]["targeting"]["pageRules"][0]["includeRules"] == BLOCK["urlRules"]
    (config,) = published(api, tenant)["personalizations"]
    assert (config["id"], config["below"]) == (made["id"], 10_000)
    assert published(api, tenant)["experiments"] == []


def test_ship__from_paused__by_public_id__with_a_name_and_a_key(client: Client, create: Create) -> None:
    experiment = create()
    for action in ("launch", "pause"):
        client.post(f"/experiments/{experiment['id']}/{action}")
    wish = {"variation_id": experiment["variations"][1]["public_id"], "name": "Mine", "key": "mine"}
    made = client.post(f"/experiments/{experiment['public_id']}/ship", wish).json()["personalization"]
    assert (made["name"], made["key"]) == ("Mine", "mine")


def test_ship__twice__is_key_taken(client: Client, ended: Create) -> None:
    experiment = ended()
    assert ship(client, experiment).status == 201
    again = ship(client, experiment)
    assert (again.status, again.code) == (409, "key_taken")
    assert ship(client, experiment, key="other").status == 201


def test_ship__repeated_with_its_idempotency_key__is_the_first_answer(client: Client, ended: Create) -> None:
    experiment = ended()
    path, body = f"/experiments/{experiment['id']}/ship", {"variation_id": experiment["variations"][1]["id"]}
    first, second = (client.post(path, body, headers={"idempotency-key": "once"}) for _ in range(2))
    assert (first.status, first.body) == (second.status, second.body)


def test_ship__while_running__says_what_may_be_done(client: Client, create: Create) -> None:
    experiment = create()
    client.post(f"/experiments/{experiment['id']}/launch")
    answer = ship(client, experiment)
    assert (answer.status, answer.code) == (409, "invalid_state_transition")
    assert answer.json()["current_status"] == "running"
    assert answer.json()["allowed_actions"] == ["pause", "complete"]


def test_ship__where_it_is_allowed__is_among_the_allowed_actions(client: Client, create: Create) -> None:
    path = f"/experiments/{create()['id']}"
    for action, offered in (("launch", False), ("pause", True), ("complete", True), ("archive", False)):
        assert client.post(f"{path}/{action}").status == 200
        allowed = client.get(f"{path}/checklist").json()["allowed_actions"]
        assert ("ship" in allowed) == offered, action
        refused = client.post(f"{path}/mark-ready")
        assert refused.json()["allowed_actions"] == allowed
        assert f"allowed: {', '.join(allowed)}" in refused.json()["error"]["message"]


@pytest.mark.parametrize("reference", [UNKNOWN, "9999999999", "nonsense"])
def test_ship__of_a_variation_of_nobody__is_422(client: Client, ended: Create, reference: str) -> None:
    answer = ship(client, ended(), variation_id=reference)
    assert (answer.status, answer.paths) == (422, ["variation_id"])


def test_ship__of_the_control__is_422(client: Client, ended: Create) -> None:
    experiment = ended()
    answer = ship(client, experiment, variation_id=experiment["variations"][0]["id"])
    assert (answer.status, answer.paths) == (422, ["variation_id"])


def test_ship__of_another_shop__is_404(api: MemoryApi, ended: Create) -> None:
    experiment = ended()
    other = api.client(api.tenant("Other").admin)
    assert ship(other, experiment).status == 404


@pytest.mark.parametrize(
    ("wish", "field"), [({"variation_id": None}, "variation_id"), ({"key": ""}, "key"), ({"goals": 1}, "goals")]
)
def test_ship__with_a_body_of_the_wrong_form__is_400(
    client: Client, ended: Create, wish: dict[str, Any], field: str
) -> None:
    answer = ship(client, ended(), **wish)
    assert (answer.status, answer.paths) == (400, [field])


def test_ship__without_the_scope__is_403(api: MemoryApi, tenant: Tenant, ended: Create) -> None:
    key = api.key(["experiments:write", "personalizations:activate"], shop_id=tenant.shop.id)
    answer = ship(api.client(key.text), ended())
    assert (answer.status, answer.json()["error"]["required_scope"]) == (403, "experiments:launch")


def test_ship__too_much_code_together__is_refused_and_makes_nothing(
    api: MemoryApi, tenant: Tenant, client: Client, ended: Create
) -> None:
    experiment = ended(winner={"custom_css": "b" * 150_000}, experiment_css="a" * 150_000)
    answer = ship(client, experiment)
    assert (answer.status, answer.code) == (422, "code_budget_exceeded")
    assert answer.paths == ["variation.custom_css"]
    assert api.world.catalog.list(tenant.shop.id, "PZN", limit=1).heads == []


def test_ship__goals__keep_the_ids_of_the_shops_and_get_new_ones_else(
    api: MemoryApi, tenant: Tenant, client: Client, ended: Create
) -> None:
    kept = client.post("/goals", {"name": "Kept", "type": "pageview"}).json()["id"]
    experiment = ended(goals=[CLICK, {"goal_id": kept}])
    made = ship(client, experiment).json()["personalization"]
    first, second = made["personalization_goals"]
    assert (first["name"], first["is_primary"]) == ("Click", True)
    assert first["goal_id"] != experiment["goals"][0]["id"]
    assert (second["goal_id"], second["is_primary"]) == (kept, False)
    record = api.world.catalog.get(tenant.shop.id, "PZN", made["id"])
    assert record is not None
    assert [goal.selector for goal in decode(Personalization, record.body).goals] == ["#buy", None]


def test_ship__is_told_in_both_histories(api: MemoryApi, tenant: Tenant, client: Client, ended: Create) -> None:
    experiment = ended()
    api.clock.advance(seconds=1)
    made = ship(client, experiment).json()["personalization"]
    newest = client.get(f"/experiments/{experiment['id']}/history").json()["data"][0]
    assert newest["action"] == "experiment.ship"
    assert newest["diff"] == {
        "personalization_id": [None, made["id"]],
        "variation_id": [None, experiment["variations"][1]["id"]],
    }
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=made["id"], limit=5)
    assert [row.action for row in rows] == ["personalization.create"]
    assert rows[0].diff["source_experiment"] == [None, experiment["id"]]
