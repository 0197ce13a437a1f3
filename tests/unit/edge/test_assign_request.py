"""Requests for assignments: what is taken, and which field a refusal names."""

import json
from typing import Any

import pytest

from abtest.domain.ledger.batch import read_envelope, sort_batch
from abtest.domain.ledger.normalise import Arrival
from abtest.edge import assign_request as limits
from abtest.edge.assign_request import (
    CustomerIdRequiresPostError,
    InvalidJsonBodyError,
    read_body,
    read_query,
    refuse_parameters,
)
from abtest.kit.errors import InvalidRequestError, NotFoundError
from abtest.services.assignment_request import AssignmentRequest

ID = "0192A3B4-0000-7000-8000-000000000001"
MINIMAL = {"user_id": "v"}


def body(**fields: Any) -> AssignmentRequest:
    return read_body(json.dumps(MINIMAL | fields).encode())


def refusal(**fields: Any) -> str:
    """The field that the refusal names."""
    with pytest.raises(InvalidRequestError) as refused:
        body(**fields)
    return refused.value.message.partition(":")[0]


def ids(count: int) -> list[str]:
    return [f"0192a3b4-0000-7000-8000-{number:012d}" for number in range(count)]


def test_query__with_all_it_may_say__is_read() -> None:
    query = {"shopId": "s", "user_id": "a b", "url": "https://a.example/?b", "country": "de", "env": "staging"}
    assert read_query(query) == AssignmentRequest(
        environment="staging",
        shop_id="s",
        user_id="a b",
        url="https://a.example/?b",
        attributes={"country": "DE"},
    )


@pytest.mark.parametrize(
    "name", ["logged_in_customer_id", "customer_id", "customerId", "loggedInCustomerId", "Customer-ID", "CUSTOMERID"]
)
def test_query__with_a_customer_id_in_any_spelling__needs_a_post(name: str) -> None:
    for refuse in (read_query, refuse_parameters):
        with pytest.raises(CustomerIdRequiresPostError) as refused:
            refuse({"user_id": "v", name: "c"})
        assert refused.value.code == "customer_id_requires_post"


@pytest.mark.parametrize("name", ["user", "attributes", "force", "cart_id", "experiment_ids", "explain", "userId"])
def test_query__with_what_only_a_body_says_or_nobody__is_refused(name: str) -> None:
    with pytest.raises(InvalidRequestError, match=rf"^{name}: "):
        read_query({"user_id": "v", name: "x"})


def test_query__beside_a_body__is_refused() -> None:
    with pytest.raises(InvalidRequestError, match=r"^env: "):
        refuse_parameters({"env": "staging"})
    refuse_parameters({})


def test_body__with_all_it_may_say__is_read() -> None:
    asked = body(
        shopId="s",
        logged_in_customer_id="c",
        customer_id="c",
        environment="staging",
        env="staging",
        country="at",
        attributes={"device": "mobile"},
        experiment_ids=[ID],
        force={ID: 1},
        sticky={ID + ":2": "x"},
        surface="checkout",
        cart_id="k",
        request_handoff=True,
    )
    assert asked == AssignmentRequest(
        environment="staging",
        shop_id="s",
        user_id="v",
        customer_id="c",
        attributes={"country": "AT", "device": "mobile"},
        experiment_ids=[ID.lower()],
        force={ID.lower(): "1"},
        sticky={ID + ":2": "x"},
        surface="checkout",
        cart_id="k",
        request_handoff=True,
    )


def test_body__with_nulls__is_as_if_they_were_left_out() -> None:
    nulls = dict.fromkeys(limits.BODY_FIELDS)
    assert read_body(json.dumps(nulls | MINIMAL).encode()) == AssignmentRequest(environment="", user_id="v")


def test_country__also_in_attributes__is_what_attributes_say() -> None:
    assert body(country="DE", attributes={"country": "AT"}).attributes == {"country": "AT"}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'"x"', b"null", b'{"a":1,"a":2}', b"\xff", b"[" * 100_000])
def test_body__that_is_no_object__is_refused(content: bytes) -> None:
    with pytest.raises(InvalidJsonBodyError):
        read_body(content)


def test_body__with_neither_user_nor_customer__is_refused() -> None:
    assert refusal(user_id=None) == "user_id"
    assert body(user_id=None, customer_id="c").customer_id == "c"


def test_body__with_customer_ids_or_environments_that_disagree__is_refused() -> None:
    assert refusal(logged_in_customer_id="a", customer_id="b") == "customer_id"
    assert refusal(env="a", environment="b") == "environment"


def test_body__with_a_handoff_of_no_cart__is_refused() -> None:
    assert refusal(request_handoff=True) == "cart_id"
    assert body(request_handoff=False).cart_id is None


def test_body__with_an_unknown_field__names_it_and_hides_what_no_answer_could_hold() -> None:
    assert refusal(userId="x") == "userId"
    assert refusal(**{"\ud800" + "x" * 100: 1}) == "\\ud800" + "x" * 63


@pytest.mark.parametrize("environment", ["../other", "Staging", "a" * 49])
def test_environment__that_none_can_have__is_not_found(environment: str) -> None:
    with pytest.raises(NotFoundError):
        body(env=environment)


@pytest.mark.parametrize(
    ("name", "most"),
    [("user_id", 256), ("customer_id", 256), ("logged_in_customer_id", 256), ("cart_id", 256), ("surface", 64)],
)
def test_text__at_and_past_its_length__is_taken_or_refused(name: str, most: int) -> None:
    body(**{name: "x"})
    body(**{name: "x" * most})
    refused: list[Any] = ["", "x" * (most + 1), 1, True, [], {}]
    for wrong in refused:
        assert refusal(**{name: wrong}) == name


def test_url__absolute_and_at_most_4096_characters__is_taken() -> None:
    longest = "https://a.example/" + "x" * (4096 - 18)
    assert body(url=longest).url == longest
    assert body(url="HTTP://A.example").url == "HTTP://A.example"
    refused: list[Any] = [longest + "x", "/p", "javascript:alert(1)", "https://", "http://a b", "", 1, "//a.example"]
    for wrong in refused:
        assert refusal(url=wrong) == "url"


@pytest.mark.parametrize("country", ["D", "DEU", "1A", "é1", "", 1, "ÄÖ"])
def test_country__that_is_no_code__is_refused(country: Any) -> None:
    assert refusal(country=country) == "country"


def test_attributes__at_and_past_their_size_and_depth__are_taken_or_refused() -> None:
    room = limits.MAX_ATTRIBUTES_BYTES - len('{"a":""}')
    body(attributes={"a": "x" * room})
    assert refusal(attributes={"a": "x" * (room + 1)}) == "attributes"
    assert refusal(attributes={"a": "é" * (room // 2 + 1)}) == "attributes"
    deepest: Any = {}
    for _ in range(limits.MAX_ATTRIBUTES_DEPTH - 1):
        deepest = {"a": deepest}
    body(attributes=deepest)
    assert refusal(attributes={"a": deepest}) == "attributes"
    assert refusal(attributes=[]) == "attributes"


def test_experiment_ids__at_and_past_their_number__are_taken_or_refused() -> None:
    assert body(experiment_ids=[]).experiment_ids == []
    body(experiment_ids=ids(100))
    assert refusal(experiment_ids=ids(101)) == "experiment_ids"
    assert refusal(experiment_ids=[ID, "x"]) == "experiment_ids[1]"
    assert refusal(experiment_ids=[ID, 1]) == "experiment_ids[1]"
    assert refusal(experiment_ids=ID) == "experiment_ids"


@pytest.mark.parametrize("text", [" ", "\u200b", "check\nout", "check\x00out", "\u202eout"])
def test_surface__that_no_list_can_show__is_refused(text: str) -> None:
    assert refusal(surface=text) == "surface"


def test_force__of_what_is_no_variation_or_no_experiment__is_refused() -> None:
    assert body(force={ID: ID}).force == {ID.lower(): ID.lower()}
    assert body(force={ID: "0"}).force == {ID.lower(): "0"}
    assert body(force={ID: 1000}).force == {ID.lower(): "1000"}
    assert body(force={ID: 1.0}).force == {ID.lower(): "1"}
    values: list[Any] = [-1, 1001, True, 1.5, None, "", "x" * 65, []]
    refused: list[Any] = [{ID: value} for value in values]
    refused += [{"x": 1}, [], "x"]
    for wrong in refused:
        assert refusal(force=wrong) == "force"
    body(force=dict.fromkeys(ids(100), 0))
    assert refusal(force=dict.fromkeys(ids(101), 0)) == "force"


def test_sticky__past_its_number_or_not_text__is_refused() -> None:
    body(sticky=dict.fromkeys(ids(500), "v"))
    refused: list[Any] = [dict.fromkeys(ids(501), "v"), {"": "v"}, {"x" * 65: "v"}, []]
    refused += [{"x": ""}, {"x": 1}, {"x": None}]
    for wrong in refused:
        assert refusal(sticky=wrong) == "sticky"


@pytest.mark.parametrize("wrong", ["true", 1, 0, []])
def test_request_handoff__that_is_no_boolean__is_refused(wrong: Any) -> None:
    assert refusal(request_handoff=wrong) == "request_handoff"


@pytest.mark.parametrize("name", ["user_id", "customer_id", "logged_in_customer_id", "cart_id"])
def test_id__that_events_set_aside__is_refused_and_any_other_taken(name: str) -> None:
    codes = [*range(0x20), 0x7F, 0x85, 0x2028, 0xD800, 0xDFFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x1FFFF]
    for character in map(chr, codes):
        event = {"type": "pageview", "visitorId": f"v{character}", "eventId": "e", "ts": 0}
        envelope = read_envelope(json.dumps([event]).encode())
        arrival = Arrival(shop_id="s", received_at=0)
        batch = sort_batch(envelope.events, arrival, is_suspect=envelope.is_suspect)
        assert len(batch.rows) + len(batch.set_aside) == 1
        if batch.set_aside:
            assert [each.verdict.reason for each in batch.set_aside] == ["invalid_text"]
            assert refusal(**{name: f"v{character}"}) == name, repr(character)
        else:
            body(**{name: f"v{character}"})


def test_id__with_nul_in_an_address__is_refused_and_named() -> None:
    with pytest.raises(InvalidRequestError, match=r"^user_id: must not have NUL"):
        read_query({"user_id": "a\x00b"})
