"""Rate limits: a key's bucket, dear routes, failed authentications of an address."""

from typing import Any

import pytest

from abtest.domain.credentials.api_keys import compose
from abtest.edge.cdn import behind_cdn
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client

ID = "0192e4a0-0000-7000-8000-000000000000"
SHARED = "198.51.100.9"


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
    message = "too many requests with this key: at most 600 a minute; try again in 1 s"
    assert refused.json()["error"]["message"] == message
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


@pytest.fixture
def lookups(api: MemoryApi, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of keys that were looked up in the catalog."""
    names: list[str] = []
    resolve = api.management.catalog.resolve

    def noted(scope: str | None, name: str) -> Any:
        names.append(name)
        return resolve(scope, name)

    monkeypatch.setattr(api.management.catalog, "resolve", noted)
    return names


def wrong_key(number: int) -> str:
    """A well-formed key with an id that no one has."""
    return compose("shop", f"{number:012}", "B" * 32)


def failures(api: MemoryApi, *keys: str) -> list[int]:
    """Statuses of requests with these keys from one address."""
    return [Client(api.handler, key=key, address=SHARED).get("/things", checked=False).status for key in keys]


def test_key__of_an_address_where_others_failed__reads_and_writes(api: MemoryApi, tenant: Tenant) -> None:
    stolen = compose("shop", tenant.admin.split("_")[2], "B" * 32)
    assert failures(api, *map(wrong_key, range(31))) == [401] * 30 + [429]
    assert failures(api, *[stolen] * 31) == [401] * 30 + [429]
    client = Client(api.handler, key=tenant.admin, address=SHARED)
    assert client.post("/things", {"name": "x"}, checked=False).status == 201
    assert client.get("/things", checked=False).status == 200


def test_key__that_was_revoked__is_counted_apart_from_others(api: MemoryApi, tenant: Tenant) -> None:
    revoked = api.key([], shop_id=tenant.shop.id, revoked_at=api.world.now()).text
    assert failures(api, *map(wrong_key, range(31)))[-1] == 429
    assert failures(api, *[revoked] * 31) == [401] * 30 + [429]


def test_failures__of_one_key__cost_one_lookup_in_ten_seconds(
    api: MemoryApi, tenant: Tenant, lookups: list[str]
) -> None:
    wrong = compose("shop", tenant.admin.split("_")[2], "B" * 32)
    revoked = api.key([], shop_id=tenant.shop.id, revoked_at=api.world.now()).text
    for key in (wrong, revoked, wrong_key(1)):
        lookups.clear()
        writer = Client(api.handler, key=key, address=SHARED)
        assert {writer.post("/things", {"name": "x"}, checked=False).status for _ in range(40)} == {401, 429}
        assert len(lookups) == 1
        api.clock.advance(seconds=10)
        writer.post("/things", {"name": "x"}, checked=False)
        assert len(lookups) == 2
        api.clock.advance(seconds=60)


def test_failures__with_invented_ids__cost_one_read_each_and_displace_no_key(
    api: MemoryApi, tenant: Tenant, lookups: list[str]
) -> None:
    client = Client(api.handler, key=tenant.admin, address=SHARED)
    client.get("/things", checked=False)
    lookups.clear()
    failures(api, *map(wrong_key, range(1500)))
    assert len(lookups) == 1500
    assert client.get("/things", checked=False).status == 200
    assert len(lookups) == 1500


def test_failures__over_the_limit__are_named(api: MemoryApi) -> None:
    refused = [Client(api.handler, key=wrong_key(n)).get("/things", checked=False) for n in range(31)][-1]
    assert refused.json()["error"]["message"] == (
        "too many failed authentications from this address: at most 30 a minute; try again in 2 s; "
        "valid keys are still accepted"
    )
    assert refused.headers["x-ratelimit-limit"] == "30"


def test_viewers__of_the_cdn__are_counted_apart(api: MemoryApi) -> None:
    handler = behind_cdn("proof", lambda event, context: api.handler(dict(event), context))

    def status(viewer: str, proof: str) -> int:
        sent = {"x-svc-cdn": proof, "x-svc-viewer": viewer}
        return Client(handler, key=wrong_key(1), headers=sent).get("/things", checked=False).status

    assert [status("198.51.100.20", "proof") for _ in range(31)] == [401] * 30 + [429]
    assert status("198.51.100.21", "proof") == 401
    # Without the proof, the address is the one that the gateway saw.
    assert [status(f"198.51.100.{n}", "guess") for n in range(31)] == [401] * 30 + [429]


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
