"""Jobs that read brand files: repeated, late, overtaken and lost ones leave what people chose last."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abtest.contract.brand import BrandContextInput
from abtest.domain.brand.excerpts import PROBLEMS
from abtest.domain.jobs.model import JobHeldError
from abtest.kit import canonical_json
from abtest.ports.blobs import BlobsUnavailableError
from abtest.ports.catalog import Commit
from abtest.ports.queue import QueueUnavailableError
from abtest.services.jobs import OverdueJobs
from abtest.services.jobs.records import read_job
from abtest.services.settings.brand import BrandContexts
from abtest.wiring.api_settings import settings_uses
from tests.support.api import MemoryApi, Tenant
from tests.support.assets import caller_of
from tests.support.brand_files import BrandReading, Texts, excerpts, put, put_document
from tests.support.client import Client

BEING_READ = "(being read)"


@pytest.fixture
def client(api: MemoryApi, tenant: Tenant) -> Client:
    """A client with every scope."""
    return api.client(tenant.admin)


@pytest.fixture
def worker(api: MemoryApi) -> BrandReading:
    """The worker, with a reader that takes no time."""
    return BrandReading(api, Texts())


def test_put__while_a_job_runs__wins(api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading) -> None:
    first, second = (put_document(api, tenant, name=name) for name in ("a.pdf", "b.pdf"))
    put(client, [first, second])
    message = worker.queue.sent.pop(0).body

    def replacing() -> None:
        worker.documents = Texts()
        put(client, [])
        put(client, [second], summary="Lamps.")

    worker.documents = replaced = Texts(meanwhile=replacing)
    worker.carry_out(message)
    assert len(replaced.contents) == 1
    assert excerpts(client) == [("b.pdf", BEING_READ)]
    assert client.get("/brand-context").json()["summary"] == "Lamps."
    worker.work()
    assert excerpts(client)[0][1].startswith("text of")
    version = client.get("/brand-context").headers["etag"]
    worker.carry_out(message)
    assert client.get("/brand-context").headers["etag"] == version


def test_edit__while_a_job_runs__is_kept(api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading) -> None:
    put(client, [put_document(api, tenant)])
    worker.documents = Texts(meanwhile=lambda: client.put("/brand-context", {"summary": "Lamps."}))
    worker.work()
    assert excerpts(client)[0][1].startswith("text of")
    assert client.get("/brand-context").json()["summary"] == "Lamps."


def test_messages__out_of_order_and_twice__leave_the_latest_files(
    api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading
) -> None:
    first, second = (put_document(api, tenant, name=name) for name in ("a.pdf", "b.pdf"))
    put(client, [first])
    put(client, [second])
    messages = [sent.body for sent in worker.queue.sent]
    for message in (*reversed(messages), *messages):
        worker.carry_out(message)
    assert [(name, text[:7]) for name, text in excerpts(client)] == [("b.pdf", "text of")]


def test_worker__that_dies__is_repeated(api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading) -> None:
    put(client, [put_document(api, tenant)])
    message = worker.queue.sent.pop(0).body

    def dying() -> None:
        raise KeyboardInterrupt

    worker.documents = Texts(meanwhile=dying)
    with pytest.raises(KeyboardInterrupt):
        worker.carry_out(message)
    assert excerpts(client) == [("guide.pdf", BEING_READ)]
    worker.documents = Texts()
    with pytest.raises(JobHeldError):
        worker.carry_out(message)
    api.clock.advance(minutes=2)
    worker.carry_out(message)
    assert excerpts(client)[0][1].startswith("text of")


def test_file__that_the_store_does_not_give__is_read_later(
    api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(*_: object) -> None:
        raise BlobsUnavailableError

    put(client, [put_document(api, tenant)])
    message = worker.queue.sent.pop(0).body
    with monkeypatch.context() as patched:
        patched.setattr(api.management.files, "open", silent)
        with pytest.raises(BlobsUnavailableError):
            worker.carry_out(message)
    assert excerpts(client) == [("guide.pdf", BEING_READ)]
    api.clock.advance(minutes=2)
    worker.carry_out(message)
    assert excerpts(client)[0][1].startswith("text of")


def test_worker__that_dies_each_time__gives_up_and_shows_it(
    api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading
) -> None:
    asset_id = put_document(api, tenant)
    put(client, [asset_id])
    message = worker.queue.sent.pop(0).body

    def dying() -> None:
        raise RuntimeError

    worker.documents = Texts(meanwhile=dying)
    for _ in range(3):
        with pytest.raises(RuntimeError):
            worker.carry_out(message)
        api.clock.advance(minutes=2)
    worker.carry_out(message)
    assert excerpts(client) == [("guide.pdf", f"(cannot be read: {PROBLEMS['given_up']})")]
    worker.carry_out(message)
    worker.documents = Texts()
    put(client, [asset_id])
    worker.work()
    assert excerpts(client)[0][1].startswith("text of")


def test_message__that_was_not_sent__is_sent_by_the_sweep(
    api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(*_: object, **__: object) -> None:
        raise QueueUnavailableError

    with monkeypatch.context() as patched:
        patched.setattr(worker.queue, "send", silent)
        put(client, [put_document(api, tenant)])
    sweep = OverdueJobs(api.world, {"brand_excerpts": worker.queue})
    assert sweep.run() == 0
    api.clock.advance(minutes=6)
    with api.management.catalog.under("CronSweep"):
        assert sweep.run() == 1
    worker.work()
    assert excerpts(client)[0][1].startswith("text of")


def test_job__that_no_worker_took_within_a_day__ends_and_shows_it(
    api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading
) -> None:
    put(client, [put_document(api, tenant)])
    worker.queue.sent.clear()
    api.clock.advance(days=1, minutes=1)
    OverdueJobs(api.world, {"brand_excerpts": worker.queue}).run()
    worker.work()
    assert excerpts(client) == [("guide.pdf", f"(cannot be read: {PROBLEMS['given_up']})")]


def test_put__that_is_repeated__makes_one_job(
    api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading
) -> None:
    asset_id = put_document(api, tenant)
    assert put(client, [asset_id]) == put(client, [asset_id])
    assert client.get("/brand-context").headers["etag"] == 'W/"1"'
    assert len(worker.queue.sent) == 1


def test_puts__at_once__make_one_job_for_each_file(
    api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    asset_id, catalog = put_document(api, tenant), api.management.catalog
    contexts, commit, waiting = settings_uses(api.management)[BrandContexts], catalog.commit, [asset_id]
    assert isinstance(contexts, BrandContexts)

    def overtaken(change: Commit) -> None:
        if waiting and any(put.record.head.kind == "SET" for put in change.puts):
            caller = replace(caller_of(tenant), scopes=frozenset({"assets:read"}))
            contexts.update(caller, BrandContextInput(asset_ids=[waiting.pop()]), None)
        commit(change)

    monkeypatch.setattr(catalog, "commit", overtaken)
    put(client, [asset_id], summary="Lamps.")
    assert len(worker.queue.sent) == 1
    worker.work()
    assert excerpts(client)[0][1].startswith("text of")


def test_jobs__are_20_an_hour(api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading) -> None:
    asset_id = put_document(api, tenant)
    for _ in range(20):
        put(client, [asset_id])
        put(client, [])
    refused = client.put("/brand-context", {"asset_ids": [asset_id], "summary": "Lamps."})
    assert (refused.status, refused.json()["error"]["code"]) == (429, "rate_limited")
    assert client.get("/brand-context").json()["summary"] == ""
    assert client.put("/brand-context", {"summary": "Lamps."}).status == 200
    api.clock.advance(hours=1)
    put(client, [asset_id])
    worker.work()
    assert excerpts(client)[0][1].startswith("text of")


def test_job__of_files__belongs_to_its_shop(
    api: MemoryApi, client: Client, tenant: Tenant, worker: BrandReading
) -> None:
    other = api.tenant("Other", domain="other.example")
    put(client, [put_document(api, tenant)])
    message = worker.queue.sent[0].body
    worker.work()
    assert api.client(other.admin).get("/brand-context").json()["clientAssetExcerpts"] == []
    job_id = canonical_json.loads(message)["job_id"]
    assert read_job(api.world.catalog, tenant.shop.id, job_id).status == "completed"
