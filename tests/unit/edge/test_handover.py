"""The handover routes on memory: who may be handed over where, for how long, and what hostile requests get."""

import json
import threading
import time
from base64 import urlsafe_b64decode
from typing import Any

import pytest

from abtest.domain.credentials.preview import PreviewGrant, make_token
from abtest.domain.credentials.sealed import Seal
from abtest.domain.credentials.signing import RootKeys, browser_signature
from abtest.edge.handover_request import MAX_BODY_BYTES
from abtest.edge.limits import REQUESTS_PER_WINDOW
from abtest.kit.clock import ManualClock
from abtest.kit.errors import DatabaseBusyError
from tests.support.handovers import HERE, START, THERE, VISITOR, HandoverServer
from tests.support.storefronts import ROOTS, SHOP_ID

MINT, VERIFY = "/_svc/handover", "/_svc/handover/verify"
OTHER_SHOP = "0192a3b4-0000-7000-8000-00000000000b"
UNAUTHORIZED, INVALID = (401, "ingest_unauthorized"), (400, "handover_invalid")
USED = (400, "handover_used")
PATIENCE = 20.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture
def server(clock: ManualClock) -> HandoverServer:
    return HandoverServer(clock=clock).publish(THERE)


def claims(token: str) -> Any:
    payload = token.split(".")[2]
    return json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def test_token__minted_for_an_allowed_host__names_shop_visitor_host_and_end(server: HandoverServer) -> None:
    answer = server.mint()
    assert answer.status == 200
    assert answer.json["expires_at"] == "2026-03-01T00:02:00.000Z"
    content = claims(answer.json["token"])
    assert len(content.pop("jti")) == 16
    assert content == {"shop": SHOP_ID, "vid": VISITOR, "dst": THERE, "exp": 1772323320}
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_token__verified_where_it_leads__gives_the_visitor(server: HandoverServer) -> None:
    for origin, host in ((None, THERE), (f"https://{THERE}", THERE), (f"https://{THERE}:8443", THERE.upper())):
        token = server.mint().json["token"]
        assert server.verify(token, origin, host=host).json == {"visitorId": VISITOR}


def test_token__used_before__is_refused_until_it_expires(server: HandoverServer, clock: ManualClock) -> None:
    token = server.mint().json["token"]
    assert server.verify(token).status == 200
    assert server.verify(token).error == USED
    clock.advance(seconds=119)
    assert server.verify(token).error == USED
    clock.advance(seconds=1)
    assert server.verify(token).error == (400, "handover_expired")


def test_token__of_the_same_visitor_and_second__is_another_one(server: HandoverServer) -> None:
    first, second = (server.mint().json["token"] for _ in range(2))
    assert first != second
    assert [server.verify(token).status for token in (first, second)] == [200, 200]


def test_request__that_arrives_twice__is_answered_twice(server: HandoverServer) -> None:
    token = server.mint().json["token"]
    for _ in range(2):
        assert server.verify(token, requestId="a" * 16).json == {"visitorId": VISITOR}
    assert server.verify(token, requestId="b" * 16).error == USED
    assert server.verify(token).error == USED


def test_token__that_is_refused__is_not_used_by_that(server: HandoverServer) -> None:
    token = server.mint().json["token"]
    other = {"_shopId": OTHER_SHOP, "_signature": browser_signature(ROOTS, OTHER_SHOP)}
    refused = [server.verify(token, **other), server.verify(token, host=HERE), server.verify(token, f"https://{HERE}")]
    assert [answer.error for answer in refused] == [INVALID] * 3
    assert server.verify(token).status == 200


@pytest.mark.parametrize("request_id", ["", "short", "x" * 65, "é" * 20, 5, None, {}])
def test_request_id__of_another_form__is_refused(server: HandoverServer, request_id: Any) -> None:
    token = server.mint().json["token"]
    signed = {"_shopId": SHOP_ID, "_signature": browser_signature(ROOTS, SHOP_ID)}
    answer = server.send(VERIFY, json.dumps({**signed, "token": token, "host": THERE, "requestId": request_id}))
    assert answer.error == INVALID
    assert answer.json["message"] == "requestId: must have 16 to 64 letters A to Z, digits, hyphens and underscores"


@pytest.mark.parametrize("failure", ["error", "silence"])
def test_store__that_fails__hands_the_visitor_over_without_a_wait(
    server: HandoverServer, monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    token, ended = server.mint().json["token"], threading.Event()

    def fail(*_: Any, **__: Any) -> bool:
        if failure == "error":
            raise DatabaseBusyError
        return ended.wait(PATIENCE)

    monkeypatch.setattr(server.leases, "acquire", fail)
    began = time.monotonic()
    assert [server.verify(token).json for _ in range(2)] == [{"visitorId": VISITOR}] * 2
    assert time.monotonic() - began < PATIENCE
    ended.set()


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        (THERE, True),
        ("PAY.example", True),
        (f"de.{THERE}", True),
        (HERE, False),
        (f"x{THERE}", False),
        (f"{THERE}.evil.example", False),
        ("example", False),
    ],
)
def test_destination__is_one_of_the_shops_domains_or_below(server: HandoverServer, host: str, allowed: bool) -> None:
    answer = server.mint(destination=host)
    assert (answer.status == 200) is allowed
    if not allowed:
        assert answer.error == (400, "destination_not_allowed")


@pytest.mark.parametrize(
    "host", ["", "a b", "http://pay.example", "pay.example/x", "pay.example:80", "..", "-a", "x" * 254, "ü.example", 1]
)
def test_destination__that_is_no_host__is_refused(server: HandoverServer, host: Any) -> None:
    answer = server.mint(destination=host)
    assert answer.error == INVALID
    assert answer.json["message"] == "destination: must be a host name without a port, such as pay.example"


def test_shop__without_domains_or_publication__hands_over_nowhere() -> None:
    assert HandoverServer().publish().mint().error == (400, "destination_not_allowed")
    assert HandoverServer().mint().error == (400, "destination_not_allowed")


def test_shop__whose_store_fails__says_so(server: HandoverServer) -> None:
    server.blobs.available = False
    assert server.mint().status == 503


@pytest.mark.parametrize(("ttl", "seconds"), [(30, 30), (600, 600), (1, 30), (100_000, 600)])
def test_token__holds_as_long_as_the_config_says_within_limits(ttl: int, seconds: int) -> None:
    clock = ManualClock(HandoverServer().clock.now())
    server = HandoverServer(clock=clock).publish(THERE, ttl=ttl)
    token = server.mint().json["token"]
    clock.advance(seconds=seconds - 1)
    assert server.verify(token, requestId="a" * 16).status == 200
    clock.advance(seconds=1)
    assert server.verify(token).error == (400, "handover_expired")


def test_token__at_another_host_or_from_another_origin__is_refused(server: HandoverServer) -> None:
    token = server.mint().json["token"]
    assert server.verify(token, host=HERE).error == INVALID
    assert server.verify(token, f"https://{HERE}").error == INVALID
    assert server.verify(token, "null").error == INVALID
    assert server.verify(token, "https://[").error == INVALID


def test_token__of_another_shop__is_refused_like_nonsense(server: HandoverServer) -> None:
    token = server.mint().json["token"]
    other = {"_shopId": OTHER_SHOP, "_signature": browser_signature(ROOTS, OTHER_SHOP)}
    assert server.verify(token, **other).error == INVALID
    assert server.mint(**other).error == (400, "destination_not_allowed")


def test_token__sealed_for_something_else_or_with_another_key__is_refused(server: HandoverServer) -> None:
    token = server.mint().json["token"]
    foreign = RootKeys(active="k1", keys={"k1": b"another root"})
    forged = Seal("handover", "handover").close(foreign, claims(token))
    grant = PreviewGrant(session_id="s", shop_id=SHOP_ID, hosts=(THERE,), expires_at=9_999_999_999)
    for wrong in (forged, make_token(ROOTS, grant), Seal("handoff", "handover").close(ROOTS, claims(token))):
        assert server.verify(wrong).error == INVALID


def test_token__that_was_tampered_with__is_refused(server: HandoverServer) -> None:
    token = server.mint().json["token"]
    for index in range(0, len(token) - 1, 7):
        changed = token[:index] + ("A" if token[index] != "A" else "B") + token[index + 1 :]
        assert server.verify(changed).error == INVALID
    for wrong in ("", "v1", "v1.k1..", "a.b.c.d", token + ".", "x" * 1025, "ü" * 20, None, 7, [token]):
        assert server.verify(wrong).error == INVALID


@pytest.mark.parametrize(
    "visitor", ["", "short", "x" * 65, "a b" * 8, "é" * 20, "<script>alert(1)</script>", 5, None, {}]
)
def test_visitor__of_another_form__is_refused(server: HandoverServer, visitor: Any) -> None:
    answer = server.mint(visitorId=visitor)
    assert answer.error == INVALID
    assert answer.json["message"] == "visitorId: must have 16 to 64 letters A to Z, digits, hyphens and underscores"


@pytest.mark.parametrize("visitor", ["a" * 16, "A-_9" * 16])
def test_visitor__at_the_limits__is_taken(server: HandoverServer, visitor: str) -> None:
    assert server.verify(server.mint(visitorId=visitor).json["token"]).json == {"visitorId": visitor}


@pytest.mark.parametrize(
    "wrong",
    [
        {"_signature": None},
        {"_signature": "v1.k1.00ff"},
        {"_signature": 7},
        {"_shopId": None},
        {"_shopId": "x"},
        {"_shopId": OTHER_SHOP},
        {"_shopId": ["a"]},
    ],
)
def test_request__without_the_shops_signature__is_unauthorized(server: HandoverServer, wrong: dict[str, Any]) -> None:
    assert server.mint(**wrong).error == UNAUTHORIZED
    assert server.verify("v1.k1.a.b", **wrong).error == UNAUTHORIZED


@pytest.mark.parametrize("body", ["", "{", "[]", "null", '"x"', "[" * 2000])
def test_body__that_is_no_object__is_refused(server: HandoverServer, body: str) -> None:
    assert server.send(MINT, body).error == INVALID


def test_body__with_other_fields__is_refused(server: HandoverServer) -> None:
    assert server.mint(more=1).error == INVALID
    assert server.mint(token="v1.k1.a.b").error == INVALID


def test_body__is_at_most_4_kilobytes_of_json(server: HandoverServer) -> None:
    at_limit = json.dumps({"_shopId": "x"}).ljust(MAX_BODY_BYTES)
    assert server.send(MINT, at_limit).error == UNAUTHORIZED
    assert server.send(MINT, at_limit + " ").error == (413, "payload_too_large")
    assert server.send(MINT, "{}", content_type="text/html").error == (415, "unsupported_media_type")


@pytest.mark.parametrize("path", [MINT, VERIFY])
def test_method__other_than_post__is_refused_but_browsers_may_ask(server: HandoverServer, path: str) -> None:
    answer = server.send(path, "", method="DELETE")
    assert (answer.status, answer.headers["Allow"]) == (405, "POST")
    asked = {
        "rawPath": path,
        "headers": {"origin": "https://garden.example", "access-control-request-method": "POST"},
        "requestContext": {"http": {"method": "OPTIONS", "path": path, "sourceIp": "203.0.113.7"}},
    }
    assert server.routes.handover(asked)["statusCode"] == 204


def test_address__that_asks_too_often__is_told_to_wait(server: HandoverServer) -> None:
    assert {server.mint().status for _ in range(REQUESTS_PER_WINDOW)} == {200}
    refused = server.mint()
    assert refused.error == (429, "rate_limited")
    assert int(refused.headers["Retry-After"]) >= 1


def test_failure__that_nobody_expected__is_an_error_that_any_origin_may_read(server: HandoverServer) -> None:
    def broken() -> RootKeys:
        raise RuntimeError("no keys")

    server.routes._roots = broken
    answer = server.mint()
    assert answer.error == (500, "internal_error")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
