"""QA runs of landing pages over HTTP: started, listed, approved, rejected, and what the page shows of them."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import pytest

from abtest.domain.pages.qa import Decision
from abtest.services.context import Caller
from abtest.services.pages.qa_runs import QaRuns
from abtest.wiring.api_pages import pages_uses
from tests.contract.records import race
from tests.integration.api_pages.test_pages import set_fields
from tests.integration.api_pages.test_versions import SEO, SPEC, create
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.landing_qa import approved, checked

PHONE = {"width": 390, "height": 844, "device_scale": 2, "touch": True}
DESKTOP = {"width": 1280, "height": 800, "device_scale": 1, "touch": False}


@pytest.fixture
def page_id(api: MemoryApi, client: Client) -> str:
    """A page with one version."""
    page_id: str = client.post("/landing-pages", {"name": "Lamp", "slug": "lamp", "publish_path": "/lamp"}).json()["id"]
    version(api, client, page_id)
    api.clock.advance(minutes=1)  # ids and audit rows of one moment have no order
    return page_id


def version(api: MemoryApi, client: Client, page_id: str, **fields: Any) -> dict[str, Any]:
    """Create a version of a page."""
    return create(api, client, f"/landing-pages/{page_id}/versions", **fields)


def broken(api: MemoryApi, client: Client, page_id: str) -> dict[str, Any]:
    """Create a version that is too large for its gate."""
    blocks = [{"type": "text", "id": f"b{number}", "body": "* x\n" * 150} for number in range(20)]
    return version(api, client, page_id, spec={**SPEC, "blocks": blocks})


def status(client: Client, page_id: str) -> str:
    """Status of a page."""
    status: str = client.get(f"/landing-pages/{page_id}").json()["status"]
    return status


def test_run__of_the_current_version__has_the_fields_of_the_contract_and_puts_the_page_in_review(
    api: MemoryApi, client: Client, page_id: str
) -> None:
    current = client.get(f"/landing-pages/{page_id}").json()["current_version_id"]
    answer = client.post(f"/landing-pages/{page_id}/qa-runs")
    assert answer.status == 202
    run = client.get(f"/landing-pages/{page_id}/qa-runs/{answer.json()['id']}").json()
    assert run == {
        "id": run["id"],
        "landing_page_id": page_id,
        "version_id": current,
        "status": "passed",
        "viewports": [PHONE, DESKTOP],
        "screenshots": {},
        "findings": run["findings"],
        "approved_by": None,
        "approved_at": None,
        "created_at": "2026-03-02T09:01:01.000Z",
        "updated_at": "2026-03-02T09:01:01.000Z",
    }
    assert {each["severity"] for each in run["findings"]} == {"warn"}
    assert run["findings"][-1]["check"] == "browser"
    assert set(run["findings"][0]) == {"check", "severity", "viewport", "selector", "message", "value", "limit"}
    page = client.get(f"/landing-pages/{page_id}").json()
    assert (page["status"], page["qa_runs"]) == ("in_review", [run])
    (summary,) = client.get("/landing-pages").json()["data"]
    assert summary["_count"]["qa_runs"] == 1


def test_approval__of_the_current_version__makes_the_page_ready(
    api: MemoryApi, tenant: Tenant, client: Client, page_id: str
) -> None:
    run = checked(client, page_id)
    api.clock.advance(minutes=1)
    answer = client.post(f"/landing-pages/{page_id}/qa-runs/{run['id']}/approve", {"note": "Seen on a phone"})
    assert answer.status == 200
    assert answer.json() == run | {
        "status": "approved",
        "approved_by": tenant.user_id,
        "approved_at": "2026-03-02T09:02:01.000Z",
        "updated_at": "2026-03-02T09:02:01.000Z",
    }
    assert status(client, page_id) == "ready"
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=page_id, limit=2)
    assert [row.action for row in rows] == ["landing_page.approve_qa_run", "landing_page.add_qa_run"]
    assert rows[0].diff == {
        "status": ["in_review", "ready"],
        "qa_run_id": [None, run["id"]],
        "note": [None, "Seen on a phone"],
    }
    repeated = client.post(f"/landing-pages/{page_id}/qa-runs/{run['id']}/approve", {"note": "Twice"})
    assert (repeated.status, repeated.json()) == (200, answer.json())
    assert len(api.world.catalog.audit(tenant.shop.id, entity_id=page_id, limit=9)[0]) == 4


def test_failed_run__has_the_reasons__and_cannot_be_approved(api: MemoryApi, client: Client, page_id: str) -> None:
    assert broken(api, client, page_id)["gate_report"]["passed"] is False
    run = checked(client, page_id)
    assert run["status"] == "failed"
    assert [each["check"] for each in run["findings"] if each["severity"] == "error"] == ["size_budget"]
    refused = client.post(f"/landing-pages/{page_id}/qa-runs/{run['id']}/approve")
    assert (refused.status, refused.code) == (409, "invalid_state_transition")
    assert refused.json()["error"]["allowed_actions"] == ["reject"]
    assert status(client, page_id) == "in_review"


def test_rejection__makes_the_page_a_draft__and_its_note_a_finding(client: Client, page_id: str) -> None:
    run = checked(client, page_id)
    rejected = client.post(f"/landing-pages/{page_id}/qa-runs/{run['id']}/reject", {"note": "The price is old"}).json()
    assert (rejected["status"], rejected["approved_by"]) == ("rejected", None)
    assert rejected["findings"][-1] | {"check": "review", "message": "The price is old"} == rejected["findings"][-1]
    assert status(client, page_id) == "draft"
    refused = client.post(f"/landing-pages/{page_id}/qa-runs/{run['id']}/approve")
    assert (refused.status, refused.json()["error"]["allowed_actions"]) == (409, [])
    accepted = approved(client, page_id)
    refused = client.post(f"/landing-pages/{page_id}/qa-runs/{accepted['id']}/reject")
    assert (refused.status, status(client, page_id)) == (409, "ready")


def test_rejection__of_a_later_run__takes_the_approval_back(client: Client, page_id: str) -> None:
    approved(client, page_id)
    later = checked(client, page_id)
    assert client.post(f"/landing-pages/{page_id}/qa-runs/{later['id']}/reject").json()["status"] == "rejected"
    assert status(client, page_id) == "draft"
    version_id = later["version_id"]
    assert client.post(f"/landing-pages/{page_id}/versions/{version_id}/restore").json()["status"] == "draft"


def test_approval__of_an_older_version__leaves_the_newer_one_a_draft(
    api: MemoryApi, client: Client, page_id: str
) -> None:
    run = checked(client, page_id)
    newer = version(api, client, page_id, seo_manifest=SEO)
    path = f"/landing-pages/{page_id}/qa-runs"
    assert client.post(f"{path}/{run['id']}/approve").json()["status"] == "approved"
    assert status(client, page_id) == "draft"
    assert client.post(path).json()["version_id"] == newer["id"]
    assert status(client, page_id) == "in_review"
    assert client.post(path, {"version_id": run["version_id"]}).json()["version_id"] == run["version_id"]
    old = approved(client, page_id, version_id=run["version_id"])
    assert (old["status"], status(client, page_id)) == ("approved", "in_review")


def test_restore__of_an_approved_version__makes_the_page_ready(api: MemoryApi, client: Client, page_id: str) -> None:
    approved(client, page_id)
    version(api, client, page_id)
    assert status(client, page_id) == "draft"
    assert client.post(f"/landing-pages/{page_id}/versions/1/restore").json()["status"] == "ready"
    assert client.post(f"/landing-pages/{page_id}/versions/2/restore").json()["status"] == "draft"


def test_page__shows_three_runs__with_the_approved_one_of_its_current_version(
    api: MemoryApi, client: Client, page_id: str
) -> None:
    first = approved(client, page_id)
    later = []
    for _ in range(4):
        api.clock.advance(minutes=5)
        later.append(checked(client, page_id))
    shown = client.get(f"/landing-pages/{page_id}").json()["qa_runs"]
    assert [run["id"] for run in shown] == [later[3]["id"], later[2]["id"], first["id"]]
    version(api, client, page_id)
    shown = client.get(f"/landing-pages/{page_id}").json()["qa_runs"]
    assert [run["id"] for run in shown] == [run["id"] for run in later[:0:-1]]
    path = f"/landing-pages/{page_id}/qa-runs"
    head = client.get(path, query={"limit": 3}).json()
    tail = client.get(path, query={"limit": 3, "cursor": head["pagination"]["next_cursor"]}).json()
    assert [run["id"] for run in head["data"] + tail["data"]] == [run["id"] for run in [*later[::-1], first]]


def test_run__while_the_current_version_is_published__is_refused(
    api: MemoryApi, tenant: Tenant, client: Client, page_id: str
) -> None:
    current = client.get(f"/landing-pages/{page_id}").json()["current_version_id"]
    set_fields(api, tenant, page_id, status="published", publishes=1, published_version_id=current)
    refused = client.post(f"/landing-pages/{page_id}/qa-runs")
    assert (refused.status, refused.json()["error"]["allowed_actions"]) == (409, ["publish", "rollback", "unpublish"])


def test_archived_page__takes_neither_runs_nor_decisions(client: Client, page_id: str) -> None:
    run = checked(client, page_id)
    client.post(f"/landing-pages/{page_id}/archive")
    path = f"/landing-pages/{page_id}/qa-runs"
    answers = [client.post(path), client.post(path, {"version_id": run["version_id"]})]
    answers += [client.post(f"{path}/{run['id']}/{decision}") for decision in ("approve", "reject")]
    for answer in answers:
        assert (answer.status, answer.json()["error"]["allowed_actions"]) == (409, ["unarchive"])


def test_limit__of_twenty_runs_an_hour__holds_for_the_shop(api: MemoryApi, client: Client, page_id: str) -> None:
    for _ in range(20):
        checked(client, page_id)
    other = client.post("/landing-pages", {"name": "Other", "slug": "other"}).json()["id"]
    version(api, client, other)
    refused = client.post(f"/landing-pages/{other}/qa-runs")
    assert (refused.status, refused.code) == (429, "rate_limited")
    assert "at most 20 an hour" in refused.json()["error"]["message"]
    assert status(client, other) == "draft"
    api.clock.advance(seconds=int(refused.headers["retry-after"]))
    assert client.post(f"/landing-pages/{other}/qa-runs").status == 202


@pytest.mark.parametrize(
    ("fields", "expected", "place"),
    [
        ({"version_id": "0192e4a0-ffff-7000-8000-000000000000"}, 422, "version_id"),
        ({"version_id": "3"}, 400, "version_id"),
        ({"viewports": []}, 400, "viewports"),
        ({"viewports": [{"width": 319, "height": 800}]}, 400, "viewports[0].width"),
        ({"viewports": [PHONE] * 6}, 400, "viewports"),
        ({"note": "x"}, 400, "note"),
    ],
)
def test_run__of_a_bad_field__is_refused_and_named(
    client: Client, page_id: str, fields: dict[str, Any], expected: int, place: str
) -> None:
    answer = client.post(f"/landing-pages/{page_id}/qa-runs", fields, checked=False)
    assert (answer.status, answer.paths) == (expected, [place])
    assert status(client, page_id) == "draft"


def test_viewports__have_defaults(client: Client, page_id: str) -> None:
    run = checked(client, page_id, viewports=[{"width": 360, "height": 640}, {"width": 1920, "height": 1080}])
    assert run["viewports"] == [
        {"width": 360, "height": 640, "device_scale": 1, "touch": True},
        {"width": 1920, "height": 1080, "device_scale": 1, "touch": False},
    ]


def test_page_without_versions__has_nothing_to_check(client: Client) -> None:
    page_id = client.post("/landing-pages", {"name": "Bare", "slug": "bare"}).json()["id"]
    answer = client.post(f"/landing-pages/{page_id}/qa-runs")
    assert (answer.status, answer.paths) == (422, ["version_id"])


def test_decision__by_a_key_without_the_scope__is_403(
    api: MemoryApi, tenant: Tenant, client: Client, page_id: str
) -> None:
    run = checked(client, page_id)
    editor = api.client(api.key(["landing_pages:write"], shop_id=tenant.shop.id).text)
    answer = editor.post(f"/landing-pages/{page_id}/qa-runs/{run['id']}/approve")
    assert (answer.status, answer.json()["error"]["required_scope"]) == (403, "approvals:write")


def test_decision__on_another_version_than_was_read__is_412(client: Client, page_id: str) -> None:
    run = checked(client, page_id)
    path = f"/landing-pages/{page_id}/qa-runs/{run['id']}"
    tag = client.get(path).headers["etag"]
    assert client.post(f"{path}/approve", headers={"if-match": 'W/"9"'}).status == 412
    assert client.post(f"{path}/approve", headers={"if-match": tag}).status == 200


def test_decisions__at_the_same_time__end_as_one(api: MemoryApi, tenant: Tenant, client: Client, page_id: str) -> None:
    run_id = checked(client, page_id)["id"]
    runs = cast(QaRuns, pages_uses(api.management)[QaRuns])
    caller = Caller(
        key_id="k", kind="shop", user_id=tenant.user_id, shop_id=tenant.shop.id, scopes=frozenset(), request_id="r"
    )
    decisions: list[Decision] = ["approve", "reject"] * 3
    race(*[partial(runs.decide, caller, page_id, run_id, each, None, expected_version=None) for each in decisions])
    final = client.get(f"/landing-pages/{page_id}/qa-runs/{run_id}").json()
    assert (final["status"], status(client, page_id)) in (("approved", "ready"), ("rejected", "draft"))
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=page_id, limit=9)
    assert sum("qa_run_id" in row.diff for row in rows) == 2


def test_request__that_is_repeated__starts_one_run(client: Client, page_id: str) -> None:
    path = f"/landing-pages/{page_id}/qa-runs"
    first, second = (client.post(path, headers={"idempotency-key": "once"}) for _ in range(2))
    assert (first.json(), second.headers["idempotent-replayed"]) == (second.json(), "true")
    assert len(client.get(path).json()["data"]) == 1


def test_run__of_another_page_or_shop__is_404(api: MemoryApi, client: Client, page_id: str) -> None:
    run = checked(client, page_id)
    other = client.post("/landing-pages", {"name": "Other", "slug": "other"}).json()["id"]
    stranger = api.client(api.tenant("Stranger").admin)
    own = f"/landing-pages/{page_id}/qa-runs"
    answers = [client.get(f"/landing-pages/{other}/qa-runs/{run['id']}"), stranger.get(own), stranger.post(own)]
    answers += [stranger.get(f"{own}/{run['id']}"), stranger.post(f"{own}/{run['id']}/approve")]
    answers += [client.post(f"/landing-pages/{other}/qa-runs/{run['id']}/reject")]
    assert [answer.status for answer in answers] == [404] * 6
    foreign = client.post(f"/landing-pages/{other}/qa-runs", {"version_id": run["version_id"]})
    assert (foreign.status, foreign.paths) == (422, ["version_id"])


def test_delete__page_with_runs__takes_them_along(
    api: MemoryApi, tenant: Tenant, client: Client, page_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("abtest.services.pages.pages._REMOVED_AT_ONCE", 2)
    for _ in range(3):
        checked(client, page_id)
    assert client.delete(f"/landing-pages/{page_id}").status == 204
    for kind in ("LPV", "LPQ"):
        assert api.world.catalog.list(tenant.shop.id, kind, limit=9, parent_id=page_id).heads == []
