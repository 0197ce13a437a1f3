"""Messages of refused requests: in our words, bounded, with the name that was probably meant."""

from typing import Any, get_args

import pytest
from pydantic_core.core_schema import ErrorType

from abtest.contract.schema_messages import INVALID, MESSAGES, schema_message
from abtest.http.factory import create_app, handler
from abtest.http.suggestions import nearest_address, suggestion
from abtest.wiring.api_experiments import experiments_uses
from api_experiments.routes import ROUTERS as EXPERIMENTS
from api_settings.routes import ROUTERS as SETTINGS
from tests.support.api import MemoryApi
from tests.support.client import Answer, Client
from tests.support.memory import MemorySessions


def reasons(answer: Answer) -> dict[str, str]:
    """The message of each field of an error."""
    return {field["path"]: field["message"] for field in answer.json()["error"]["fields"]}


@pytest.fixture(scope="module")
def settings() -> Client:
    api = MemoryApi(SETTINGS)
    return api.client(api.tenant().admin)


@pytest.fixture(scope="module")
def experiments() -> Client:
    api = MemoryApi([])
    uses = experiments_uses(api.management, MemorySessions())
    api.handler = handler(create_app(EXPERIMENTS, api.management.services(uses)))
    return api.client(api.tenant().admin)


def test_body__of_the_wrong_form__is_refused_in_our_words(client: Client) -> None:
    assert reasons(client.post("/things", {"size": "1"})) == {
        "name": "is required",
        "size": "must be an integer",
    }
    assert reasons(client.post("/things", [])) == {"": "must be an object"}


@pytest.mark.parametrize("text", ["7.0", "7", "70e-1", "0.7e1"])
def test_integer__written_as_a_float__is_accepted(client: Client, text: str) -> None:
    answer = client.post("/things", raw=f'{{"name": "a", "size": {text}}}')
    assert (answer.status, answer.json()["size"]) == (201, 7)


@pytest.mark.parametrize("text", ["true", "7.5", '"7"', "7e-1", "1e300"])
def test_integer__of_another_value__is_refused(client: Client, text: str) -> None:
    answer = client.post("/things", raw=f'{{"name": "a", "size": {text}}}')
    assert reasons(answer) == {"size": "must be an integer"}


def test_parameter__of_the_wrong_form__is_refused_in_our_words(client: Client) -> None:
    assert reasons(client.get("/things", query={"limit": "many"})) == {"limit": "must be an integer"}


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ("siz", "is not a property of this object; did you mean size?"),
        ("Name", "is not a property of this object; did you mean name?"),
        ("colour", "is not a property of this object"),
    ],
)
def test_property__unknown__suggests_the_closest(client: Client, sent: str, message: str) -> None:
    assert reasons(client.post("/things", {"name": "x", sent: 1}))[sent] == message


@pytest.mark.parametrize(
    ("body", "path", "meant"),
    [
        ({"name": "N", "trafic_allocation": 0.5}, "trafic_allocation", "traffic_allocation"),
        ({"name": "N", "variations": [{"name": "A", "weigth": 1}]}, "variations[0].weigth", "weight"),
        ({"name": "N", "goals": [{"name": "G", "event_nam": "x"}]}, "goals[0].event_nam", "event_name"),
        (
            {"name": "N", "variations": [{"name": "A", "mutations": [{"selektor": "#a", "action": "text"}]}]},
            "variations[0].mutations[0].selektor",
            "selector",
        ),
    ],
)
def test_property__unknown_deep_inside__suggests_one_of_its_own_object(
    experiments: Client, body: Any, path: str, meant: str
) -> None:
    answer = experiments.post("/experiments", body)
    assert answer.code == "unknown_property"
    assert reasons(answer)[path] == f"is not a property of this object; did you mean {meant}?"


def test_parameter__unknown__suggests_the_closest(client: Client) -> None:
    assert reasons(client.get("/things", query={"limits": "1", "zzz": "1"})) == {
        "limits": "is not a parameter of this route; did you mean limit?",
        "zzz": "is not a parameter of this route",
    }


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/shop/default", "/api/v1/shop/defaults"),
        ("/ping/", "/api/v1/ping"),
        ("/experimets", "/api/v1/experiments"),  # of another function
        (
            "/experiment/0192e4a0-0000-7000-8000-000000000000/varations",
            "/api/v1/experiments/{experiment_id}/variations",
        ),
        ("/nothing-like-it", None),
        ("/" + "x" * 5000, None),
    ],
)
def test_route__unknown__suggests_the_closest(settings: Client, path: str, meant: str | None) -> None:
    answer = settings.get(path, checked=False)
    expected = "there is no route at this address" + (f"; did you mean {meant}?" if meant else "")
    assert (answer.code, answer.json()["error"]["message"]) == ("route_not_found", expected)


def test_nearest_address__misspelt_literal__comes_before_a_parameter() -> None:
    templates = ["/flags/{flag_id}", "/flags/evaluate", "/flags"]
    assert nearest_address("/flags/evaluat", templates) == "/flags/evaluate"
    assert nearest_address("/flag/0192e4a0", templates) == "/flags/{flag_id}"


def test_error__of_enormous_names_and_values__stays_small_and_repeats_no_value(client: Client) -> None:
    secret = "svc_sk_" + "s3cret" * 10
    body = {f"{number}{'n' * 5000}": secret for number in range(100)} | {"name": [secret], "size": secret}
    answer = client.post("/things", body)
    assert answer.status == 400
    assert len(answer.body) < 50 * 450
    assert b"s3cret" not in answer.body
    assert all(len(path) <= 300 for path in reasons(answer))


def test_body__not_utf_8__is_refused_in_our_words(client: Client) -> None:
    answer = client.post("/things", raw=b'{"name": "\xff"}')
    assert answer.json()["error"]["message"] == "the body must be valid JSON: byte 10 is not UTF-8"


def test_body__with_a_number_of_thousands_of_digits__is_refused_in_our_words(client: Client) -> None:
    answer = client.post("/things", raw='{"name": "a", "size": ' + "9" * 4301 + "}")
    assert (answer.status, answer.code) == (400, "invalid_json")
    assert answer.json()["error"]["message"] == "the body must be valid JSON: a number has too many digits"


def test_body__missing__is_named_as_such(client: Client) -> None:
    answer = client.post("/things")
    assert (answer.status, answer.code) == (400, "invalid_request")
    assert reasons(answer) == {"": "a JSON body is required"}


def test_suggestion__of_a_name_that_nothing_resembles__is_empty() -> None:
    assert suggestion("payment", ["name", "weight"]) == ""
    assert suggestion("x" * 101, ["x" * 100]) == ""


def test_messages__of_all_library_types__are_ours_and_formattable() -> None:
    # Every context value that a template may use, as the library names them.
    context = dict.fromkeys(
        ("min_length", "max_length", "gt", "ge", "lt", "le", "multiple_of", "pattern", "expected", "discriminator"), 1
    )
    for kind in get_args(ErrorType):
        problem = {"type": kind, "msg": "Input should be theirs", "ctx": {**context, "expected_tags": "a, b"}}
        message = schema_message(problem)
        assert "Input" not in message, kind
        assert (kind in MESSAGES) is (message != INVALID), kind
    assert set(MESSAGES) <= set(get_args(ErrorType))


def test_message__long__is_cut() -> None:
    problem = {"type": "string_pattern_mismatch", "msg": "", "ctx": {"pattern": "x" * 1000}}
    assert (len(schema_message(problem)), schema_message(problem)[-1]) == (300, "…")
