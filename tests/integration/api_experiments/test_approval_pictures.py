"""Requests for approval with pictures: one transaction with their job, which answer, history and steps name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from abtest.services.jobs import Jobs
from abtest.wiring.api_experiments import experiments_uses
from api_experiments.routes import ROUTERS
from tests.support.api import MemoryApi, Tenant, claim_host
from tests.support.client import Client

URL = "https://shop.example/lamps"
RULE = "019c0000-0000-7000-8000-0000000000aa"
Create = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _claimed(api: MemoryApi, tenant: Tenant) -> None:
    claim_host(api, tenant, "shop.example")


def on_page(pattern: str) -> dict[str, Any]:
    """Targeting of one page."""
    return {"pageRules": [{"id": RULE, "includeRules": [{"type": "simple", "pattern": pattern}], "excludeRules": []}]}


def jobs(api: MemoryApi, tenant: Tenant) -> list[Any]:
    """The shop's screenshot jobs."""
    of_type = Jobs(api.world, "screenshot", api.management.screenshot_queue)
    return of_type.page(tenant.shop.id, limit=9, after=None)[0]


def test_request__with_pictures__starts_a_job_of_before_and_after(
    client: Client, create: Create, api: MemoryApi, tenant: Tenant
) -> None:
    made = create(targeting=on_page(URL))
    body = {"screenshots": True, "message": "Please look"}
    requested = client.post(f"/experiments/{made['id']}/request-approval", body)
    assert (requested.status, requested.json()["status"]) == (200, "awaiting_client_approval")
    job_id = requested.json()["screenshot_job_id"]
    (job,) = jobs(api, tenant)
    assert (job.id, job.status, job.request["urls"], job.request["full_page"]) == (job_id, "queued", [URL], True)
    assert job.request["variation_ids"] == [None, *(each["id"] for each in made["variations"])]
    assert len(api.management.screenshots.bodies) == 1
    (step,) = client.get(f"/experiments/{made['id']}/approvals").json()["data"]
    assert (step["message"], step["screenshot_job_id"]) == ("Please look", job_id)
    rows = client.get(f"/experiments/{made['id']}/history").json()["data"]
    row = next(each for each in rows if each["action"] == "experiment.request_approval")
    assert row["diff"]["screenshot_job_id"] == [None, job_id]


def test_request__that_is_made_again__names_the_same_job(
    client: Client, create: Create, api: MemoryApi, tenant: Tenant
) -> None:
    made = create()
    body = {"screenshots": True, "screenshot_urls": [URL]}
    answers = [client.post(f"/experiments/{made['id']}/request-approval", body).json() for _ in range(2)]
    assert answers[0]["screenshot_job_id"] == answers[1]["screenshot_job_id"]
    assert len(jobs(api, tenant)) == 1
    assert len(api.management.screenshots.bodies) == 1


def test_request__without_pictures__has_no_job(client: Client, create: Create, api: MemoryApi, tenant: Tenant) -> None:
    made = create(targeting=on_page(URL))
    answer = client.post(f"/experiments/{made['id']}/request-approval").json()
    assert "screenshot_job_id" not in answer
    assert jobs(api, tenant) == []
    (step,) = client.get(f"/experiments/{made['id']}/approvals").json()["data"]
    assert step["screenshot_job_id"] is None


@pytest.mark.parametrize(
    ("fields", "urls"),
    [
        ({"store_url": URL}, [URL]),
        ({"store_url": "https://other.example/", "targeting": on_page("/sale")}, ["https://shop.example/sale"]),
        ({"store_url": URL, "targeting": on_page("https://shop.example/*")}, [URL]),
    ],
)
def test_address__of_the_experiment__is_its_first_page_or_its_store(
    client: Client, create: Create, api: MemoryApi, tenant: Tenant, fields: dict[str, Any], urls: list[str]
) -> None:
    made = create(**fields)
    assert client.post(f"/experiments/{made['id']}/request-approval", {"screenshots": True}).status == 200
    assert jobs(api, tenant)[0].request["urls"] == urls


def test_address__of_a_page_of_the_shop__is_found(
    client: Client, create: Create, api: MemoryApi, tenant: Tenant
) -> None:
    rules = {"name": "Lamps", "includeRules": [{"type": "simple", "pattern": URL}], "excludeRules": []}
    page = client.post("/pages", rules).json()
    made = create(targeting={"pageRules": [{"id": RULE, "pageId": page["id"]}]})
    assert client.post(f"/experiments/{made['id']}/request-approval", {"screenshots": True}).status == 200
    assert jobs(api, tenant)[0].request["urls"] == [URL]


@pytest.mark.parametrize(
    ("body", "code", "path"),
    [
        ({"screenshots": True}, "validation_failed", "screenshot_urls"),
        ({"screenshot_urls": [URL]}, "validation_failed", "screenshot_urls"),
        (
            {"screenshots": True, "screenshot_urls": [URL, "https://other.example/"]},
            "url_not_allowed",
            "screenshot_urls[1]",
        ),
        (
            {"screenshots": True, "screenshot_urls": [f"{URL}/{number}" for number in range(11)]},
            "validation_failed",
            "screenshot_urls",
        ),
    ],
)
def test_request__whose_pictures_cannot_be_taken__changes_nothing(
    client: Client, create: Create, api: MemoryApi, tenant: Tenant, body: dict[str, Any], code: str, path: str
) -> None:
    made = create()
    answer = client.post(f"/experiments/{made['id']}/request-approval", body)
    error = answer.json()["error"]
    assert (answer.status, error["code"], error["fields"][0]["path"]) == (422, code, path)
    assert client.get(f"/experiments/{made['id']}").json()["status"] == "draft"
    assert jobs(api, tenant) == []


def test_request__that_is_not_allowed__starts_no_job(
    client: Client, create: Create, api: MemoryApi, tenant: Tenant
) -> None:
    made = create(store_url=URL)
    client.post(f"/experiments/{made['id']}/archive")
    answer = client.post(f"/experiments/{made['id']}/request-approval", {"screenshots": True})
    assert (answer.status, jobs(api, tenant), api.management.screenshots.bodies) == (409, [], [])


def test_pictures__need_a_scope_of_their_own(client: Client, create: Create, api: MemoryApi, tenant: Tenant) -> None:
    made = create(store_url=URL)
    writer = api.client(api.key(["experiments:write"], shop_id=tenant.shop.id, user_id=tenant.user_id).text)
    answer = writer.post(f"/experiments/{made['id']}/request-approval", {"screenshots": True})
    assert (answer.status, answer.json()["required_scope"]) == (403, "screenshots:write")
    assert writer.post(f"/experiments/{made['id']}/request-approval").status == 200


def test_deployment__without_a_browser__refuses_pictures(create: Create, api: MemoryApi, tenant: Tenant) -> None:
    made = create(store_url=URL)
    api.management.settings = replace(api.management.settings, screenshot_queue_url="")
    api.serve("ApiExperiments", ROUTERS, experiments_uses(api.management))
    client = api.client(tenant.admin)
    assert client.post(f"/experiments/{made['id']}/request-approval", {"screenshots": True}).status == 503
    assert client.post(f"/experiments/{made['id']}/request-approval").status == 200
