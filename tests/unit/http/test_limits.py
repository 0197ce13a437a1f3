"""Rate limits: a key's bucket, dear routes, failed authentications of an address."""

from typing import Any

import pytest

from abtest.domain.credentials.api_keys import compose
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.unit.http.conftest import Bench

ID = "0192e4a0-0000-7000-8000-000000000000"


def test_key__within_its_limit__is_told_what_is_left(client: Client, api: MemoryApi) -> None:
    first, second = client.get("/things"), client.get("/things")
    assert first.headers["x-ratelimit-limit"] == "600"
    assert [int(answer.headers["x-ratelimit-remaining"]) for answer in (first, second)] == [599, 598]
    assert int(first.headers["x-ratelimit-reset"]) == int(api.clock.now().timestamp()) + 1


def test_key__over_its_limit__is_429_with_retry_after(client: Client, api: MemoryApi) -> None:
    statuses = [client.get("/things").status for _ in range(600)]
    refused = client.get("/things")
    assert set(statuses) == {200}
    assert (refused.status, refused.code) == (429, "rate_limited")
    assert (refused.headers["retry-after"], refused.headers["x-ratelimit-remaining"]) == ("1", "0")
    api.clock.advance(seconds=1)
    assert client.get("/things").status == 200


def test_key__with_a_limit_of_its_own__is_held_to_it(api: MemoryApi, tenant: Tenant) -> None:
    key = api.key(["experiments:read"], shop_id=tenant.shop.id, rate_limit_per_minute=2)
    client = api.client(key.text)
    assert [client.get("/things", checked=False).status for _ in range(3)] == [200, 200, 429]


def test_dear_route__has_thirty_a_minute(client: Client) -> None:
    statuses = [client.get(f"/things/{ID}/dear").status for _ in range(31)]
    assert statuses == [200] * 30 + [429]
    assert client.get("/things").status == 200


def test_limits__of_two_keys__are_apart(api: MemoryApi, tenant: Tenant) -> None:
    first = api.client(api.key([], shop_id=tenant.shop.id, rate_limit_per_minute=1).text)
    second = api.client(api.key([], shop_id=tenant.shop.id, rate_limit_per_minute=1).text)
    assert [c.get("/things", checked=False).status for c in (first, second, first)] == [200, 200, 429]


def test_address__that_failed_too_often__is_429_before_the_key_is_looked_up(
    api: MemoryApi, tenant: Tenant, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = compose("shop", "A" * 12, "B" * 32)
    guesser = Client(api.handler, key=unknown, address="198.51.100.9")
    statuses = [guesser.get("/things", checked=False).status for _ in range(31)]
    assert statuses == [401] * 30 + [429]
    looked_up: list[object] = []
    resolve = api.management.catalog.resolve

    def noted(*arguments: Any) -> Any:
        looked_up.append(arguments)
        return resolve(*arguments)

    monkeypatch.setattr(api.management.catalog, "resolve", noted)
    right_key = Client(api.handler, key=tenant.admin, address="198.51.100.9")
    assert right_key.post("/things", {"name": "x"}, checked=False).status == 429
    assert looked_up == []
    elsewhere = Client(api.handler, key=tenant.admin, address="198.51.100.10")
    assert elsewhere.get("/things", checked=False).status == 200
    api.clock.advance(seconds=60)
    assert right_key.get("/things", checked=False).status == 200
    assert bench.runs == 0


def test_address__that_failed_too_often__is_told_when_one_more_attempt_passes(api: MemoryApi) -> None:
    guesser = Client(api.handler, key=compose("shop", "A" * 12, "B" * 32), address="198.51.100.12")
    refused = [guesser.get("/things", checked=False) for _ in range(31)][-1]
    assert (refused.status, refused.headers["retry-after"]) == (429, "2")
    api.clock.advance(seconds=int(refused.headers["retry-after"]))
    assert guesser.get("/things", checked=False).status == 401


def test_addresses__of_one_ipv6_subscriber__are_counted_as_one(api: MemoryApi) -> None:
    unknown = compose("shop", "A" * 12, "B" * 32)
    guessers = [Client(api.handler, key=unknown, address=f"2001:db8:1:2::{n:x}") for n in range(31)]
    assert [each.get("/things", checked=False).status for each in guessers] == [401] * 30 + [429]
    neighbour = Client(api.handler, key=unknown, address="2001:db8:1:3::1")
    assert neighbour.get("/things", checked=False).status == 401


def test_address__that_sends_no_key__is_not_counted(api: MemoryApi, tenant: Tenant) -> None:
    anonymous = Client(api.handler, address="198.51.100.11")
    assert {anonymous.get("/things", checked=False).status for _ in range(40)} == {401}
    assert Client(api.handler, key=tenant.admin, address="198.51.100.11").get("/things", checked=False).status == 200
