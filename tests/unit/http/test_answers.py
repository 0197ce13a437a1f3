"""What every answer carries, and how versions, pages and unforeseen errors look."""

import json
import logging
from dataclasses import replace
from io import StringIO

import pytest

from abtest.http.journal import journal
from abtest.kit.errors import NotFoundError
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.keys import stored_keys
from tests.unit.http.conftest import Bench

ID = "0192e4a0-0000-7000-8000-000000000000"
SECURITY = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "strict-transport-security": "max-age=31536000; includeSubDomains",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
}


def test_every_answer__error_or_not__carries_version_request_id_and_security_headers(
    client: Client, bench: Bench
) -> None:
    answers = [client.get("/things"), client.get("/nowhere"), client.put("/things"), client.post("/things", raw="{")]
    bench.next_error = RuntimeError("boom")
    answers.append(client.get(f"/things/{ID}"))
    assert [answer.status for answer in answers] == [200, 404, 405, 400, 500]
    for answer in answers:
        assert answer.headers["x-service-api-version"] == "1.0.0"
        assert SECURITY.items() <= answer.headers.items()
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    ("sent", "kept"), [("abcd-1234_X", True), ("short", False), ("with space!", False), ("x" * 65, False)]
)
def test_request_id__fitting__is_echoed_and_any_other_replaced(client: Client, sent: str, kept: bool) -> None:
    answer = client.get("/nowhere", headers={"X-Request-Id": sent})
    assert (answer.headers["x-request-id"] == sent) is kept
    assert answer.json()["error"]["request_id"] == answer.headers["x-request-id"]


def test_unforeseen_error__is_500_with_name_and_message_and_no_trace(client: Client, bench: Bench) -> None:
    bench.next_error = ZeroDivisionError("nothing there")
    answer = client.get(f"/things/{ID}")
    error = answer.json()["error"]
    assert (answer.status, error["code"], error["details"]) == (
        500,
        "internal_error",
        "ZeroDivisionError: nothing there",
    )
    assert "Traceback" not in answer.body.decode()
    assert "test_answers" not in answer.body.decode()


def test_told_error__has_no_details(client: Client, bench: Bench) -> None:
    bench.next_error = NotFoundError("no such thing")
    error = client.get(f"/things/{ID}", checked=False).json()["error"]
    assert sorted(error) == ["code", "message", "request_id", "status"]


def test_log__of_a_request__names_key_and_shop_but_no_secret_and_no_body(client: Client, tenant: Tenant) -> None:
    written = StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(journal.registered_formatter)
    journal.addHandler(handler)
    try:
        client.post("/things", {"name": "a private thing"}, headers={"X-Request-Id": "request-1234"})
    finally:
        logging.getLogger(journal.name).removeHandler(handler)
    line = json.loads(written.getvalue())
    assert (line["shop_id"], line["correlation_id"], line["operation"]) == (tenant.shop.id, "request-1234", "makeThing")
    assert "a private thing" not in written.getvalue()
    assert tenant.admin not in written.getvalue()


def test_if_match__forms__are_read(client: Client) -> None:
    forms: dict[str | None, str] = {
        None: "all",
        "*": "all",
        " * ": "all",
        'W/"12"': "12",
        '"12"': "12",
        'W/"1", W/"2"': "1 2",
        '"2" ,W/"1","not, ours"': "1 2",
        '"not, ours"': "",
        'W/"x"': "",
        'W/"-1"': "",
        ', "3", ': "3",
    }
    for sent, read in forms.items():
        answer = client.get(f"/things/{ID}", headers={} if sent is None else {"If-Match": sent})
        assert answer.json()["name"] == read, sent


@pytest.mark.parametrize("sent", ["garbage", " ", "12", "W/", '"open', 'W/"1", garbage', ",", "*, *"])
def test_if_match__no_list_of_tags__is_400_with_the_form(client: Client, sent: str) -> None:
    answer = client.get(f"/things/{ID}", headers={"If-Match": sent})
    assert (answer.status, answer.code, answer.paths) == (400, "invalid_parameter", ["If-Match"])
    message = answer.json()["error"]["fields"][0]["message"]
    assert message == 'must be `*`, or ETags in their quotes, such as W/"3", separated by commas'


@pytest.mark.parametrize("query", [{"limit": [1, 2]}, {"colour": ["red", "red"]}, {"colour": ["", ""], "limit": 3}])
def test_parameter__sent_twice__is_400_and_named(client: Client, query: dict[str, object]) -> None:
    answer = client.get("/things", query=query)
    assert (answer.status, answer.code) == (400, "invalid_parameter")
    assert answer.paths == [next(iter(query))]
    assert answer.json()["error"]["fields"][0]["message"] == "must be sent once: it is not a list"


@pytest.mark.parametrize(
    ("sent", "named"), [("gzip", "gzip"), (" BR ", "br"), ("gzip, br", "unknown"), ("secret", "unknown")]
)
def test_body__compressed__is_415_and_names_the_coding(client: Client, sent: str, named: str) -> None:
    for raw in (b"\x1f\x8b\x08", b'{"name": "a"}'):
        answer = client.post("/things", raw=raw, headers={"Content-Encoding": sent})
        assert (answer.status, answer.code) == (415, "unsupported_media_type")
        assert f"Content-Encoding is {named};" in answer.json()["error"]["message"]


@pytest.mark.parametrize("sent", [" ", "identity", "Identity"])
def test_body__declared_as_not_compressed__is_read(client: Client, sent: str) -> None:
    assert client.post("/things", {"name": "a"}, headers={"Content-Encoding": sent}).status == 201


@pytest.mark.parametrize(
    ("sent", "status"), [('W/"4"', 304), ('"4"', 304), ("*", 304), ('W/"3", W/"4"', 304), ('W/"3"', 200), ("4", 200)]
)
def test_if_none_match__naming_the_version__is_304(client: Client, sent: str, status: int) -> None:
    answer = client.get(f"/things/{ID}", headers={"If-None-Match": sent})
    assert (answer.status, answer.headers["etag"]) == (status, 'W/"4"')


def test_pages__followed_to_the_end__hold_everything_once(client: Client) -> None:
    seen, cursor = [], None
    while True:
        page = client.get("/things", query={"limit": 3, **({"cursor": cursor} if cursor else {})}).json()
        seen += [thing["size"] for thing in page["data"]]
        cursor = page["pagination"]["next_cursor"]
        if cursor is None:
            break
    assert seen == list(range(7))


def test_cursor__tampered_with_anywhere__is_refused(client: Client) -> None:
    cursor = client.get("/things", query={"limit": 3}).json()["pagination"]["next_cursor"]
    for place in range(0, len(cursor), 5):
        other = "A" if cursor[place] != "A" else "B"
        tampered = cursor[:place] + other + cursor[place + 1 :]
        answer = client.get("/things", query={"limit": 3, "cursor": tampered})
        assert (answer.status, answer.code) == (400, "invalid_cursor"), place


def test_body__on_a_code_route__may_have_five_mebibytes(client: Client) -> None:
    raw = json.dumps({"name": "x" * (4 << 20)})
    assert client.post(f"/things/{ID}/code", raw=raw).json()["size"] == 4 << 20
    assert client.post("/things", raw=raw).status == 413
    assert client.post(f"/things/{ID}/code", raw=raw.ljust((5 << 20) + 1)).status == 413


def test_media_type__json_of_any_kind__is_taken(client: Client) -> None:
    for media_type in ("application/json", "application/json; charset=utf-8", "application/merge-patch+json"):
        assert client.post("/things", raw='{"name":"x"}', headers={"Content-Type": media_type}).status == 201


def test_revoked_key__is_refused_by_a_write_at_once_and_by_a_read_within_seconds(
    api: MemoryApi, tenant: Tenant, client: Client
) -> None:
    key = api.key(["experiments:write"], shop_id=tenant.shop.id)
    caller = api.client(key.text)
    assert caller.get("/things", checked=False).status == 200
    gone = replace(key.key, revoked_at=api.world.now(), version=2)
    catalog = api.world.catalog
    catalog.commit(stored_keys(catalog, [gone], api.world.now()))  # as another process would
    assert caller.post("/things", {"name": "x"}, checked=False).status == 401
    api.clock.advance(seconds=10)
    assert caller.get("/things", checked=False).status == 401
