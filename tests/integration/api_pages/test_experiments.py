"""The experiment of a landing page over HTTP: linked with a version for each variation, replaced, removed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, cast

import pytest

from abtest.domain.pages.model import experiment_name
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.catalog import Commit
from abtest.services.context import Caller
from abtest.services.experiments.editor import ExperimentEditor
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.experiments.store import ExperimentStore
from abtest.services.pages.experiments import PageExperiments
from abtest.services.pages.flips import PageFlips
from abtest.services.pages.pages import LandingPages
from abtest.services.publish_requests import publish_message
from abtest.services.sweep import publish_from_message
from abtest.wiring.api_experiments import experiments_uses
from api_experiments.routes import ROUTERS as EXPERIMENT_ROUTERS
from tests.contract.records import race
from tests.integration.api_pages.publishing import Page, claim, manifest_at
from tests.integration.api_pages.test_versions import SPEC
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.memory import MemoryQueue
from tests.support.storefronts import MOMENT, experiment, experiment_id, variation

CONTROL, TREATMENT = variation(0).id, variation(1).id
THIRD = replace(variation(2), archived_at=MOMENT)
LATER = "2099-01-01T00:00:00.000Z"
AT_LAMP = {"id": experiment_id(9), "includeRules": [{"type": "simple", "pattern": "/lamp"}], "excludeRules": []}


@pytest.fixture
def page(api: MemoryApi, client: Client) -> dict[str, Any]:
    """A stored page with two versions."""
    page_id = client.post("/landing-pages", {"name": "Lamp", "slug": "lamp", "publish_path": "/lamp"}).json()["id"]
    for _ in range(2):
        client.post(f"/landing-pages/{page_id}/versions", {"spec": SPEC})
        api.clock.advance(seconds=1)
    body: dict[str, Any] = client.get(f"/landing-pages/{page_id}").json()
    return body


def keep(api: MemoryApi, tenant: Tenant, **fields: Any) -> str:
    """Store an experiment of the shop, a draft with two variations unless the fields differ."""
    made = experiment(**{"shop_id": tenant.shop.id, "status": "draft", "started_at": None, **fields})
    api.world.catalog.commit(Commit(puts=[EXPERIMENTS.put(made)]))
    return made.id


def versions_of(page: dict[str, Any]) -> dict[str, str]:
    """Return the first version for the control, the second for the treatment."""
    second, first = page["versions"]
    return {CONTROL: first["id"], TREATMENT: second["id"]}


def address(page: dict[str, Any]) -> str:
    """Return the address of the page's experiment."""
    return f"/landing-pages/{page['id']}/experiment"


def fields_of(answer: Any) -> dict[str, str]:
    """Return the reasons of a refusal by field."""
    return {field["path"]: field["message"] for field in answer.json()["error"]["fields"]}


def test_link__is_shown_with_the_page__audited_and_repeatable(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any]
) -> None:
    assert page["experiment"] is None
    body = {"experiment_id": keep(api, tenant), "versions": versions_of(page)}
    before = client.get(f"/landing-pages/{page['id']}").headers["etag"]
    answer = client.put(address(page), body, headers={"if-match": before})
    assert (answer.status, answer.json()["experiment"]) == (200, body)
    assert {**answer.json(), "experiment": None, "updated_at": page["updated_at"]} == page
    repeated = client.put(address(page), body)
    assert repeated.headers["etag"] == answer.headers["etag"] != before
    assert client.put(address(page), body, headers={"if-match": before}).status == 412

    api.clock.advance(seconds=1)  # ids of one moment have no order
    removed = client.delete(address(page))
    assert (removed.status, removed.json()["experiment"]) == (200, None)
    assert client.delete(address(page)).headers["etag"] == removed.headers["etag"]
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=page["id"], limit=9)
    assert [row.action for row in rows[:2]] == ["landing_page.unlink_experiment", "landing_page.link_experiment"]
    assert rows[0].diff == {"experiment": [body, None]}


def test_link__of_other_versions__replaces_them(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any]
) -> None:
    body = {"experiment_id": keep(api, tenant, variations=(variation(0), variation(1), THIRD))}
    versions = versions_of(page)
    client.put(address(page), {**body, "versions": versions})
    both = dict.fromkeys(versions, versions[CONTROL])
    assert client.put(address(page), {**body, "versions": both}).json()["experiment"]["versions"] == both


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"status": "completed"}, "completed"),
        ({"archived_at": MOMENT}, "archived"),
        ({"delivery_type": "redirect"}, "redirect"),
        ({"targeting": {"surface": "checkout"}}, "checkouts"),
        ({"targeting": {"identity": "customer"}}, "customer_id"),
        (
            {"targeting": {"pageRules": [{**AT_LAMP, "includeRules": [{"type": "simple", "pattern": "/desk"}]}]}},
            "/lamp",
        ),
        ({"targeting": {"pageRules": [{**AT_LAMP, "include": False}]}}, "do not match https://shop.example/lamp"),
        (
            {"targeting": {"pageRules": [{**AT_LAMP, "trigger": {"type": "element", "selector": "p"}}]}},
            "trigger element",
        ),
        ({"targeting": {"pageRules": [{**AT_LAMP, "advancedCondition": {"$not": {"cart.value": 1}}}]}}, "cart"),
        (
            {"targeting": {"pageRules": [{**AT_LAMP, "includeRules": [{"type": "simple", "pattern": "/lamp?a=1"}]}]}},
            "query of the address",
        ),
    ],
)
def test_link__of_an_experiment_that_servers_cannot_decide__is_422_with_the_reason(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any], fields: dict[str, Any], reason: str
) -> None:
    body = {"experiment_id": keep(api, tenant, **fields), "versions": versions_of(page)}
    answer = client.put(address(page), body)
    assert (answer.status, answer.code) == (422, "validation_failed")
    assert reason in fields_of(answer)["experiment_id"]
    assert client.get(f"/landing-pages/{page['id']}").json()["experiment"] is None


@pytest.mark.parametrize("operator", ["and", "or"])
def test_link__of_an_audience_that_only_browsers_know__names_its_attributes(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any], operator: str
) -> None:
    local = {"attribute": "local_hour", "operator": "gt", "value": 8, "timezone": "Europe/Berlin"}
    conditions = [
        {"attribute": "device", "operator": "equals", "value": "mobile"},
        {"attribute": "screen_width", "operator": "not_equals", "value": 390},
    ]
    rules: dict[str, Any] = {"operator": "and", "conditions": [local], "groups": []}
    hidden = {**rules, "groups": [{"operator": operator, "conditions": conditions}]}

    def link(rules: dict[str, Any], number: int) -> Any:
        targeting = {
            "segmentRules": [{"id": experiment_id(8), "rules": rules, "include": False}],
            "pageRules": [AT_LAMP],
        }
        names = {"id": experiment_id(number), "variations": (variation(0), variation(1))}
        return client.put(
            address(page),
            {"experiment_id": keep(api, tenant, targeting=targeting, **names), "versions": versions_of(page)},
        )

    assert fields_of(link(hidden, 1))["experiment_id"].endswith(": device, screen")
    assert link(rules, 2).status == 200


def test_link__needs_one_version_of_this_page_for_each_variation_in_use(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any]
) -> None:
    body = {"experiment_id": keep(api, tenant, variations=(variation(0), variation(1), THIRD))}
    versions = versions_of(page)
    wrong = {CONTROL: page["id"], THIRD.id: versions[CONTROL]}
    answer = client.put(address(page), {**body, "versions": wrong})
    assert (answer.status, fields_of(answer)) == (
        422,
        {
            f"versions.{CONTROL}": "the landing page has no such version",
            f"versions.{THIRD.id}": "the experiment has no such variation in use",
            f"versions.{TREATMENT}": "is required: the variation 'V1' needs a version",
        },
    )


@pytest.mark.parametrize("versions", [None, {}, [], {CONTROL: None}, {"a": CONTROL}, {CONTROL: "1"}])
def test_link__of_a_bad_body__is_refused(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any], versions: Any
) -> None:
    body = {"experiment_id": keep(api, tenant), "versions": versions}
    assert client.put(address(page), body, checked=False).status == 400


def test_link__across_shops__finds_nothing(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any]
) -> None:
    other = api.tenant("Other", domain="other.example")
    body = {"experiment_id": keep(api, other), "versions": versions_of(page)}
    foreign = client.put(address(page), body)
    unknown = client.put(address(page), {**body, "experiment_id": page["id"]})
    assert (foreign.status, fields_of(foreign)) == (422, {"experiment_id": "there is no such experiment"})
    assert fields_of(unknown) == fields_of(foreign)
    stranger = api.client(other.admin)
    assert [stranger.put(address(page), body).status, stranger.delete(address(page)).status] == [404, 404]


def test_link__of_an_archived_page__is_409_and_can_be_removed(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any]
) -> None:
    body = {"experiment_id": keep(api, tenant), "versions": versions_of(page)}
    client.put(address(page), body)
    client.post(f"/landing-pages/{page['id']}/archive")
    answer = client.put(address(page), body)
    assert (answer.status, answer.code) == (409, "invalid_state_transition")
    assert client.delete(address(page)).json()["experiment"] is None


def test_experiment__belongs_to_one_page__until_it_is_removed_there(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any]
) -> None:
    other = client.post("/landing-pages", {"name": "Desk", "slug": "desk"}).json()["id"]
    version = client.post(f"/landing-pages/{other}/versions", {"spec": SPEC}).json()["id"]
    experiment_id = keep(api, tenant)
    there = (f"/landing-pages/{other}/experiment", {"experiment_id": experiment_id})
    at_other = {**there[1], "versions": dict.fromkeys((CONTROL, TREATMENT), version)}
    client.put(address(page), {"experiment_id": experiment_id, "versions": versions_of(page)})
    answer = client.put(there[0], at_other)
    assert (answer.status, answer.code, list(fields_of(answer))) == (409, "conflict", ["experiment_id"])
    client.delete(address(page))
    assert client.put(there[0], at_other).status == 200
    assert client.delete(f"/landing-pages/{other}").status == 204
    assert client.put(address(page), {"experiment_id": experiment_id, "versions": versions_of(page)}).status == 200


def test_experiment__while_it_is_linked__cannot_be_deleted(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any]
) -> None:
    body = {"experiment_id": keep(api, tenant), "versions": versions_of(page)}
    client.put(address(page), body)
    api.serve("ApiExperiments", EXPERIMENT_ROUTERS, experiments_uses(api.management))
    experiments = api.client(tenant.admin)
    refused = experiments.delete(f"/experiments/{body['experiment_id']}")
    assert (refused.status, refused.code) == (409, "not_deletable")
    assert "landing page" in refused.json()["error"]["message"]
    client.delete(address(page))
    assert experiments.delete(f"/experiments/{body['experiment_id']}").status == 204
    assert fields_of(client.put(address(page), body)) == {"experiment_id": "there is no such experiment"}


def test_experiment__deleted_while_it_is_linked__is_either_deleted_or_linked(
    api: MemoryApi, tenant: Tenant, page: dict[str, Any]
) -> None:
    shop_id, base = tenant.shop.id, api.management
    caller = Caller(
        key_id="k", kind="shop", user_id=tenant.user_id, shop_id=shop_id, scopes=frozenset(), request_id="r"
    )
    links = PageExperiments(LandingPages(api.world))
    experiments = ExperimentEditor(ExperimentStore(api.world, base.storefronts, base.budget), base.checker)
    for number in range(8):
        experiment_id = keep(api, tenant, id=f"0192a3b4-0000-7000-8000-00000000090{number}")
        linked = {"experiment_id": experiment_id, "versions": versions_of(page)}
        race(
            partial(links.link, caller, page["id"], linked, expected_version=None),
            partial(experiments.delete, caller, experiment_id),
        )
        stored = api.world.catalog.get(shop_id, "EXP", experiment_id)
        shown = links.unlink(caller, page["id"], expected_version=None)
        assert shown.changed == (stored is not None)


def test_link__and_its_removal__promise_a_publication_of_the_shop(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any]
) -> None:
    body = {"experiment_id": keep(api, tenant), "versions": versions_of(page)}

    def promised() -> int:
        return len(api.world.catalog.outbox("publish", created_before=LATER, limit=99))

    client.patch(f"/landing-pages/{page['id']}", {"name": "Desk lamp"})
    assert promised() == 0
    for count in (1, 1):  # the repeated one changes nothing
        assert client.put(address(page), body).status == 200
        assert promised() == count
    client.delete(address(page))
    assert promised() == 2


def test_link__requests_a_publication_at_once__and_leaves_it_to_the_sweep_where_the_queue_refuses(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any]
) -> None:
    queue = cast(MemoryQueue, api.management.publish_queue)
    body = {"experiment_id": keep(api, tenant), "versions": versions_of(page)}
    client.put(address(page), body)
    (row,) = api.world.catalog.outbox("publish", created_before=LATER, limit=9)
    assert queue.bodies == [publish_message(tenant.shop.id, [row])]
    publish_from_message(api.management.publication, queue.bodies[0])
    assert api.world.catalog.outbox("publish", created_before=LATER, limit=9) == []
    queue.available = False
    assert client.delete(address(page)).status == 200
    assert len(api.world.catalog.outbox("publish", created_before=LATER, limit=9)) == 1


def test_publish_of_a_page__without_a_change_of_its_experiment__requests_no_publication_that_ends_its_promise(
    api: MemoryApi, tenant: Tenant, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim(api, tenant.shop.id, "shop.example")
    landing, queue = Page.created(client, publish_path="/lamp"), cast(MemoryQueue, api.management.publish_queue)
    landing.published()
    monkeypatch.setattr(PageFlips, "complete", refusing)
    client.post(f"{landing.path}/unpublish")
    monkeypatch.undo()
    for body in queue.bodies:
        publish_from_message(api.management.publication, body)
    (row,) = api.world.catalog.outbox("publish", created_before=LATER, limit=9)
    assert row.payload["landing_page_id"] == landing.id
    assert queue.bodies == []


def refusing(*_: object, **__: object) -> None:
    """Stand for a store that fails."""
    raise DatabaseBusyError


def test_experiment__of_the_live_publish__belongs_to_the_page_until_the_next_one(
    api: MemoryApi, tenant: Tenant, client: Client
) -> None:
    claim(api, tenant.shop.id, "shop.example")
    landing, experiment_id = Page.created(client, versions=1, publish_path="/lamp"), keep(api, tenant)
    version = landing.shown()["current_version_id"]
    body = {"experiment_id": experiment_id, "versions": dict.fromkeys((CONTROL, TREATMENT), version)}
    catalog, name = api.world.catalog, experiment_name(experiment_id)
    client.put(f"{landing.path}/experiment", body)
    publish = landing.published()
    manifest = manifest_at(api.management.blobs, "/lamp")
    assert manifest is not None
    assert (manifest.experiment_id, set(manifest.variants)) == (experiment_id, {CONTROL, TREATMENT})
    client.delete(f"{landing.path}/experiment")
    assert catalog.resolve(tenant.shop.id, name) == (tenant.shop.id, landing.id)
    landing.published()
    assert catalog.resolve(tenant.shop.id, name) is None
    assert client.post(f"{landing.path}/rollback", {"publish_id": publish["id"]}).status == 200
    assert catalog.resolve(tenant.shop.id, name) == (tenant.shop.id, landing.id)
    client.post(f"{landing.path}/unpublish")
    assert catalog.resolve(tenant.shop.id, name) is None


def test_rollback__to_variants_of_an_experiment_of_another_page__is_409(
    api: MemoryApi, tenant: Tenant, client: Client, page: dict[str, Any]
) -> None:
    claim(api, tenant.shop.id, "shop.example")
    landing, experiment_id = Page.created(client, "desk", publish_path="/desk"), keep(api, tenant)
    version = landing.shown()["current_version_id"]
    body = {"experiment_id": experiment_id, "versions": dict.fromkeys((CONTROL, TREATMENT), version)}
    client.put(f"{landing.path}/experiment", body)
    publish = landing.published()
    client.delete(f"{landing.path}/experiment")
    landing.published()
    assert client.put(address(page), {"experiment_id": experiment_id, "versions": versions_of(page)}).status == 200
    answer = client.post(f"{landing.path}/rollback", {"publish_id": publish["id"]})
    assert (answer.status, answer.code) == (409, "conflict")


def test_checklist__of_an_experiment_on_a_landing_page__wants_a_version_for_each_variation(
    api: MemoryApi, tenant: Tenant, client: Client
) -> None:
    claim(api, tenant.shop.id, "shop.example")
    landing = Page.created(client, publish_path="/lamp")
    version = landing.shown()["current_version_id"]
    api.serve("ApiExperiments", EXPERIMENT_ROUTERS, experiments_uses(api.management))
    experiments = api.client(tenant.admin)
    made = experiments.post("/experiments", {"name": "Lamp"}).json()
    at = f"/experiments/{made['id']}"

    def items() -> dict[str, str]:
        return {each["key"]: each["status"] for each in experiments.get(f"{at}/checklist").json()["items"]}

    assert (items()["treatments"], "landing_page" in items()) == ("warn", False)
    arms = dict.fromkeys((each["id"] for each in made["variations"]), version)
    client.put(f"{landing.path}/experiment", {"experiment_id": made["id"], "versions": arms})
    assert (items()["treatments"], items()["landing_page"]) == ("pass", "warn")
    landing.published()
    assert items()["landing_page"] == "pass"
    weights = {"name": "Third", "weight": 0, "is_control": False}
    third = experiments.post(f"{at}/variations", weights).json()["id"]
    assert items()["landing_page"] == "fail"
    refused = experiments.post(f"{at}/launch")
    assert (refused.status, refused.code) == (422, "checklist_failed")
    assert "Third" in fields_of(refused)["landing_page"]
    arms[third] = version
    client.put(f"{landing.path}/experiment", {"experiment_id": made["id"], "versions": arms})
    assert experiments.post(f"{at}/launch").status == 200
    client.delete(f"{landing.path}/experiment")
    assert items()["landing_page"] == "pass"
    landing.published()
    assert "landing_page" not in items()
