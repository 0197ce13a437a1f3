"""Messages of refused requests: in our words, bounded, with the name that was probably meant."""

import json
from typing import Any, get_args

import pytest
from pydantic_core.core_schema import ErrorType

from abtest.contract.schema_messages import INVALID, MESSAGES, schema_message
from abtest.domain.targeting.shapes import Attribute
from abtest.http.factory import create_app, handler
from abtest.http.reference import packaged, templates
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


def test_console__with_a_slash__leads_to_the_one_without(settings: Client) -> None:
    browser = Client(settings._handler, base="")
    answer = browser.get("/console/", checked=False)
    assert (answer.status, answer.headers["location"]) == (308, "/console")
    assert browser.get("/console/x/", checked=False).status == 404


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


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("{", "line 1, column 2: write a name in double quotes here; no comma follows the last member of an object"),
        ('{"name": "a",}', "line 1, column 14: write a name in double quotes here; no comma follows the last member"),
        ("{'name': 1}", "line 1, column 2: write a name in double quotes here;"),
        ('{"name":\n  True}', "line 2, column 3: a value is missing or misspelt; texts need double quotes,"),
        ("[1,]", "line 1, column 4: a value is missing or misspelt;"),
        ('{"name" 1}', "line 1, column 9: write a colon between name and value"),
        ('{"name": 1 "size": 2}', "line 1, column 12: write a comma before the next item, or close the object or list"),
        ("{} {}", "line 1, column 4: remove what follows the end of the value; a text has one value"),
        ('{"name": "a', "line 1, column 10: the text that begins here has no closing double quote"),
        ('{"name": "a\nb"}', "line 1, column 12: escape control characters in texts, such as a line break as \\n"),
        ('{"name": "\\x"}', "line 1, column 11: write a backslash in a text as two backslashes"),
        ('{"name": "\\u12"}', "line 1, column 12: write four hexadecimal digits after \\u"),
    ],
)
def test_body__not_json__is_refused_with_place_and_advice(client: Client, raw: str, reason: str) -> None:
    answer = client.post("/things", raw=raw)
    assert (answer.status, answer.code) == (400, "invalid_json")
    assert answer.json()["error"]["message"].startswith(f"the body must be valid JSON: {reason}")


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


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("siz", "size"),
        ("nmae", "name"),
        ("Name", "name"),
        ("weigth", "weight"),
        ("limits", "limit"),
        ("desciption", "description"),
        ("descritpoin", "description"),
        ("event_nam", "event_name"),
        ("eventname", "event_name"),
        ("event-name", "event_name"),
        ("eventName", "event_name"),
        ("even_tname", "event_name"),
        ("event_name", "eventName"),
        ("trafic_alocation", "traffic_allocation"),
        ("enviroment_key", "environment_key"),
        ("goals_ids", "goal_ids"),
        ("primaryGoalID", "primary_goal_id"),
        ("curency", "currency"),
        ("selektor", "selector"),
    ],
)
def test_suggestion__of_a_slip__is_what_was_meant(sent: str, meant: str) -> None:
    assert suggestion(sent, ["zzz", meant, "another_name"]) == f"; did you mean {meant}?"


@pytest.mark.parametrize(
    ("sent", "other"),
    [
        ("org_id", "origin"),
        ("date", "data"),
        ("site", "size"),
        ("node", "mode"),
        ("created_by", "created_at"),
        ("updated_at", "created_at"),
        ("start_at", "started_at"),
        ("variation_id", "variations"),
        ("expected_version", "expected_revision"),
        ("goal_id", "goals"),
        ("page_id", "goal_id"),
        ("include", "exclude"),
        ("from", "to"),
        ("type", "tier"),
        ("status", "state"),
        ("shop_id", "stop_id"),
        ("min", "max"),
        ("colour", "count"),
        ("key", "kind"),
    ],
)
def test_suggestion__of_another_word__is_empty(sent: str, other: str) -> None:
    assert suggestion(sent, [other]) == ""


def test_suggestion__of_several_alike__is_the_nearest() -> None:
    assert suggestion("goal_ids_", ["goal_id", "goal_ids", "page_ids"]) == "; did you mean goal_ids?"


def test_address__of_no_route__is_compared_without_the_whole_document() -> None:
    packaged.cache_clear()
    templates.cache_clear()
    addresses = templates()
    assert packaged.cache_info().currsize == 0
    document = json.loads(packaged())
    assert sorted(addresses) == [f"/api/v1{path}" for path, item in document["paths"].items() if "servers" not in item]


def test_values__up_to_forty__are_all_named(experiments: Client) -> None:
    rules = {"operator": "and", "conditions": [{"attribute": "devise", "operator": "equals", "value": "x"}]}
    message = reasons(experiments.post("/audiences", {"name": "A", "rules": rules}))["rules.conditions[0].attribute"]
    assert all(repr(attribute) in message for attribute in get_args(Attribute))
    assert "…" not in message


@pytest.mark.parametrize("count", [2, 40, 41, 500])
def test_values__of_long_lists__are_left_to_the_reference(count: int) -> None:
    values = " or ".join(f"'value_{number}'" for number in range(count))
    message = schema_message({"type": "literal_error", "msg": "", "ctx": {"expected": values}})
    left_out = f"must be one of {count} values, which the API reference lists"
    assert message == (f"must be {values}" if count <= 40 else left_out)


def test_property__that_the_response_has__is_called_read_only(experiments: Client) -> None:
    body = {"name": "N", "created_at": 1, "variations": [{"name": "A", "public_id": 1, "color": 1}], "colour": 1}
    read_only = "is read-only: this request cannot set it"
    assert reasons(experiments.post("/experiments", body)) == {
        "created_at": read_only,
        "variations[0].public_id": read_only,
        "variations[0].color": "is not a property of this object",
        "colour": "is not a property of this object",
    }


@pytest.mark.parametrize("path", ["/experiments/No_such", "/experiments/12345/goals", "/experiments/01234567890"])
def test_id__of_an_experiment__may_be_of_either_kind(experiments: Client, path: str) -> None:
    assert reasons(experiments.get(path)) == {
        "experiment_id": "must be a UUID, such as 0199d5a0-0000-7000-8000-000000000000, or a public id of ten digits"
    }


@pytest.mark.parametrize("sent", ["2026-01-31T09:30:00+02:00", "2026-01-31T09:30:00.5 02:00", "2026-01-31t07:30:00z"])
def test_moment__of_an_address__may_have_a_bare_plus(experiments: Client, sent: str) -> None:
    assert experiments.get("/experiments", query={"updated_since": sent}).status == 200


@pytest.mark.parametrize("sent", ["2026-01-31 09:30:00Z", "2026-01-31T09:30:00 ", "2026-01-31T09:30:00  02:00"])
def test_moment__with_another_space__is_refused(experiments: Client, sent: str) -> None:
    answer = experiments.get("/experiments", query={"updated_since": sent})
    assert reasons(answer) == {"updated_since": "must be a date-time with its offset, such as 2026-01-31T09:30:00Z"}


def test_data_uri__too_large__is_refused_with_what_works(experiments: Client) -> None:
    css = f"a{{background:url(data:image/png;base64,{'A' * 5000})}}"
    answer = experiments.post("/experiments", {"name": "N", "experiment_css": css})
    assert answer.code == "inline_data_uri_too_large"
    assert reasons(answer)["experiment_css"] == (
        "must not contain a data URI of more than 4096 characters; refer to the image by its address"
    )


def test_messages__of_all_library_types__are_ours_and_formattable() -> None:
    # Every context value that a template may use, as the library names them.
    context = dict.fromkeys(
        ("min_length", "max_length", "gt", "ge", "lt", "le", "multiple_of", "expected", "discriminator"), 1
    )
    for kind in get_args(ErrorType):
        problem = {"type": kind, "msg": "Input should be theirs", "ctx": {**context, "expected_tags": "a, b"}}
        message = schema_message(problem)
        assert "Input" not in message, kind
        assert (kind in MESSAGES) is (message != INVALID), kind
    assert set(MESSAGES) <= set(get_args(ErrorType))


def test_message__long__is_cut() -> None:
    problem = {"type": "union_tag_not_found", "msg": "", "ctx": {"discriminator": "x" * 1000}}
    assert (len(schema_message(problem)), schema_message(problem)[-1]) == (300, "…")
