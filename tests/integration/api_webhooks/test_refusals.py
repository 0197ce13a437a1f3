"""Endpoints that are not made: fields, addresses, and the twenty-first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from abtest.kit.errors import LimitReachedError
from abtest.ports.catalog import Commit
from abtest.services.context import Caller
from abtest.services.webhooks.endpoints import Endpoints
from abtest.services.webhooks.notification import WorkerNotifier
from abtest.services.webhooks.records import WEBHOOKS, live_webhooks, read_webhook
from tests.integration.api_webhooks.conftest import NAMES, URL, WebhookApi
from tests.support.api import Tenant
from tests.support.client import Client
from tests.support.memory import MemoryCatalog

Create = Callable[..., dict[str, Any]]
STARTED = ["experiment.started"]


@pytest.mark.parametrize(
    ("field", "value", "path"),
    [
        ("events", [], "events"),
        ("events", ["experiment.started"] * 2, "events"),
        ("events", ["*"], "events[0]"),
        ("events", ["experiment.started", "experiment.paused"], "events[1]"),
        ("events", "experiment.started", "events"),
        ("events", None, "events"),
        ("url", "", "url"),
        ("url", 7, "url"),
        ("url", None, "url"),
        ("url", "https://hooks.shop.example/" + "x" * 2022, "url"),
        ("active", True, "active"),
        ("secret", "whsec_mine", "secret"),
    ],
)
def test_create__a_field_of_a_wrong_form__is_400_and_stores_nothing(
    client: Client, field: str, value: Any, path: str
) -> None:
    answer = client.post("/webhooks", {"url": URL, "events": STARTED, field: value})
    assert (answer.status, answer.paths) == (400, [path])
    assert client.get("/webhooks").json()["data"] == []


REFUSED_URLS = [
    "http://hooks.shop.example/in",
    "ftp://hooks.shop.example/in",
    "hooks.shop.example",
    "https://",
    "https://user@hooks.shop.example/",
    "https://hooks.shop.example:8443/",
    "https://hooks.shop.example\\@inner.shop.example/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://[::1]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://localhost/",
    "https://metadata.google.internal/",
    "https://inner.shop.example/one-of-its-addresses-is-private",
    "https://nowhere.shop.example/",
]


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_address__that_may_not_be_called__is_422_and_named(client: Client, create: Create, url: str) -> None:
    refused = client.post("/webhooks", {"url": url, "events": STARTED})
    assert (refused.status, refused.code, refused.paths) == (422, "url_not_allowed", ["url"])
    assert len(client.get("/webhooks").json()["data"]) == 0
    made = create()
    changed = client.patch(f"/webhooks/{made['id']}", {"url": url})
    assert (changed.status, changed.code, changed.paths) == (422, "url_not_allowed", ["url"])
    assert client.get(f"/webhooks/{made['id']}").json()["url"] == URL


def test_address__of_the_longest_form__is_taken(create: Create) -> None:
    url = "https://hooks.shop.example/".ljust(2048, "x")
    assert create(url=url)["url"] == url


SPELLINGS = [
    ("https://hooks.shop.example", "https://hooks.shop.example/"),
    ("HTTPS://Hooks.Shop.Example:443/In", "https://hooks.shop.example/In"),
    ("https://hooks.shop.example/ö?name=ü&a=%7e#part", "https://hooks.shop.example/%C3%B6?name=%C3%BC&a=%7e"),
    ("https://bücher.example/ö", "https://xn--bcher-kva.example/%C3%B6"),
    ("https://hooks.shop.example/%zz?a=b|c[]", "https://hooks.shop.example/%25zz?a=b%7Cc%5B%5D"),
    ("https://hooks.shop.example/x?", "https://hooks.shop.example/x"),
]


@pytest.mark.parametrize(("stated", "sent"), SPELLINGS)
def test_address__however_it_is_spelled__is_kept_as_requests_are_sent(
    api: WebhookApi, client: Client, create: Create, tenant: Tenant, stated: str, sent: str
) -> None:
    path = f"/webhooks/{create(url=stated)['id']}"
    for spelling in (stated, sent):
        same = client.patch(path, {"url": spelling})
        assert (same.json()["url"], same.headers["etag"]) == (sent, 'W/"1"')
    assert client.patch(path, {"url": URL}).json()["url"] == URL
    changed = client.patch(path, {"url": stated})
    assert (changed.json()["url"], changed.headers["etag"]) == (sent, 'W/"3"')
    assert len(api.world.catalog.audit(tenant.shop.id, entity_id=path[10:], limit=9)[0]) == 3


def test_address__too_long_as_requests_are_sent__is_422(client: Client, create: Create) -> None:
    url = "https://hooks.shop.example/" + "ö" * 400
    refused = client.post("/webhooks", {"url": url, "events": STARTED})
    assert (refused.status, refused.code, refused.paths) == (422, "url_not_allowed", ["url"])
    assert client.patch(f"/webhooks/{create()['id']}", {"url": url}).code == "url_not_allowed"


def test_address__kept_by_an_older_release_as_it_was_spelled__stays_until_another_is_stated(
    api: WebhookApi, client: Client, create: Create, tenant: Tenant
) -> None:
    raw, sent = "https://bücher.example/ö", "https://xn--bcher-kva.example/%C3%B6"
    path = f"/webhooks/{create()['id']}"
    old = replace(read_webhook(api.world.catalog, tenant.shop.id, path[10:]), url=raw, version=2)
    api.world.catalog.commit(Commit(puts=[WEBHOOKS.put(old)]))
    assert client.get(path).json()["url"] == raw
    assert client.patch(path, {"url": raw}).headers["etag"] == 'W/"2"'
    assert client.patch(path, {"active": False}).json()["url"] == raw
    assert client.patch(path, {"url": sent}).json()["url"] == sent
    assert client.patch(path, {"url": raw}).headers["etag"] == 'W/"4"'


def test_address__whose_name_is_gone__can_be_stated_with_other_settings(
    client: Client, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/webhooks/{create(url='https://bücher.example/ö')['id']}"
    monkeypatch.delitem(NAMES, "xn--bcher-kva.example")
    for url in ("https://bücher.example/ö", "https://xn--bcher-kva.example/%C3%B6"):
        assert client.patch(path, {"url": url}).status == 200
    assert client.patch(path, {"url": "https://bücher.example/new"}).code == "url_not_allowed"


def test_create__the_twenty_first__is_422_until_one_is_deleted(client: Client, create: Create) -> None:
    made = [create() for _ in range(20)]
    refused = client.post("/webhooks", {"url": URL, "events": STARTED})
    assert (refused.status, refused.code) == (422, "limit_reached")
    assert client.delete(f"/webhooks/{made[7]['id']}").status == 204
    assert client.post("/webhooks", {"url": URL, "events": STARTED}).status == 201
    assert client.post("/webhooks", {"url": URL, "events": STARTED}).code == "limit_reached"


@pytest.fixture
def make(api: WebhookApi, tenant: Tenant) -> Callable[[], str]:
    """Makes an endpoint without going through the application, which answers one request at a time."""
    endpoints = Endpoints(
        world=api.world, store=api.store, sealer=api.sealer, notifier=WorkerNotifier(api.queue), check=lambda _: None
    )
    caller = Caller(
        key_id="k", kind="shop", user_id=tenant.user_id, shop_id=tenant.shop.id, scopes=frozenset(), request_id="r"
    )
    return lambda: endpoints.create(caller, url=URL, events=STARTED).endpoint.webhook.id


def test_create__many_at_once__never_makes_more_than_twenty(
    api: WebhookApi, tenant: Tenant, make: Callable[[], str]
) -> None:
    outcomes: list[str] = []

    def make_four() -> None:
        for _ in range(4):
            try:
                make()
                outcomes.append("made")
            except LimitReachedError:
                outcomes.append("refused")

    threads = [threading.Thread(target=make_four) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = live_webhooks(api.world.catalog, tenant.shop.id)
    assert sorted(webhook.slot for webhook in found) == list(range(20))
    assert (outcomes.count("made"), outcomes.count("refused")) == (20, 12)


@pytest.mark.parametrize(("others", "status"), [(18, 201), (19, 422)])
def test_create__whose_place_somebody_takes_first__takes_another_one_or_none(
    client: Client, make: Callable[[], str], monkeypatch: pytest.MonkeyPatch, others: int, status: int
) -> None:
    """A rival commits between looking and committing, to the very same place where it is the last one."""
    for _ in range(others):
        make()
    commit = MemoryCatalog.commit
    rivals = iter([True])

    def overtaken(catalog: MemoryCatalog, change: Commit) -> None:
        if len(change.claims) > 0 and next(rivals, False):
            make()
        commit(catalog, change)

    monkeypatch.setattr(MemoryCatalog, "commit", overtaken)
    assert client.post("/webhooks", {"url": URL, "events": STARTED}).status == status
    assert len(client.get("/webhooks").json()["data"]) == 20
