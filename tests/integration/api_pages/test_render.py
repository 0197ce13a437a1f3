"""Links of landing pages, requested in the background: what is requested, what the report has, what repeats."""

from __future__ import annotations

from itertools import count
from typing import Any, cast

import pytest

from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.jobs.model import MAX_ATTEMPTS
from abtest.kit import canonical_json
from abtest.ports.catalog import Commit, HeadPage, Kind
from abtest.ports.http_sender import HttpUnreachableError
from abtest.ports.queue import QueueUnavailableError
from abtest.services.jobs import OverdueJobs
from abtest.services.jobs.records import read_job
from tests.integration.api_pages.test_versions import create
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.landing_checks import PromptChecks
from tests.support.landing_qa import checked


@pytest.fixture
def page_id(client: Client) -> str:
    """A page at https://shop.example/lamp without versions."""
    page_id: str = client.post("/landing-pages", {"name": "Lamp", "slug": "lamp", "publish_path": "/lamp"}).json()["id"]
    return page_id


@pytest.fixture
def queue(api: MemoryApi) -> PromptChecks:
    """The queue of the worker, and the answers of links."""
    return cast(PromptChecks, api.management.page_queue)


def linking(*hrefs: str) -> dict[str, Any]:
    """Return a spec with these links, each in a block of its own."""
    links = [
        {"type": "cta", "id": f"b{number}", "heading": "Buy", "links": [{"label": "Buy", "href": href}]}
        for number, href in enumerate(hrefs)
    ]
    return {"format": 1, "lang": "en", "theme": {}, "blocks": links}


def version(api: MemoryApi, client: Client, page_id: str, *hrefs: str) -> str:
    """Create a version with these links, and return its address."""
    path = f"/landing-pages/{page_id}/versions"
    number = create(api, client, path, spec=linking(*hrefs))["version_number"]
    api.clock.advance(seconds=1)
    return f"{path}/{number}"


def links(answer: dict[str, Any]) -> tuple[str, str]:
    """Return status and message of the check of links."""
    check = next(each for each in answer["gate_report"]["checks"] if each["key"] == "links_resolve")
    return check["status"], check["message"]


def test_render__of_links_that_work__passes(api: MemoryApi, client: Client, queue: PromptChecks, page_id: str) -> None:
    hrefs = ("/cart", "https://other.example/a#part", "https://other.example/a", "#b0", "mailto:a@b.example", "/lamp")
    path = version(api, client, page_id, *hrefs)
    before = client.get(path)
    assert links(before.json()) == ("warn", "not checked: 4 links to other pages")
    rendered = client.post(f"{path}/render")
    assert (rendered.status, rendered.json()) == (202, before.json())
    after = client.get(path)
    assert links(after.json()) == ("pass", "")
    assert after.headers["etag"] != before.headers["etag"]
    assert after.json() | {"gate_report": None} == before.json() | {"gate_report": None}
    assert after.json()["gate_report"]["checked_at"] > before.json()["gate_report"]["checked_at"]
    assert sorted(queue.links.requested) == ["https://other.example/a", "https://shop.example/cart"]
    page = client.get(f"/landing-pages/{page_id}").json()
    assert page["current_version"] == page["versions"][0] == after.json()
    assert client.get(path.rpartition("/")[0]).json()["data"] == [after.json()]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (404, "https://shop.example/old answers 404"),
        (500, "https://shop.example/old answers 500"),
        (HttpUnreachableError("the server redirects more than 5 times", "redirects"), "redirects more than 5 times"),
        (HttpUnreachableError("no answer within 10 s", "timeout"), "does not answer: no answer within 10 s"),
        (UrlNotAllowedError("old.example cannot be called"), "cannot be requested: old.example cannot be called"),
    ],
)
def test_render__of_a_broken_link__fails_and_names_it(
    api: MemoryApi, client: Client, queue: PromptChecks, page_id: str, answer: int | Exception, message: str
) -> None:
    queue.links.answers["https://shop.example/old"] = answer
    path = version(api, client, page_id, "/old", "/new")
    client.post(f"{path}/render")
    report = client.get(path).json()["gate_report"]
    assert report["passed"] is False
    assert links({"gate_report": report})[0] == "fail"
    assert message in links({"gate_report": report})[1]
    run = checked(client, page_id)
    assert (run["status"], run["findings"][0]["check"]) == ("failed", "links_resolve")
    assert message in run["findings"][0]["message"]


def test_render__of_more_than_fifty_links__warns_about_the_rest(
    api: MemoryApi, client: Client, queue: PromptChecks, page_id: str
) -> None:
    path = version(api, client, page_id, *(f"/p{number}" for number in range(53)))
    client.post(f"{path}/render")
    status, message = links(client.get(path).json())
    assert (status, len(queue.links.requested)) == ("warn", 50)
    assert message.startswith("3 of 53 links were not checked")


def test_results__of_links_that_work__are_kept_for_a_day(
    api: MemoryApi, client: Client, queue: PromptChecks, page_id: str
) -> None:
    queue.links.answers["https://shop.example/old"] = 404
    path = version(api, client, page_id, "/old", "/new")
    client.post(f"{path}/render")
    queue.links.requested.clear()
    queue.links.answers.clear()
    api.clock.advance(hours=23)
    client.post(f"{path}/render")
    assert queue.links.requested == ["https://shop.example/old"]
    assert links(client.get(path).json()) == ("pass", "")
    queue.links.requested.clear()
    api.clock.advance(hours=2)
    checked(client, page_id)
    assert queue.links.requested == ["https://shop.example/new"]


def test_results__of_broken_links__are_kept_for_a_minute(
    api: MemoryApi, client: Client, queue: PromptChecks, page_id: str
) -> None:
    queue.links.answers["https://shop.example/old"] = 404
    path = version(api, client, page_id, "/old")
    for seconds in (59, 1):
        client.post(f"{path}/render")
        assert links(client.get(path).json()) == ("fail", "https://shop.example/old answers 404")
        assert len(queue.links.requested) == 1
        api.clock.advance(seconds=seconds)
    queue.links.answers.clear()
    client.post(f"{path}/render")
    assert links(client.get(path).json()) == ("pass", "")


def test_render__beyond_the_limit_of_the_shop__is_429(api: MemoryApi, client: Client, page_id: str) -> None:
    path = version(api, client, page_id, "/new")
    assert {client.post(f"{path}/render").status for _ in range(20)} == {202}
    refused = client.post(f"{path}/render")
    assert (refused.status, refused.code, refused.headers["retry-after"]) == (429, "rate_limited", "60")
    assert "at most 20 at once, and 60 an hour" in refused.json()["error"]["message"]
    api.clock.advance(minutes=1)
    assert [client.post(f"{path}/render").status for _ in range(2)] == [202, 429]


def test_message__twice_and_late__changes_nothing_more(
    api: MemoryApi, client: Client, queue: PromptChecks, page_id: str
) -> None:
    path = version(api, client, page_id, "/new")
    queue.held = True
    client.post(f"/landing-pages/{page_id}/qa-runs")
    (message,) = queue.waiting
    queue.carry_out(message)
    run = client.get(f"/landing-pages/{page_id}/qa-runs").json()["data"][0]
    assert run["status"] == "passed"
    approved = client.post(f"/landing-pages/{page_id}/qa-runs/{run['id']}/approve").json()
    tag = client.get(path).headers["etag"]
    api.clock.advance(hours=30)
    queue.carry_out(message)
    assert client.get(f"/landing-pages/{page_id}/qa-runs/{run['id']}").json() == approved
    assert client.get(path).headers["etag"] == tag


def test_worker__that_is_killed__leaves_the_check_to_the_next(
    api: MemoryApi, client: Client, queue: PromptChecks, page_id: str
) -> None:
    version(api, client, page_id, "/new")
    queue.held = True
    client.post(f"/landing-pages/{page_id}/qa-runs")
    (message,) = queue.waiting
    queue.links.answers["https://shop.example/new"] = MemoryError("killed")
    with pytest.raises(MemoryError):
        queue.carry_out(message)
    queue.links.answers.clear()
    api.clock.advance(minutes=5)
    queue.carry_out(message)
    (run,) = client.get(f"/landing-pages/{page_id}/qa-runs").json()["data"]
    assert run["status"] == "passed"


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("is_stored", [False, True])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_worker__that_is_killed_at_a_commit__leaves_the_check_to_the_next(
    api: MemoryApi,
    client: Client,
    queue: PromptChecks,
    page_id: str,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    is_stored: bool,
) -> None:
    path = version(api, client, page_id, "/new", "/old")
    queue.links.answers["https://shop.example/old"] = 410
    queue.held = True
    client.post(f"/landing-pages/{page_id}/qa-runs")
    (message,) = queue.waiting
    commit, left = api.world.catalog.commit, count(1)

    def dying(change: Commit) -> None:
        is_last = next(left) == number
        if not is_last or is_stored:
            commit(change)
        if is_last:
            raise Killed

    with monkeypatch.context() as killing:
        killing.setattr(api.world.catalog, "commit", dying)
        with pytest.raises(Killed):
            queue.carry_out(message)
    api.clock.advance(minutes=5)
    queue.carry_out(message)
    (run,) = client.get(f"/landing-pages/{page_id}/qa-runs").json()["data"]
    assert (run["status"], run["findings"][0]["check"]) == ("failed", "links_resolve")
    assert links(client.get(path).json()) == ("fail", "https://shop.example/old answers 410")


def test_queue__that_refuses__leaves_the_run_to_the_sweep(
    api: MemoryApi, client: Client, queue: PromptChecks, page_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise QueueUnavailableError("refused")

    version(api, client, page_id, "/new")
    with monkeypatch.context() as refusing:
        refusing.setattr(queue, "send", refuse)
        assert client.post(f"/landing-pages/{page_id}/qa-runs").json()["status"] == "queued"
    api.clock.advance(minutes=6)
    assert OverdueJobs(api.world, {"page_check": queue}).run() == 1
    (run,) = client.get(f"/landing-pages/{page_id}/qa-runs").json()["data"]
    assert run["status"] == "passed"


def test_check__that_never_ends__fails_its_run(
    api: MemoryApi, tenant: Tenant, client: Client, queue: PromptChecks, page_id: str
) -> None:
    version(api, client, page_id, "/new")
    queue.held = True
    client.post(f"/landing-pages/{page_id}/qa-runs")
    (message,) = queue.waiting
    queue.links.answers["https://shop.example/new"] = MemoryError("killed")
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(MemoryError):
            queue.carry_out(message)
        api.clock.advance(minutes=5)
    queue.carry_out(message)
    job = read_job(api.world.catalog, tenant.shop.id, canonical_json.loads(message)["job_id"])
    (run,) = client.get(f"/landing-pages/{page_id}/qa-runs").json()["data"]
    assert (job.status, run["status"], run["findings"][0]["check"]) == ("failed", "failed", "run")


def test_check__that_no_worker_takes_within_a_day__fails_its_run(
    api: MemoryApi, client: Client, queue: PromptChecks, page_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise QueueUnavailableError("refused")

    version(api, client, page_id, "/new")
    queue.held = True
    client.post(f"/landing-pages/{page_id}/qa-runs")
    queue.waiting.clear()
    overdue = OverdueJobs(api.world, {"page_check": queue})
    api.clock.advance(days=1, minutes=5)
    with monkeypatch.context() as refusing:
        refusing.setattr(queue, "send", refuse)
        assert overdue.run() == 0
    assert (overdue.run(), overdue.run()) == (1, 0)
    queue.work()
    (run,) = client.get(f"/landing-pages/{page_id}/qa-runs").json()["data"]
    assert (run["status"], run["findings"][0]["check"]) == ("failed", "run")
    assert client.post(f"/landing-pages/{page_id}/qa-runs").status == 202


def test_delete__while_a_check_ends__deletes_the_page(
    api: MemoryApi, client: Client, queue: PromptChecks, page_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    version(api, client, page_id, "/new")
    queue.held = True
    client.post(f"/landing-pages/{page_id}/qa-runs")
    read = api.world.catalog.list

    def slow(shop_id: str, kind: Kind, **options: Any) -> HeadPage:
        listed = read(shop_id, kind, **options)
        if kind == "LPQ":
            queue.work()
        return listed

    monkeypatch.setattr(api.world.catalog, "list", slow)
    assert client.delete(f"/landing-pages/{page_id}").status == 204
    assert client.get(f"/landing-pages/{page_id}").status == 404


def test_run__that_is_rejected_meanwhile__stays_rejected(
    api: MemoryApi, client: Client, queue: PromptChecks, page_id: str
) -> None:
    version(api, client, page_id, "/new")
    queue.held = True
    run = client.post(f"/landing-pages/{page_id}/qa-runs").json()
    assert run["status"] == "queued"
    assert client.post(f"/landing-pages/{page_id}/qa-runs/{run['id']}/approve").status == 409
    rejected = client.post(f"/landing-pages/{page_id}/qa-runs/{run['id']}/reject").json()
    queue.work()
    assert client.get(f"/landing-pages/{page_id}/qa-runs/{run['id']}").json() == rejected
    assert client.get(f"/landing-pages/{page_id}").json()["status"] == "draft"


def test_page__that_is_deleted_meanwhile__leaves_nothing(
    api: MemoryApi, tenant: Tenant, client: Client, queue: PromptChecks, page_id: str
) -> None:
    path = version(api, client, page_id, "/new")
    queue.held = True
    client.post(f"/landing-pages/{page_id}/qa-runs")
    client.post(f"{path}/render")
    assert client.delete(f"/landing-pages/{page_id}").status == 204
    queue.work()
    assert queue.links.requested == []
    assert api.world.catalog.list(tenant.shop.id, "LPR", limit=9, parent_id=page_id).heads == []


def test_page__that_moved__has_its_canonical_address_checked_again(
    api: MemoryApi, client: Client, queue: PromptChecks, page_id: str
) -> None:
    seo = {"title": "Lamp", "canonical": "https://shop.example/lamp"}
    path = f"/landing-pages/{page_id}/versions"
    create(api, client, path, spec=linking("/new"), seo_manifest=seo)
    client.patch(f"/landing-pages/{page_id}", {"publish_path": "/light"})
    client.post(f"{path}/1/render")
    statuses = {each["key"]: each["status"] for each in client.get(f"{path}/1").json()["gate_report"]["checks"]}
    assert (statuses["canonical"], statuses["links_resolve"]) == ("warn", "pass")
    assert queue.links.requested == ["https://shop.example/new"]


def test_render__of_what_does_not_exist_or_is_archived__is_refused(
    api: MemoryApi, tenant: Tenant, client: Client, queue: PromptChecks, page_id: str
) -> None:
    path = version(api, client, page_id, "/new")
    stranger = api.client(api.tenant("Stranger").admin)
    assert [stranger.post(f"{path}/render").status, client.post(f"{path[:-1]}9/render").status] == [404, 404]
    reader = api.client(api.key(["landing_pages:read"], shop_id=tenant.shop.id).text)
    assert reader.post(f"{path}/render").status == 403
    client.post(f"/landing-pages/{page_id}/archive")
    answer = client.post(f"{path}/render")
    assert (answer.status, answer.json()["error"]["allowed_actions"]) == (409, ["unarchive"])
    assert queue.links.requested == []
