"""Actions whose target is the present state: they change nothing, and publish at most once a second and shop."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from abtest.services.publication import PublicationOutcome
from abtest.services.republication import LATE
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.publications import Publications, hang, kill_holder

Create = Callable[..., dict[str, Any]]


@pytest.fixture
def publications(api: MemoryApi, monkeypatch: pytest.MonkeyPatch) -> Publications:
    return Publications(api, monkeypatch)


@pytest.fixture
def launched(api: MemoryApi, client: Client, create: Create) -> Callable[[], str]:
    """Makes and launches an experiment, and returns its path."""

    def make() -> str:
        path = f"/experiments/{create()['id']}"
        assert client.post(f"{path}/launch").status == 200
        api.clock.advance(seconds=2)
        return path

    return make


FAILED = PublicationOutcome(ok=False, reasons=["service_unavailable: out"])


def test_launch__repeated_two_hundred_times__publishes_once_a_second(
    api: MemoryApi, client: Client, launched: Callable[[], str], publications: Publications
) -> None:
    path = launched()
    publications.count = 0
    before = client.get(path).json()
    began = time.perf_counter()
    for _ in range(200):
        api.clock.advance(milliseconds=60)
        assert client.post(f"{path}/launch").status == 200
    print(f"200 repeated launches: {publications.count} publications, {time.perf_counter() - began:.2f} s")  # noqa: T201
    assert publications.count == 12, "one in each of twelve seconds"
    assert client.get(path).json() == before
    assert [row["action"] for row in client.get(f"{path}/history").json()["data"]].count("experiment.launch") == 1


def test_launch__whose_publication_failed__publishes_again_at_once(
    api: MemoryApi, client: Client, create: Create, launched: Callable[[], str], publications: Publications
) -> None:
    other, path = launched(), f"/experiments/{create()['id']}"
    assert client.post(f"{other}/launch").status == 200, "the shop's publication of this second"
    api.clock.advance(milliseconds=5)
    publications.outcome = FAILED
    codes = [client.post(f"{path}/launch").code for _ in range(3)]
    assert codes == ["commerce_plane_post_commit_publish_failed"] * 3
    publications.outcome, publications.count = None, 0
    api.clock.advance(milliseconds=5)
    assert client.post(f"{path}/launch").status == 200
    assert publications.count == 1
    api.clock.advance(milliseconds=5)
    assert client.post(f"{path}/launch").status == 200
    assert publications.count == 1, "it has just been published"


def test_pause__repeated__is_limited_with_launches_of_the_same_shop(
    api: MemoryApi, client: Client, launched: Callable[[], str], publications: Publications
) -> None:
    running, paused = launched(), launched()
    assert client.post(f"{paused}/pause").status == 200
    api.clock.advance(seconds=2)
    publications.count = 0
    for path in (f"{running}/launch", f"{paused}/pause") * 5:
        assert client.post(path).status == 200
        api.clock.advance(milliseconds=9)
    assert publications.count == 1


def test_retry_publication__repeated__publishes_once_a_second(
    api: MemoryApi, client: Client, launched: Callable[[], str], publications: Publications
) -> None:
    path = launched()
    publications.count = 0
    for _ in range(20):
        api.clock.advance(milliseconds=60)
        assert client.post(f"{path}/retry-publication").status == 200
    assert publications.count == 2


def test_launch__while_another_publication_hangs__is_502_until_the_lease_of_its_killed_holder_ends(
    api: MemoryApi, tenant: Tenant, client: Client, launched: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = launched()
    hang(api, tenant.shop.id, monkeypatch)
    late = client.post(f"{path}/launch")
    assert (late.status, late.code) == (502, "commerce_plane_post_commit_publish_failed")
    assert "is saved, but publishing it to storefronts has not ended yet" in late.json()["error"]["message"]
    assert (late.headers["retry-after"], late.json()["reasons"]) == ("8", [LATE])
    assert (late.json()["refresh"]["status"], late.json()["committed"]["status"]) == ("warning", "running")
    kill_holder(api, monkeypatch)
    assert client.post(f"{path}/launch").status == 200
