"""Screenshot jobs over HTTP: ordered, listed, cancelled, refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from abtest.domain.settings.install_domains import claim_name
from abtest.ports.catalog import Claim, Commit
from abtest.services.experiments.records import EXPERIMENTS
from abtest.wiring.api_assets import assets_uses
from api_assets.routes import ROUTERS
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.memory import MemoryQueue
from tests.support.screenshots import Studio
from tests.unit.experiments.examples import CONTROL, EXPERIMENT, TREATMENT, experiment

URL = "https://shop.example/lamps"
WINDOW = {"width": 320, "height": 320}


@pytest.fixture
def queue(api: MemoryApi) -> MemoryQueue:
    """The queue that the routes send to."""
    return api.management.screenshots


@pytest.fixture
def studio(api: MemoryApi, tenant: Tenant, queue: MemoryQueue) -> Studio:
    """The worker of the shop's jobs."""
    return Studio(api, tenant, queue)


@pytest.fixture
def installed(api: MemoryApi, tenant: Tenant) -> str:
    """An experiment of a shop whose host is claimed; its id."""
    made = replace(experiment(), shop_id=tenant.shop.id, version=1)
    claim = Claim(scope=None, name=claim_name("shop.example"), target_id="x", target_shop_id=tenant.shop.id)
    api.world.catalog.commit(Commit(puts=[EXPERIMENTS.put(made)], claims=[claim]))
    return made.id


def refusal(client: Client, body: dict[str, Any]) -> tuple[int, str, list[str]]:
    """Status, code and fields of a refused order."""
    answer = client.post("/screenshots", body)
    error = answer.json()["error"]
    return answer.status, error["code"], [field["path"] for field in error.get("fields", ())]


def test_job__from_its_order_to_its_pictures__is_shown(client: Client, studio: Studio, queue: MemoryQueue) -> None:
    answer = client.post("/screenshots", {"urls": [URL], "viewports": [WINDOW | {"device_scale": 2}]})
    assert answer.status == 202, answer.body
    job = answer.json()
    assert job | {"job_id": "", "created_at": ""} == {
        "job_id": "",
        "status": "queued",
        "progress": 0,
        "experiment_id": None,
        "shots": 1,
        "results": None,
        "error": None,
        "created_at": "",
        "completed_at": None,
    }
    studio.photographer().carry_out(queue.bodies[0])
    done = client.get(f"/screenshots/{job['job_id']}").json()
    (result,) = done["results"]
    assert (done["status"], done["progress"], done["completed_at"] is None) == ("completed", 100, False)
    assert (result["url"], result["width"], result["viewport"]) == (URL, 640, WINDOW | {"device_scale": 2})
    (asset,) = client.get("/assets").json()["data"]
    assert (asset["id"], asset["public_url"]) == (result["asset_id"], result["public_url"])
    assert asset["name"] == "shop.example/lamps, 320 x 320"
    assert asset["mime_type"] == "image/png"
    (row,) = client.get("/screenshots", query={"status": "completed"}).json()["data"]
    assert row == {name: value for name, value in done.items() if name != "results"}
    assert client.get("/screenshots", query={"status": "failed"}).json()["data"] == []
    assert client.post(f"/screenshots/{job['job_id']}/cancel").status == 409


def test_order__that_names_no_window__has_a_phone_and_a_desktop(client: Client, studio: Studio) -> None:
    job = client.post("/screenshots", {"urls": [URL]}).json()
    assert job["shots"] == 2
    viewports = studio.jobs.get(studio.shop_id, job["job_id"]).request["viewports"]
    assert [(each["width"], each["device_scale"], each["touch"]) for each in viewports] == [
        (390, 2, True),
        (1280, 1, False),
    ]


def test_job__that_is_cancelled__stays_so(client: Client, studio: Studio, queue: MemoryQueue) -> None:
    job = client.post("/screenshots", {"urls": [URL]}).json()
    for _ in range(2):
        cancelled = client.post(f"/screenshots/{job['job_id']}/cancel")
        assert (cancelled.status, cancelled.json()["status"]) == (200, "cancelled")
    studio.photographer().carry_out(queue.bodies[0])
    assert studio.browsers.visits == []
    assert client.get(f"/screenshots/{job['job_id']}").json()["results"] is None


def test_list__of_jobs__is_in_pages(client: Client, api: MemoryApi) -> None:
    ordered = []
    for _ in range(3):
        api.clock.advance(seconds=1)
        ordered.append(client.post("/screenshots", {"urls": [URL]}).json()["job_id"])
    first = client.get("/screenshots", query={"limit": "2"}).json()
    rest = client.get("/screenshots", query={"limit": "2", "cursor": first["pagination"]["next_cursor"]}).json()
    assert [each["job_id"] for each in first["data"] + rest["data"]] == ordered[::-1]


def test_order__that_is_repeated__is_one_job(client: Client, queue: MemoryQueue) -> None:
    answers = [client.post("/screenshots", {"urls": [URL]}, headers={"idempotency-key": "1"}) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert len(queue.bodies) == 1


def test_variations__by_default__are_those_in_use(client: Client, installed: str, studio: Studio) -> None:
    job = client.post("/screenshots", {"urls": [URL], "experiment_id": installed}).json()
    assert (job["experiment_id"], job["shots"]) == (EXPERIMENT, 4)
    assert studio.jobs.get(studio.shop_id, job["job_id"]).request["variation_ids"] == [CONTROL, TREATMENT]
    one = {"urls": [URL], "experiment_id": installed, "variation_ids": ["1000000002"]}
    named = client.post("/screenshots", one).json()
    assert studio.jobs.get(studio.shop_id, named["job_id"]).request["variation_ids"] == [TREATMENT]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"urls": []}, (400, "invalid_request", ["urls"])),
        ({"urls": [URL] * 2}, (400, "invalid_request", ["urls"])),
        ({"urls": [f"{URL}/{number}" for number in range(21)]}, (400, "invalid_request", ["urls"])),
        (
            {"urls": [URL], "viewports": [{"width": 319, "height": 400}]},
            (400, "invalid_request", ["viewports[0].width"]),
        ),
        (
            {"urls": [URL], "viewports": [WINDOW | {"device_scale": 4}]},
            (400, "invalid_request", ["viewports[0].device_scale"]),
        ),
        (
            {"urls": [f"{URL}/{number}" for number in range(20)], "viewports": [WINDOW] * 4},
            (422, "validation_failed", ["urls"]),
        ),
        ({"urls": [URL], "variation_ids": [CONTROL]}, (422, "validation_failed", ["variation_ids"])),
        ({"urls": [URL, "https://10.0.0.1/"]}, (422, "url_not_allowed", ["urls[1]"])),
        ({"urls": ["https://[::1]/"]}, (422, "url_not_allowed", ["urls[0]"])),
        ({"urls": ["https://169.254.169.254/latest"]}, (422, "url_not_allowed", ["urls[0]"])),
        ({"urls": ["http://shop.example/"]}, (422, "url_not_allowed", ["urls[0]"])),
        ({"urls": ["https://shop.example:8443/"]}, (422, "url_not_allowed", ["urls[0]"])),
        ({"urls": ["https://localhost/"]}, (422, "url_not_allowed", ["urls[0]"])),
        ({"urls": ["https://intranet/"]}, (422, "url_not_allowed", ["urls[0]"])),
        ({"urls": ["file:///etc/passwd"]}, (400, "invalid_request", ["urls[0]"])),
        ({"urls": [URL], "experiment_id": EXPERIMENT}, (404, "not_found", [])),
    ],
)
def test_order__that_no_job_may_have__is_refused_at_its_field(
    client: Client, queue: MemoryQueue, body: dict[str, Any], expected: tuple[int, str, list[str]]
) -> None:
    assert refusal(client, body) == expected
    assert queue.bodies == []


def test_experiment__on_a_host_that_the_shop_lacks__is_refused(client: Client, installed: str) -> None:
    body = {"urls": [URL, "https://other.example/"], "experiment_id": installed}
    assert refusal(client, body) == (422, "url_not_allowed", ["urls[1]"])


def test_variation__of_another_experiment__is_refused(client: Client, installed: str) -> None:
    body = {"urls": [URL], "experiment_id": installed, "variation_ids": [CONTROL, EXPERIMENT]}
    assert refusal(client, body) == (422, "validation_failed", ["variation_ids[1]"])
    twice = {"urls": [URL], "experiment_id": installed, "variation_ids": [CONTROL, "1000000001"]}
    assert refusal(client, twice) == (422, "validation_failed", ["variation_ids"])


def test_jobs__of_another_shop__do_not_exist(client: Client, api: MemoryApi, installed: str) -> None:
    job = client.post("/screenshots", {"urls": [URL]}).json()
    other = api.client(api.tenant("Other").admin)
    assert other.get(f"/screenshots/{job['job_id']}").status == 404
    assert other.post(f"/screenshots/{job['job_id']}/cancel").status == 404
    assert other.get("/screenshots").json()["data"] == []
    assert refusal(other, {"urls": [URL], "experiment_id": installed}) == (404, "not_found", [])


def test_scopes__of_screenshots__are_needed(client: Client, api: MemoryApi, tenant: Tenant) -> None:
    reader = api.client(api.key(["screenshots:read"], shop_id=tenant.shop.id, user_id=tenant.user_id).text)
    assert reader.get("/screenshots").status == 200
    assert reader.post("/screenshots", {"urls": [URL]}).status == 403
    stranger = api.client(api.key(["assets:write"], shop_id=tenant.shop.id, user_id=tenant.user_id).text)
    assert stranger.get("/screenshots").status == 403
    assert client.post("/screenshots", {"urls": [URL]}).status == 202


def test_orders__are_limited_to_thirty_a_minute(client: Client) -> None:
    statuses = [client.post("/screenshots", {"urls": [URL]}).status for _ in range(31)]
    assert statuses == [202] * 30 + [429]
    assert client.get("/screenshots").status == 200


def test_deployment__without_a_browser__names_the_parameter(api: MemoryApi, tenant: Tenant, queue: MemoryQueue) -> None:
    api.management.settings = replace(api.management.settings, screenshot_queue_url="")
    api.serve("ApiAssets", ROUTERS, assets_uses(api.management))
    client = api.client(tenant.admin)
    answer = client.post("/screenshots", {"urls": [URL]})
    assert (answer.status, answer.json()["error"]["code"]) == (503, "service_unavailable")
    assert "BrowserImageUri" in answer.json()["error"]["message"]
    assert (client.get("/screenshots").json()["data"], queue.bodies) == ([], [])
