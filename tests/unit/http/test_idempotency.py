"""Idempotency-Key: the first answer is given again, to the same caller, for the same request, for a day."""

import pytest

from abtest.kit.errors import ConflictError, DatabaseBusyError
from abtest.ports.limits import RateDecision
from abtest.services.rate_limits import RateLimitedError
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.unit.http.conftest import Bench

DENIED = RateDecision(allowed=False, limit=1, remaining=0, reset_at=0, retry_after=5)
ONCE = {"Idempotency-Key": "once"}


def test_repetition__same_body__is_told_the_first_answer(client: Client, bench: Bench) -> None:
    first = client.post("/things", {"name": "a"}, headers=ONCE)
    again = client.post("/things", {"name": "a"}, headers=ONCE)
    assert bench.runs == 1
    assert (again.status, again.body, again.headers["etag"]) == (first.status, first.body, first.headers["etag"])
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers


def test_repetition__other_body__is_422(client: Client, bench: Bench) -> None:
    client.post("/things", {"name": "a"}, headers=ONCE)
    other = client.post("/things", {"name": "b"}, headers=ONCE)
    assert (other.status, other.code, bench.runs) == (422, "idempotency_key_reused", 1)


@pytest.mark.parametrize(
    "text",
    [
        '{"size": 2, "name": "caf\u00e9"}',
        '{"name":"caf\\u00e9","size":2}',
        '\n{ "name" : "c\\u0061f\u00e9", "size" : 2 }\n',
        '{"size": 2.0, "name": "caf\u00e9"}',
    ],
)
def test_repetition__another_text_of_the_same_value__replays(client: Client, bench: Bench, text: str) -> None:
    first = client.post("/things", {"name": "caf\u00e9", "size": 2}, headers=ONCE)
    replayed = client.post("/things", raw=text.encode(), headers=ONCE)
    assert (replayed.status, replayed.body, bench.runs) == (201, first.body, 1)
    assert replayed.headers["idempotent-replayed"] == "true"


@pytest.mark.parametrize("text", ['{"name": "a", "size": 3}', '{"name": "a", "size": true}', '{"name": "a"}'])
def test_repetition__another_value__is_refused(client: Client, bench: Bench, text: str) -> None:
    client.post("/things", {"name": "a", "size": 1}, headers=ONCE)
    other = client.post("/things", raw=text.encode(), headers=ONCE)
    assert (other.status, other.code, bench.runs) == (422, "idempotency_key_reused", 1)


def test_repetition__after_a_day__runs_again(client: Client, bench: Bench, api: MemoryApi) -> None:
    client.post("/things", {"name": "a"}, headers=ONCE)
    api.clock.advance(hours=24, seconds=1)
    assert "idempotent-replayed" not in client.post("/things", {"name": "a"}, headers=ONCE).headers
    assert bench.runs == 2


def test_repetition__by_another_key__is_a_request_of_its_own(
    client: Client, bench: Bench, api: MemoryApi, tenant: Tenant
) -> None:
    client.post("/things", {"name": "a"}, headers=ONCE)
    other = api.client(api.key(["experiments:write"], shop_id=tenant.shop.id).text)
    assert "idempotent-replayed" not in other.post("/things", {"name": "a"}, headers=ONCE, checked=False).headers
    assert bench.runs == 2


@pytest.mark.parametrize("error", [ConflictError("no"), RuntimeError("unforeseen")])
def test_failure__that_is_an_answer__is_told_again(client: Client, bench: Bench, error: Exception) -> None:
    bench.next_error = error
    first = client.post("/things", {"name": "a"}, headers=ONCE)
    bench.next_error = None
    again = client.post("/things", {"name": "a"}, headers=ONCE)
    assert (again.status, again.json()["error"]["code"]) == (first.status, first.json()["error"]["code"])
    assert bench.runs == 1


def test_failure__that_asks_to_come_back__is_not_kept(client: Client, bench: Bench) -> None:
    bench.next_error = DatabaseBusyError(3)
    busy = client.post("/things", {"name": "a"}, headers=ONCE)
    assert (busy.status, busy.code, busy.headers["retry-after"]) == (503, "database_busy", "3")
    bench.next_error = None
    assert client.post("/things", {"name": "a"}, headers=ONCE).status == 201


def test_answer__that_cannot_be_kept__is_told_all_the_same(
    client: Client, api: MemoryApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thing is made: "busy" would invite a repetition that makes another."""

    def busy(*_: object, **__: object) -> None:
        raise DatabaseBusyError

    monkeypatch.setattr(api.management.idempotency, "finish", busy)
    assert client.post("/things", {"name": "a"}, headers=ONCE).status == 201
    monkeypatch.undo()
    running = client.post("/things", {"name": "a"}, headers=ONCE)
    assert (running.status, running.code) == (409, "idempotency_in_progress")
    assert running.headers["retry-after"] == "60"


def test_process__that_dies__leaves_its_claim_to_expire(client: Client, bench: Bench, api: MemoryApi) -> None:
    bench.next_error = SystemExit()
    died = client.post("/things", {"name": "a"}, headers=ONCE, checked=False)
    assert died.status == 500
    bench.next_error = None
    running = client.post("/things", {"name": "a"}, headers=ONCE)
    assert (running.status, running.code) == (409, "idempotency_in_progress")
    api.clock.advance(seconds=58.5)
    assert client.post("/things", {"name": "a"}, headers=ONCE).headers["retry-after"] == "2"
    api.clock.advance(seconds=1.5)
    assert client.post("/things", {"name": "a"}, headers=ONCE).status == 201


def _drawn(client: Client, bench: Bench, api: MemoryApi, **body: object) -> tuple[list[str], int]:
    """Draws of one run: two ids, and bits of a secret. Its outcome is unknown to the caller."""
    drawn: list[tuple[list[str], int]] = []

    def draw() -> None:
        drawn.append(([api.world.new_id() for _ in range(2)], api.world.bits(256)))
        raise DatabaseBusyError

    bench.before = draw
    assert client.post("/things", {"name": "a", **body}, headers=ONCE).code == "database_busy"
    return drawn[0]


def test_run_again__after_an_unknown_outcome__draws_the_same_ids_and_secrets(
    client: Client, bench: Bench, api: MemoryApi
) -> None:
    first = _drawn(client, bench, api)
    assert first[0] == sorted(set(first[0]))
    api.clock.advance(hours=23)
    assert _drawn(client, bench, api) == first
    api.clock.advance(hours=1)
    assert _drawn(client, bench, api) != first


def test_run_again__with_another_body__draws_others(client: Client, bench: Bench, api: MemoryApi) -> None:
    first, other = _drawn(client, bench, api), _drawn(client, bench, api, size=2)
    assert {*first[0], first[1]}.isdisjoint({*other[0], other[1]})


def test_run_again__after_a_refusal_in_between__still_draws_the_same(
    client: Client, bench: Bench, api: MemoryApi
) -> None:
    """A refusal of the second run proves nothing about the work of the first."""
    first = _drawn(client, bench, api)
    bench.before, bench.next_error = None, RateLimitedError(DENIED, "this route")
    assert client.post("/things", {"name": "a"}, headers=ONCE).status == 429
    bench.next_error = None
    assert _drawn(client, bench, api) == first


def test_id__outside_of_a_repeatable_run__is_new_each_time(client: Client, bench: Bench, api: MemoryApi) -> None:
    _drawn(client, bench, api)
    assert len({api.world.new_id() for _ in range(3)} | {api.world.unrepeated_id() for _ in range(3)}) == 6


def test_invalid_body__is_told_again_without_running(client: Client, bench: Bench) -> None:
    answers = [client.post("/things", {"name": 1}, headers=ONCE) for _ in range(2)]
    assert [answer.status for answer in answers] == [400, 400]
    assert (answers[1].headers["idempotent-replayed"], bench.runs) == ("true", 0)
