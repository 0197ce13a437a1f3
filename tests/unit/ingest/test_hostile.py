"""Bodies made to break a reader: each bad event is set aside with its reason, the others of its batch are kept."""

import gzip
import json
import time
import tracemalloc
from typing import Any

import pytest

from abtest.domain.credentials.signing import ingest_secret, server_signature
from tests.unit.ingest.edge import NOW, NOW_MS, ROOTS, SHOP, Edge, event, signed, signed_headers

MIB = 1024 * 1024
GOOD = [json.dumps(event(eventId="good-1")), json.dumps(event(eventId="good-2"))]


def with_data(data: str, event_id: str = "bad") -> str:
    """An event as text, with this as its data, which need not be JSON."""
    return json.dumps(event(eventId=event_id, data={"x": 0})).replace('{"x": 0}', data)


def batch_with(bad: str) -> bytes:
    """A body in which a bad event stands between two good ones."""
    return f"[{GOOD[0]},{bad},{GOOD[1]}]".encode(errors="surrogatepass")


FLAWS = [
    ("invalid_number", with_data('{"x": NaN}')),
    ("invalid_number", with_data('{"x": [1, {"y": -Infinity}]}')),
    ("invalid_number", with_data('{"x": 1e400}')),
    ("invalid_number", with_data('{"x": -1e400}')),
    ("invalid_number", with_data('{"x": ' + "9" * 5000 + "}")),
    ("invalid_number", json.dumps(event(eventId="bad")).replace('"ts": ', '"ts": -Infinity, "t": ')),
    ("invalid_number", "NaN"),
    ("duplicate_key", with_data('{"x": 1, "x": 2}')),
    ("duplicate_key", with_data('{"x": [[{"y": 1, "y": 1}]]}')),
    ("duplicate_key", with_data('{}, "eventId": "bad"')),
    ("data_too_deep", with_data('{"x":' + "[" * 5_000 + "]" * 5_000 + "}")),
    ("data_too_deep", with_data('{"a":' * 3_000 + "1" + "}" * 3_000)),
    ("data_too_deep", with_data('{"x":' + "[ " * 2_000 + '"]]}}[[\\""' + " ]" * 2_000 + "}")),
    ("data_too_deep", with_data('{"x":' + "[" * 200 + "]" * 200 + "}")),
    ("invalid_text", with_data('{"x": "\\ud800"}')),
    ("invalid_text", with_data('{"x": "\ud800"}')),
    ("invalid_text", with_data('{"x": "a\\u0000b"}')),
    ("invalid_text", with_data('{"\\u0000": 1}')),
    ("invalid_text", with_data('{"x": "a\0b"}')),
    ("invalid_text", with_data('{"x\ny": 1}')),
    ("invalid_text", json.dumps(event(eventId="bad"))[:-1] + ', "url": "a\x1f"}'),
    ("data_too_large", with_data('{"x": "' + "y" * (33 * 1024) + '"}')),
    ("not_an_object", "[" * 3_000 + "]" * 3_000),
    ("foreign_shop", with_data('{}, "shopId2": 1').replace(SHOP, "01920000-0000-7000-8000-0000000000ff")),
    ("ts_in_future", json.dumps(event(eventId="bad", ts=2**60))),
    ("ts_too_old", json.dumps(event(eventId="bad", ts=0))),
]


@pytest.mark.parametrize(("reason", "bad"), FLAWS, ids=[f"{number}-{flaw[0]}" for number, flaw in enumerate(FLAWS)])
def test_event__that_no_strict_reader_takes__is_set_aside_alone(reason: str, bad: str) -> None:
    edge = Edge()
    answer = edge.call(batch_with(bad), headers=signed_headers())
    assert answer.status == 202, answer.body
    assert (answer.json()["ingested"], answer.json()["quarantined"]) == (2, 1)
    assert [(error["index"], error["reason"]) for error in answer.json()["errors"]] == [(1, reason)]
    assert [row["event_id"] for row in edge.rows()] == ["good-1", "good-2"]
    (line,) = edge.quarantined()
    assert (line["reason"], line["shop_id"]) == (reason, SHOP)
    assert line["sample"].isascii()


def test_event__whose_bytes_are_not_utf8__is_set_aside_alone() -> None:
    edge = Edge()
    body = batch_with(with_data('{"x": "?"}')).replace(b'"?"', b'"\xff\xfe"')
    assert edge.call(body, headers=signed_headers()).json()["errors"] == [
        {"index": 1, "event_id": "bad", "reason": "invalid_text"}
    ]
    assert len(edge.rows()) == 2


def test_envelope__with_a_number_of_thousands_of_digits__is_refused_in_our_words() -> None:
    events = json.dumps({"events": [event()], **signed()})[:-1]
    answer = Edge().call(events + ', "sentAt": ' + "9" * 4301 + "}")
    assert (answer.status, answer.json()["message"]) == (400, "the body is not JSON: a number has too many digits")


def test_event__with_several_flaws_in_a_batch_of_an_envelope__leaves_the_envelope_readable() -> None:
    edge = Edge()
    tail = json.dumps({**signed(), "sentAt": 0})[1:]
    events = [with_data('{"x": NaN}', "a"), GOOD[0], with_data('{"x": 1, "x": 1}', "b"), "[" * 9000 + "]" * 9000]
    answer = edge.call(f'{{"events": [{",".join(events)}], {tail}'.encode())
    assert [error["reason"] for error in answer.json()["errors"]] == [
        "invalid_number",
        "duplicate_key",
        "not_an_object",
    ]
    assert [row["event_id"] for row in edge.rows()] == ["good-1"]


@pytest.mark.parametrize(
    "body",
    [
        "[" * MIB,
        "]" * MIB,
        "[" * (MIB // 2) + "]" * (MIB // 2),
        "[" + "[]," * (MIB // 3 - 1) + "[]]",
        '{"a":' * (MIB // 5),
        "[" * 5000 + '"' + '\\"' * (MIB // 2 - 3000),
        "[" * 5000 + '"' * (MIB - 5000),
        "[" * 5000 + "[ " * (MIB // 2 - 2600),
        '["\0' + '\\"' * (MIB // 2 - 10),
        '["\0"' + ',"\n"' * (MIB // 4 - 10) + "]",
        "[" + "9" * (MIB - 2) + "]",
        "[" + "1e400," * (MIB // 6 - 1) + "1]",
        '[{"a":1' + ',"a":1' * (MIB // 6 - 10) + "}]",
        '["' + "\\u0000" * (MIB // 6 - 1) + '"]',
        '[{"type":"pageview","url":"' + "?utm_" * (MIB // 5 - 50) + '"}]',
    ],
    ids=lambda body: f"{body[:12]}…{body[-6:]}",
)
def test_body__of_a_mebibyte_of_anything__is_answered_soon_and_never_with_500(body: str) -> None:
    began = time.process_time()
    answer = Edge().call(body, headers=signed_headers())
    assert answer.status in (202, 400, 413)
    assert time.process_time() - began < 5


def zipped(body: bytes | str) -> tuple[bytes, dict[str, str]]:
    """A compressed body and the headers that say so."""
    plain = body.encode() if isinstance(body, str) else body
    return gzip.compress(plain), {**signed_headers(), "content-encoding": "GZip"}


def test_gzip__of_a_batch__is_taken_like_the_plain_one() -> None:
    edge = Edge()
    packed, headers = zipped(batch_with("5"))
    assert edge.call(packed, headers=headers).json()["ingested"] == 2
    envelope, _ = zipped(json.dumps({"events": [event()], **signed()}))
    assert edge.call(envelope, headers={"content-encoding": "gzip"}).status == 202


def test_gzip__signed_by_a_server__is_signed_as_it_is_sent() -> None:
    packed, _ = zipped(json.dumps([event()]))
    signature = server_signature(ingest_secret(ROOTS, SHOP), int(NOW.timestamp()), packed)
    headers = {"x-svc-shop": SHOP, "x-svc-signature": signature, "content-encoding": "gzip"}
    assert Edge().call(packed, headers=headers).status == 202


def test_gzip__at_the_limit_of_a_plain_body__is_taken_and_a_byte_more_is_413() -> None:
    batch = json.dumps([event()])
    for size, status in [(MIB, 202), (MIB + 1, 413)]:
        packed, headers = zipped(batch.ljust(size))
        assert Edge().call(packed, headers=headers).status == status


def test_gzip__that_is_a_bomb__is_413_in_no_time_and_no_memory() -> None:
    packed = gzip.compress(bytes(100 * MIB), 9)
    edge, headers = Edge(), zipped("")[1]
    tracemalloc.start()
    began = time.process_time()
    answer = edge.call(packed, headers=headers)
    spent, peak = time.process_time() - began, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (answer.status, answer.error) == (413, "payload_too_large")
    assert spent < 1
    assert peak < 10 * MIB


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        gzip.compress(b"[]")[:-1],
        gzip.compress(b"[]") + b"x",
        gzip.compress(b"[") + gzip.compress(b"]"),
        gzip.compress(b"") * 10_000,
        gzip.compress(b"[]")[:-8] + bytes(8),
    ],
    ids=["empty", "plain", "cut", "longer", "two members", "many members", "wrong checksum"],
)
def test_gzip__that_is_none__is_400(body: bytes) -> None:
    answer = Edge().call(body, headers=zipped("")[1])
    assert (answer.status, answer.error) == (400, "invalid_json")


AROUND = [
    '"sentAt": NaN',
    '"sentAt": -Infinity',
    '"sentAt": 1e400',
    f'"sentAt": {"9" * 5000}',
    '"sentAt": 1, "sentAt": 1',
    '"more": [{"x": NaN}]',
    '"more": {"x": 1, "x": 1}',
    '"more": "\0"',
    '"\udcff": 1',
]


@pytest.mark.parametrize("around", AROUND, ids=ascii)
@pytest.mark.parametrize("events", [GOOD, [*GOOD, "NaN"]], ids=["good", "with a flaw"])
def test_envelope__with_what_no_strict_reader_takes_beside_the_events__is_400(around: str, events: list[str]) -> None:
    body = f'{{"events": [{",".join(events)}], {around}}}'.encode(errors="surrogateescape")
    edge = Edge()
    answer = edge.call(body, headers=signed_headers())
    assert (answer.status, answer.error) == (400, "invalid_json")
    assert (edge.rows(), edge.quarantined()) == ([], [])


@pytest.mark.parametrize("levels", [100, 300, *range(900, 1000, 3), 5_000, 100_000])
def test_envelope__with_depth_beside_the_events__is_taken_whatever_a_parser_can_follow(levels: int) -> None:
    body = f'{{"events": [{GOOD[0]}, NaN], "more": {"[" * levels}{"]" * levels}}}'.encode()
    assert Edge().call(body, headers=signed_headers()).json()["ingested"] == 1


@pytest.mark.parametrize("more", ["", ', {"type": "no such", "data": NaN}'])
def test_time__written_as_a_float__is_the_integer_that_it_is(more: str) -> None:
    good = json.dumps(event(ts=NOW_MS)).replace(str(NOW_MS), f"{NOW_MS}.0")
    edge = Edge()
    answer = edge.call(f'{{"events": [{good}{more}], "sentAt": {NOW_MS}.0}}'.encode(), headers=signed_headers())
    assert answer.json()["ingested"] == 1
    assert [(row["ts"], row["sent_at"]) for row in edge.rows()] == [(NOW_MS, NOW_MS)]
    assert "warnings" not in answer.json()


@pytest.mark.parametrize("value", [None, True, 1.5, -1, 2**63, "1", [], {}])
def test_sent_at__that_is_no_time__is_passed_over(value: Any) -> None:
    edge = Edge()
    answer = edge.send(event(), sentAt=value).json()
    assert answer["ingested"] == 1
    assert edge.rows()[0]["sent_at"] is None
    # Null is the same as no `sentAt`.
    expected = [] if value is None else ["sent_at_ignored"]
    assert [warning["code"] for warning in answer.get("warnings", [])] == expected
