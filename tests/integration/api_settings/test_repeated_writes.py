"""Settings written again unchanged, and publication on demand again and again: published at most once a second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from abtest.services.publication import PublicationOutcome
from abtest.services.republication import LATE
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.publications import Publications, hang, kill_holder

Write = Callable[[Client], dict[str, Any]]
FAILED = PublicationOutcome(ok=False, reasons=["service_unavailable: out"])


@pytest.fixture
def publications(api: MemoryApi, client: Client, monkeypatch: pytest.MonkeyPatch) -> Publications:
    """Counts from here on: every setting is written, and some seconds ago."""
    del client
    return Publications(api, monkeypatch)


def published(client: Client) -> dict[str, Any]:
    answer = client.post("/settings/publish")
    assert answer.status == 200, answer.body
    return dict(answer.json())


def unchanged(address: str, name: str, token: str) -> Write:
    """A PATCH that sends what is stored."""

    def write(client: Client) -> dict[str, Any]:
        stored = client.get(f"/settings/{address}").json()
        body = {name: stored[name]} | ({f"expected_{token}": stored[token]} if token in stored else {})
        answer = client.patch(f"/settings/{address}", body)
        assert answer.status == 200, answer.body
        return dict(answer.json())

    return write


WRITES: dict[str, Write] = {
    "publish": published,
    "environments": unchanged("environments", "environments", "version"),
    "external tracking": unchanged("external-tracking", "externalTracking", "revision"),
    "consent": unchanged("consent", "consentMode", "revision"),
    "exposure destinations": unchanged("exposure-destinations", "ga4", "revision"),
    "install domains": unchanged("install-domains", "additionalDomains", "revision"),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_write__repeated_two_hundred_times__publishes_once_a_second(
    api: MemoryApi, client: Client, publications: Publications, write: Write
) -> None:
    write(client)
    api.clock.advance(seconds=2)
    publications.count = 0
    results = []
    for _ in range(200):
        api.clock.advance(milliseconds=60)
        results.append(write(client))
    assert publications.count == 12, "one in each of twelve seconds"
    assert {result["precompile"]["status"] for result in results} == {"ok"}
    if write is published:
        revisions = [result["revision"] for result in results]
        assert revisions == sorted(revisions)
        assert (len(set(revisions)), {result["status"] for result in results}) == (12, {"published"})


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_write__whose_publication_failed__is_published_again_at_once(
    api: MemoryApi, client: Client, publications: Publications, write: Write
) -> None:
    write(client)
    api.clock.advance(seconds=2)
    publications.outcome = FAILED
    assert [write(client)["precompile"]["status"] for _ in range(2)] == ["error"] * 2
    publications.outcome, publications.count = None, 0
    assert write(client)["precompile"]["status"] == "ok"
    assert publications.count == 1


def test_publish__after_a_change_of_the_same_second__publishes_the_change(
    api: MemoryApi, client: Client, publications: Publications
) -> None:
    api.clock.advance(seconds=2)
    first = published(client)
    api.clock.advance(milliseconds=5)
    publications.outcome = FAILED
    changed = client.patch("/settings/consent", {"consentMode": {"enabled": True, "provider": "provider_b"}})
    assert changed.json()["precompile"]["status"] == "error"
    publications.outcome = None
    api.clock.advance(milliseconds=5)
    second = published(client)
    assert second["revision"] > first["revision"]
    api.clock.advance(milliseconds=5)
    assert published(client) == second, "nothing has changed since"


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_write__while_another_publication_hangs__reports_that_storefronts_may_lack_it(
    api: MemoryApi, client: Client, tenant: Tenant, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    write(client)
    api.clock.advance(seconds=2)
    hang(api, tenant.shop.id, monkeypatch)
    precompile = write(client)["precompile"]
    assert (precompile["status"], LATE in precompile["summary"]) == ("error", True)
    kill_holder(api, monkeypatch)
    assert write(client)["precompile"]["status"] == "ok"
