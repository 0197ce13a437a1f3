"""Receivers that answer late, little, wrong, too much or not at all, and names that lead elsewhere."""

from __future__ import annotations

import gzip
import secrets
import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import trustme

from abtest.domain.webhooks.deliveries import Delivery, document_of
from abtest.kit import canonical_json
from tests.faults.webhooks.office import Office
from tests.faults.webhooks.receivers import (
    NAME,
    SECONDS,
    SHORT,
    TAKES,
    Behaviour,
    Receiver,
    breaks_off,
    hangs_up,
    resets,
    says,
)
from tests.unit.outbound_http.servers import PUBLIC_ADDRESS, answer, certified

Make = Callable[[Receiver], Behaviour]
MEGABYTE = b"x" * 1_000_000


def first_attempt(office: Office) -> Delivery:
    """The delivery of an event after its first attempt."""
    name = office.happens()
    office.work()
    found = office.delivery(name)
    assert (found.attempts, len(found.log)) == (1, 1)
    return found


def then_arrives(office: Office) -> None:
    """Whatever was wrong is over: the delivery arrives at the next attempt."""
    office.waits_for(SECONDS)
    office.receiver.behaviours = [TAKES]
    office.settle()
    office.check()
    (delivery,) = office.deliveries()
    assert (delivery.status, delivery.attempts) == ("delivered", 2)


SLOW: dict[str, Make] = {
    "status line": lambda receiver: receiver.trickles(b"", b"H"),
    "headers": lambda receiver: receiver.trickles(b"HTTP/1.1 200 OK\r\n", b"X-Drop: 1\r\n"),
    "body": lambda receiver: receiver.trickles(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"x"),
    "body without a length": lambda receiver: receiver.trickles(b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
    "chunks": lambda receiver: receiver.trickles(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"
    ),
    "interim answers": lambda receiver: receiver.trickles(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "nothing": lambda receiver: receiver.hangs(60),
}


@pytest.mark.parametrize("what", SLOW)
def test_receiver__that_takes_its_time__fails_at_the_deadline_of_the_whole(office: Office, what: str) -> None:
    office.receiver.behaviours = [SLOW[what](office.receiver)]
    office.waits_for(SHORT)
    begun = time.monotonic()
    delivery = first_attempt(office)
    assert SHORT <= time.monotonic() - begun < SHORT + 5
    assert (delivery.status, delivery.response_status) == ("failed", None)
    assert delivery.last_error == f"no complete response within {SHORT:g} s"
    then_arrives(office)


def test_receiver__that_hangs_for_a_tenth_longer_than_it_may__fails(receiver: Receiver, is_large: bool) -> None:
    """At full size by the ten seconds of the service."""
    seconds = SECONDS if is_large else SHORT
    receiver.behaviours = [receiver.hangs(1.1 * seconds)]
    office = Office(receiver)
    office.waits_for(seconds)
    delivery = first_attempt(office)
    assert (delivery.status, delivery.last_error) == ("failed", f"no complete response within {seconds:g} s")
    then_arrives(office)


@pytest.mark.parametrize("behaviour", [resets, hangs_up, breaks_off], ids=lambda behaviour: behaviour.__name__)
def test_receiver__that_goes_away__fails_and_is_tried_again(office: Office, behaviour: Behaviour) -> None:
    office.receiver.behaviours = [behaviour]
    delivery = first_attempt(office)
    assert (delivery.status, delivery.response_status) == ("failed", None)
    assert delivery.last_error
    then_arrives(office)


def test_receiver__that_does_not_listen__fails_and_is_tried_again(office: Office) -> None:
    port = office.receiver.net.ports.pop(PUBLIC_ADDRESS)
    office.receiver.net.ports[PUBLIC_ADDRESS] = 1
    delivery = first_attempt(office)
    assert delivery.last_error
    assert delivery.last_error.startswith(f"no server responds at {NAME}")
    office.receiver.net.ports[PUBLIC_ADDRESS] = port
    then_arrives(office)


STATUSES = {
    "101 Switching Protocols": "failed",
    "200 OK": "delivered",
    "204 No Content": "delivered",
    "299 Odd": "delivered",
    "300 Multiple Choices": "failed",
    "301 Moved Permanently": "failed",
    "304 Not Modified": "failed",
    "307 Temporary Redirect": "failed",
    "308 Permanent Redirect": "failed",
    "400 Bad Request": "failed",
    "410 Gone": "failed",
    "429 Too Many Requests": "failed",
    "500 Internal Server Error": "failed",
    "599 Odd": "failed",
    "999 Odd": "failed",
}


@pytest.mark.parametrize("status", STATUSES)
def test_receiver__that_answers_so__is_taken_at_its_word(office: Office, status: str) -> None:
    code = int(status[:3])
    office.receiver.behaviours = [says(status, Location=f"https://{NAME}/elsewhere", Retry_After="3600")]
    delivery = first_attempt(office)
    assert (delivery.status, delivery.response_status) == (STATUSES[status], code)
    if STATUSES[status] == "delivered":
        office.settle()
        office.check()
    else:
        assert delivery.last_error == f"the receiver answered {code}"
        assert delivery.next_attempt_at is not None
        then_arrives(office)


@pytest.mark.parametrize("status", ["102 Processing", "103 Early Hints", "199 Odd"])
def test_receiver__that_says_that_it_will_answer__is_waited_for(office: Office, status: str) -> None:
    interim = f"HTTP/1.1 {status}\r\n\r\n".encode()
    office.receiver.behaviours = [lambda connection: connection.sendall(interim)]
    delivery = first_attempt(office)
    assert (delivery.status, delivery.response_status) == ("failed", None)
    office.receiver.behaviours = [lambda connection: connection.sendall(interim + answer("204 No Content"))]
    office.settle()
    office.check()
    (delivery,) = office.deliveries()
    assert (delivery.status, delivery.response_status, delivery.attempts) == ("delivered", 204, 2)


ODD: dict[str, bytes] = {
    "encoded as nothing is": answer("200 OK", b"taken", Content_Encoding="utf-8"),
    "encoded though there is none": answer("204 No Content", Content_Encoding="br"),
    "encoded otherwise than it says": answer("200 OK", b"taken", Content_Encoding="gzip"),
    "shorter than it says": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
    "in chunks that are none": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\ntaken\r\n",
    "in chunks of a byte": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 60_000,
}


@pytest.mark.parametrize("what", ODD)
def test_receiver__that_takes_it_and_says_so_oddly__has_it_once(office: Office, what: str) -> None:
    office.receiver.behaviours = [lambda connection: connection.sendall(ODD[what])]
    office.happens()
    office.settle()
    office.check()
    (delivery,) = office.deliveries()
    assert (delivery.status, delivery.attempts, delivery.last_error) == ("delivered", 1, None)
    assert len(office.receiver.requests) == 1


@pytest.mark.parametrize(
    "location",
    [f"https://{NAME}/elsewhere", "https://other.example/", "http://127.0.0.1/", "https://169.254.169.254/latest/"],
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_receiver__that_redirects__is_not_followed(office: Office, status: int, location: str) -> None:
    office.receiver.behaviours = [says(f"{status} Elsewhere", Location=location)]
    assert first_attempt(office).status == "failed"
    assert office.receiver.net.looked_up == [NAME]
    assert office.receiver.net.dialled == [PUBLIC_ADDRESS]
    then_arrives(office)


LARGE: dict[str, tuple[Make, str]] = {
    "a body of 50 MB": (
        lambda receiver: receiver.floods(b"HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n", MEGABYTE, 50),
        "delivered",
    ),
    "50 MB without a length": (
        lambda receiver: receiver.floods(b"HTTP/1.1 200 OK\r\n\r\n", MEGABYTE, 50),
        "delivered",
    ),
    "50 MB in chunks": (
        lambda receiver: receiver.floods(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"f4240\r\n" + MEGABYTE + b"\r\n", 50
        ),
        "delivered",
    ),
    "50 MB, packed": (
        lambda receiver: says("200 OK", gzip.compress(MEGABYTE * 50), Content_Encoding="gzip"),
        "delivered",
    ),
    "50 MB with a failure": (
        lambda receiver: receiver.floods(b"HTTP/1.1 500 No\r\nContent-Length: 50000000\r\n\r\n", MEGABYTE, 50),
        "failed",
    ),
    "50 MB of headers": (
        lambda receiver: receiver.floods(b"HTTP/1.1 200 OK\r\n", b"X-Much: " + b"x" * 50_000 + b"\r\n", 1000),
        "failed",
    ),
    "no HTTP": (lambda receiver: receiver.floods(b"", MEGABYTE, 50), "failed"),
}


@pytest.mark.parametrize("what", LARGE)
def test_receiver__that_answers_at_length__is_read_to_the_limit(office: Office, what: str) -> None:
    make, status = LARGE[what]
    office.receiver.behaviours = [make(office.receiver)]
    delivery = first_attempt(office)
    assert delivery.status == status
    assert len(delivery.log[0]["response_snippet"] or "") <= 1024
    if status == "failed":
        then_arrives(office)
    office.check()


QUOTABLE: dict[str, bytes] = {
    "a status line of its own": b"X" + secrets.token_hex(30_000).encode() + b"\r\n\r\n",
    "a header of its own": b"HTTP/1.1 200 OK\r\n" + b"z" * 60_000 + b": " + b"z" * 60_000 + b"\r\n\r\n",
    "a length of its own": b"HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n" + b"z" * 60_000 + b"\r\n",
    "an encoding of its own": b"HTTP/1.1 500 No\r\nContent-Encoding: " + b"z" * 60_000 + b"\r\n\r\n",
    "a body of any bytes": answer("500 No", secrets.token_bytes(60_000)),
    "a body of NULs": answer("500 No", bytes(60_000)),
}


@pytest.mark.parametrize("what", QUOTABLE)
def test_receiver__that_wants_to_be_quoted__is_quoted_shortly(office: Office, what: str) -> None:
    """Five attempts are kept with what was said, in a row that has to fit into the table."""
    office.receiver.behaviours = [lambda connection: connection.sendall(QUOTABLE[what])]
    name = office.happens()
    office.settle()
    office.check()
    delivery = office.delivery(name)
    assert (delivery.status, delivery.attempts) == ("dead", 5)
    assert delivery.last_error
    assert len(delivery.last_error) <= 500
    assert len(canonical_json.encode(document_of(delivery))) < 40_000


def expired(authority: trustme.CA) -> ssl.SSLContext:
    """A server whose certificate ended yesterday."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    yesterday = datetime.now(UTC) - timedelta(days=1)
    authority.issue_cert(NAME, not_after=yesterday).configure_cert(context)
    return context


CERTIFICATES: dict[str, tuple[Callable[[trustme.CA], ssl.SSLContext], str]] = {
    "of another name": (lambda authority: certified(authority, "other.example"), "Hostname mismatch"),
    "of a name below": (lambda authority: certified(authority, f"*.{NAME}"), "Hostname mismatch"),
    "expired": (expired, "certificate has expired"),
    "of an unknown authority": (lambda authority: certified(trustme.CA(), NAME), "unable to get local issuer"),
}


@pytest.mark.parametrize("what", CERTIFICATES)
def test_receiver__with_a_certificate_that_is_wrong__gets_nothing_to_read(authority: trustme.CA, what: str) -> None:
    make, words = CERTIFICATES[what]
    receiver = Receiver(authority=authority)
    with receiver.up(make(authority)):
        office = Office(receiver)
        delivery = first_attempt(office)
        assert delivery.last_error
        assert words in delivery.last_error
        assert receiver.requests == []
    with receiver.up():
        then_arrives(office)


def test_name__that_leads_inside_since_it_was_registered__is_refused_before_anything_is_dialled(
    office: Office,
) -> None:
    net = office.receiver.net
    for address in ("10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "fd00:ec2::254", "64:ff9b::a00:1"):
        net.names[NAME] = [PUBLIC_ADDRESS, address]
        name = office.happens()
        office.work()
        delivery = office.delivery(name)
        assert (delivery.status, delivery.attempts) == ("failed", 1)
        assert delivery.last_error
    assert net.dialled == []
    net.names[NAME] = [PUBLIC_ADDRESS]
    office.settle()
    office.check()
    assert {delivery.status for delivery in office.deliveries()} == {"delivered"}


def test_name__that_is_gone__is_looked_up_again_at_each_attempt(office: Office) -> None:
    del office.receiver.net.names[NAME]
    delivery = first_attempt(office)
    assert delivery.last_error
    assert delivery.last_error.startswith(f"{NAME} does not resolve")
    office.receiver.net.names[NAME] = [PUBLIC_ADDRESS]
    then_arrives(office)


def test_name__that_leads_to_another_public_address_while_connections_are_kept__is_followed_there(
    office: Office,
) -> None:
    office.receiver.behaviours = [lambda connection: connection.sendall(answer("200 OK"))]
    office.happens()
    office.work()
    office.receiver.net.names[NAME] = ["1.0.0.1"]
    office.receiver.net.ports["1.0.0.1"] = office.receiver.net.ports[PUBLIC_ADDRESS]
    office.happens()
    office.work()
    assert office.receiver.net.dialled == [PUBLIC_ADDRESS, "1.0.0.1"]
    office.check()
