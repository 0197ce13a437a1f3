"""The ingest routes: methods, credentials, limits, what is stored where, what is answered."""

import json
from typing import Any

import pytest

from abtest.domain.credentials.api_keys import compose
from abtest.domain.credentials.signing import browser_signature, ingest_secret, server_signature
from abtest.kit.clock import timestamp
from abtest.ports.http_sender import HttpAnswer
from abtest.services.keys import Minted, mint
from tests.support.keys import stored_keys
from tests.unit.ingest.edge import (
    NOW_MS,
    OTHER,
    ROOTS,
    SHOP,
    Edge,
    StoreOfTests,
    event,
    signed,
    signed_headers,
)


def tracking_key(edge: Edge, kind: Any = "tracking_source", **changes: Any) -> Minted:
    """A stored key of the shop."""
    from dataclasses import replace

    minted = mint(edge.world, kind=kind, shop_id=SHOP, user_id=edge.world.new_id(), name="Till", scopes=())
    key = replace(minted.key, **changes)
    edge.catalog.commit(stored_keys(edge.catalog, [key], edge.world.now()))
    return Minted(key, minted.text)


def bearer(text: str) -> dict[str, str]:
    return {"authorization": f"Bearer {text}"}


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_method__other_than_post__is_405_and_says_what_is_allowed(method: str) -> None:
    answer = Edge().call("", method=method, headers={"origin": "https://shop.example"})
    assert (answer.status, answer.error, answer.headers["Allow"]) == (405, "method_not_allowed", "POST")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_preflight__is_204_with_leave_for_a_day() -> None:
    headers = {"origin": "https://shop.example", "access-control-request-method": "POST"}
    answer = Edge().call("", method="OPTIONS", headers=headers)
    assert answer.status == 204
    assert answer.headers["Access-Control-Allow-Headers"] == "content-type, x-svc-shop, x-svc-signature"
    assert (answer.headers["Access-Control-Allow-Origin"], answer.headers["Access-Control-Max-Age"]) == ("*", "86400")


def test_batch__of_all_four_forms_of_credentials__is_taken() -> None:
    edge = Edge()
    events = [event()]
    raw = json.dumps(events).encode()
    seconds = NOW_MS // 1000
    server = server_signature(ingest_secret(ROOTS, SHOP), seconds + 299, raw)
    assert edge.call(events, headers=signed_headers()).status == 202
    assert edge.call(raw, headers={"x-svc-shop": SHOP.upper(), "x-svc-signature": server}).status == 202
    assert edge.call(events, headers=bearer(tracking_key(edge).text)).status == 202
    assert edge.send(event()).status == 202
    older_kid = {"x-svc-shop": SHOP, "x-svc-signature": browser_signature(ROOTS, SHOP, "k0")}
    assert edge.call(events, headers=older_kid).status == 202
    assert edge.call({"events": events, **signed()}, headers=signed_headers()).status == 202


def test_batch__without_right_credentials__is_401_and_one_answer_for_all() -> None:
    edge = Edge()
    raw = json.dumps([event()]).encode()
    seconds = NOW_MS // 1000
    secret = ingest_secret(ROOTS, SHOP)
    answers = [
        edge.call([event()]),
        edge.call({"events": [event()], "_shopId": SHOP}),
        edge.call({"events": [event()], "_shopId": OTHER, "_signature": signed()["_signature"]}),
        edge.call({"events": [event()], "_shopId": 5, "_signature": []}),
        edge.call([event()], headers={"x-svc-shop": SHOP}),
        edge.call([event()], headers={"x-svc-signature": signed()["_signature"]}),
        edge.call([event()], headers={"x-svc-shop": SHOP, "x-svc-signature": "v1.k9.00"}),
        edge.call([event()], headers={"x-svc-shop": SHOP, "x-svc-signature": "t=1,v1=é"}),
        edge.call(raw, headers={"x-svc-shop": SHOP, "x-svc-signature": server_signature(secret, seconds - 301, raw)}),
        edge.call(raw + b" ", headers={"x-svc-shop": SHOP, "x-svc-signature": server_signature(secret, seconds, raw)}),
        edge.call({"events": [event()], **signed(OTHER)}, headers=signed_headers()),
        edge.call({"events": [event()], **signed(), "_signature": "v1.k1.00"}, headers=signed_headers()),
        edge.call({"events": [event()], "_shopId": OTHER}, headers=signed_headers()),
        edge.call({"events": [event()], **signed()}, headers={"x-svc-shop": OTHER}),
        edge.call({"events": [event()], **signed(), "_shopId": "\ud800"}),
        edge.call([event()], headers={**signed_headers(), "x-svc-shop": "\udce9"}),
        edge.call([event()], headers=bearer("svc_ts_nonsense")),
        edge.call([event()], headers={"authorization": "Basic abc"}),
        edge.call([event()], headers=bearer(tracking_key(edge, kind="shop").text)),
        edge.call([event()], headers=bearer(tracking_key(edge, revoked_at=edge.world.now()).text)),
        edge.call([event()], headers={**bearer(tracking_key(edge).text), "x-svc-shop": OTHER}),
    ]
    assert {(answer.status, answer.body) for answer in answers} == {(401, answers[0].body)}
    assert answers[0].error == "ingest_unauthorized"
    assert edge.rows() == []


def test_address__that_failed_too_often__is_429_but_live_keys_and_signatures_go_on() -> None:
    edge = Edge()
    key = tracking_key(edge)
    stolen = compose("tracking_source", key.key.lookup_id, "B" * 32)
    for wrong in ("svc_ts_nonsense", stolen):
        answers = [edge.call([event()], headers=bearer(wrong)) for _ in range(31)]
        assert [answer.status for answer in answers] == [401] * 30 + [429]
        assert answers[-1].json()["message"].startswith("too many failed authentications from this address")
    assert edge.call([event()], headers=bearer(key.text)).status == 202
    assert edge.send(event()).status == 202
    assert edge.call([event()], headers=bearer("svc_ts_nonsense"), address="198.51.100.1").status == 401


def test_key__that_ends__is_refused_a_minute_later_at_most() -> None:
    edge = Edge()
    key = tracking_key(edge)
    headers = bearer(key.text)
    assert edge.call([event()], headers=headers).status == 202
    from dataclasses import replace

    revoked = replace(key.key, revoked_at=edge.world.now(), version=2)
    edge.catalog.commit(stored_keys(edge.catalog, [revoked], edge.world.now()))
    edge.clock.advance(seconds=60)
    assert edge.call([event()], headers=headers).status == 401


def test_key__with_an_end__is_good_until_then_although_it_is_remembered() -> None:
    edge = Edge()
    end = timestamp(edge.clock.now()).replace("09:00:00", "09:00:10")
    headers = bearer(tracking_key(edge, expires_at=end).text)
    assert edge.call([event()], headers=headers).status == 202
    edge.clock.advance(seconds=10)
    assert edge.call([event()], headers=headers).status == 401


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("[]", 400, "empty_batch"),
        ('{"events": []}', 400, "empty_batch"),
        ("", 400, "invalid_json"),
        ("{", 400, "invalid_json"),
        ("5", 400, "invalid_json"),
        ('"text"', 400, "invalid_json"),
        ("{}", 400, "invalid_json"),
        ('{"events": {}}', 400, "invalid_json"),
        (b"[\xff]", 400, "invalid_json"),
        ('{"events": [{}], "events": [{}]}', 400, "invalid_json"),
        ("NaN", 400, "invalid_json"),
        ("1" * 5000, 400, "invalid_json"),
        ('["\ud800"]'.encode("utf-16-le", "surrogatepass"), 400, "invalid_json"),
        ("[" * 100_000, 400, "invalid_json"),
        (json.dumps([{}] * 201), 413, "batch_too_large"),
        ("[" + " " * 1024 * 1024 + "]", 413, "payload_too_large"),
        (b"[" + b" " * 1024 * 1024 + b"]", 413, "payload_too_large"),
    ],
    ids=str,
)
def test_body__that_is_no_batch__is_refused(body: str | bytes, status: int, code: str) -> None:
    answer = Edge().call(body, headers=signed_headers())
    assert (answer.status, answer.error) == (status, code)
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("content_type", ["application/json", "text/plain;charset=UTF-8", "Application/JSON"])
def test_media_type__of_fetch_and_beacon__is_taken(content_type: str) -> None:
    assert Edge().call([event()], headers={**signed_headers(), "content-type": content_type}).status == 202


def test_media_type__uncompressed_in_so_many_words__is_taken() -> None:
    assert Edge().call([event()], headers={**signed_headers(), "content-encoding": "Identity"}).status == 202


def test_media_type__other_or_compressed_otherwise__is_415() -> None:
    assert Edge().call([event()], headers={**signed_headers(), "content-type": "text/xml"}).status == 415
    assert Edge().call(b"\x1f\x8b", headers={**signed_headers(), "content-encoding": "br"}).status == 415
    assert Edge().call(b"\x1f\x8b", headers={**signed_headers(), "content-encoding": "gzip, gzip"}).status == 415


def test_batch__with_copies_and_bad_events__says_what_became_of_each() -> None:
    edge = Edge()
    answer = edge.send(event(), event(visitorId="v-2"), event(eventId="e-2"), event(eventId="e-3", type="?"))
    assert answer.json() == {
        "ingested": 2,
        "deduplicated": 1,
        "quarantined": 1,
        "errors": [{"index": 3, "event_id": "e-3", "reason": "unknown_type"}],
    }
    assert [(row["event_id"], row["visitor_id"]) for row in edge.rows()] == [("e-1", "v-1"), ("e-2", "v-1")]
    assert len(edge.queue.bodies) == 1


def test_batch__of_bad_events_only__is_202_and_nothing_is_queued() -> None:
    edge = Edge()
    assert (edge.send(5).status, edge.send(5).json()["ingested"]) == (202, 0)
    assert edge.queue.bodies == []


def test_batch__of_two_hundred__is_stamped_with_its_arrival() -> None:
    edge = Edge()
    assert edge.send(*(event(eventId=str(n)) for n in range(200)), sentAt=NOW_MS - 5).json()["ingested"] == 200
    assert {(row["received_at"], row["sent_at"], row["ts"]) for row in edge.rows()} == {(NOW_MS, NOW_MS - 5, NOW_MS)}


def test_batch__that_outgrows_a_message__is_split_and_loses_nothing() -> None:
    edge = Edge()
    events = [event(eventId=str(n), data={"x": '"' * 15_000}) for n in range(60)]
    headers = signed_headers()
    assert edge.call([*events[:33]], headers=headers).json()["ingested"] == 33
    assert {row["event_id"] for row in edge.rows()} == {str(n) for n in range(33)}
    assert len(edge.queue.bodies) == 2
    assert all(len(body.encode()) <= 1024 * 1024 for body in edge.queue.bodies)


def test_queue__that_refuses__leaves_the_message_in_the_spill_zone() -> None:
    edge = Edge()
    edge.send(event(eventId="before"))
    edge.queue.available = False
    assert edge.send(event()).status == 202
    (entry,) = edge.ledger.list("spill/")
    assert entry.key.startswith(f"spill/{NOW_MS}-")
    assert entry.key.endswith(".json")
    body = edge.ledger.objects[entry.key].blob.content.decode()
    assert [row["event_id"] for row in json.loads(body)["rows"]] == ["e-1"]


def test_queue_and_store__that_both_refuse__make_the_sender_repeat() -> None:
    edge = Edge()
    edge.queue.available = edge.ledger.available = False
    answer = edge.send(event())
    assert (answer.status, answer.error, answer.headers["Retry-After"]) == (503, "service_unavailable", "5")


def test_quarantine__that_cannot_be_stored__does_not_lose_the_good_events() -> None:
    edge = Edge()
    edge.ledger.available = False
    assert edge.send(event(), 5).json()["ingested"] == 1
    assert len(edge.rows()) == 1


def test_shop__that_sends_too_much__is_told_when_to_come_back_and_others_are_not() -> None:
    edge = Edge()
    batch = [event(eventId=str(n)) for n in range(200)]
    key = bearer(tracking_key(edge).text)
    statuses = [edge.call(batch, headers=key).status for _ in range(301)]
    assert statuses == [202] * 300 + [429]
    refused = edge.call(batch, headers=signed_headers())
    assert (refused.error, int(refused.headers["Retry-After"]) >= 1) == ("rate_limited", True)
    assert refused.json()["message"].startswith("too many events of this shop: at most 60000 a minute; try again in")
    assert "Retry-After" in refused.headers["Access-Control-Expose-Headers"]
    assert edge.call([event(shopId=...)], headers=signed_headers(OTHER)).status == 202


def test_rate_limit__at_sixty_thousand_events__refuses_the_next_one_alone_and_refills_evenly() -> None:
    edge = Edge()
    batch = [event(eventId=str(n)) for n in range(200)]
    key = bearer(tracking_key(edge).text)
    assert {edge.call(batch, headers=key).status for _ in range(299)} == {202}
    assert edge.call(batch[:199], headers=key).status == 202
    assert edge.call(batch[:2], headers=key).status == 429
    assert edge.call(batch[:1], headers=key).status == 202
    refused = edge.call(batch[:1], headers=key)
    assert (refused.status, refused.headers["Retry-After"]) == (429, "1")
    edge.clock.advance(seconds=1)
    assert [edge.call(batch, headers=key).status for _ in range(6)] == [202] * 5 + [429]


def test_events__without_a_queue__go_to_the_analytics_store_whose_answer_comes_back() -> None:
    store = StoreOfTests()
    edge = Edge(queues=False, store=store)
    answer = edge.send(event(), event(eventId="e-2"), 5)
    assert (answer.status, answer.json(), answer.headers["Content-Type"]) == (207, {"rows": 1}, "application/json")
    lines = store.bodies[0].splitlines()
    assert [json.loads(line)["event_id"] for line in lines] == ["e-1", "e-2"]
    store.answer = HttpAnswer(status=400, content_type="text/plain", body=b"no")
    assert (edge.send(event()).status, edge.send(event()).body) == (400, "no")


def test_analytics_store__that_is_silent_or_missing__is_told() -> None:
    store = StoreOfTests()
    store.answer = None
    assert Edge(queues=False, store=store).send(event()).status == 502
    assert Edge(queues=False).send(event()).status == 503
