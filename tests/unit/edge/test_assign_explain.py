"""`explain` of `POST /assign`: why a visitor gets what, next to the same assignments."""

import pytest

from tests.support.assigning import EVERYBODY, ON_CART, URL, Server
from tests.support.storefronts import experiment, experiment_id, variation

NOWHERE = (variation(0, weight=0.5), variation(1, weight=0.5))


@pytest.fixture
def server() -> Server:
    return Server().publish(
        experiment(1, variations=EVERYBODY),
        experiment(2, variations=EVERYBODY, targeting=ON_CART),
        experiment(3, variations=NOWHERE, traffic_allocation=0.0),
    )


def test_explain__of_a_visitor__has_the_step_of_each_experiment(server: Server) -> None:
    answer = server.post(user_id="v", url=URL, explain=True)
    explanations = answer.json["explanations"]
    assert (explanations["personalizations"], explanations["flags"]) == ([], [])
    first, second, third = explanations["experiments"]
    assert [each["id"] for each in (first, second, third)] == [experiment_id(1), experiment_id(2), experiment_id(3)]
    assert (first["step"], first["applied"]) == ("assigned", True)
    assert first["assigned"] == {"id": variation(1).id, "index": 1, "by": "hash"}
    assert (second["step"], second["detail"]["because"], second["applied"]) == ("page_rule", "not_included", False)
    assert second["detail"]["value"] == URL
    assert (third["step"], third["assigned"]) == ("traffic", None)


def test_explain__or_not__answers_the_same_otherwise(server: Server) -> None:
    plain = server.post(user_id="v", url=URL, sticky="").json
    for explain in (False, None):
        assert server.post(user_id="v", url=URL, sticky="", explain=explain).json == plain
    explained = server.post(user_id="v", url=URL, sticky="", explain=True).json
    assert explained.pop("explanations")
    assert explained == plain


def test_explain__of_chosen_experiments__explains_only_these(server: Server) -> None:
    answer = server.post(user_id="v", url=URL, explain=True, experiment_ids=[experiment_id(2)])
    assert [each["id"] for each in answer.json["explanations"]["experiments"]] == [experiment_id(2)]


def test_explain__with_the_text_of_an_earlier_answer__knows_that_it_is_sticky(server: Server) -> None:
    sticky = server.post(user_id="v", url=URL).json["sticky"]
    first, *_ = server.post(user_id="other", url=URL, sticky=sticky, explain=True).json["explanations"]["experiments"]
    assert (first["step"], first["assigned"]["by"]) == ("sticky", "sticky")


@pytest.mark.parametrize("explain", ["true", 1, [], {}])
def test_explain__of_another_type__is_refused_by_name(server: Server, explain: object) -> None:
    answer = server.post(user_id="v", url=URL, explain=explain)
    assert answer.error == (400, "invalid_request")
    assert answer.json["message"] == "explain: must be true or false"


def test_explain__in_an_address__is_refused(server: Server) -> None:
    answer = server.get(user_id="v", url=URL, explain="true")
    assert answer.error == (400, "invalid_request")
    assert answer.json["message"] == "explain: is not a field of this request"
