"""Messages of DecideQueue: what is written is read, everything else is refused by name of the field."""

from __future__ import annotations

import json
from typing import Any

import pytest

from abtest.services.decisions.messages import (
    IDS_A_MESSAGE,
    DecisionRequest,
    InvalidDecisionMessageError,
    decision_message,
    decision_messages,
    read_decision_message,
)
from tests.support.storefronts import SHOP_ID, experiment_id

ONE, TWO = experiment_id(1), experiment_id(2)


def test_message__of_a_shop__is_read_as_it_was_written() -> None:
    body = decision_message(SHOP_ID, ["guardian", "autostop"])
    assert json.loads(body) == {"shop_id": SHOP_ID, "tasks": ["autostop", "guardian"]}
    assert read_decision_message(body) == DecisionRequest(shop_id=SHOP_ID, tasks=("autostop", "guardian"))


def test_message__with_ids__names_each_once() -> None:
    body = decision_message(SHOP_ID, ["guardian"], [TWO, ONE, TWO])
    assert read_decision_message(body).experiment_ids == (TWO, ONE)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("not a decision", "not JSON"),
        ("", "not JSON"),
        ("[]", "not an object"),
        ("null", "not an object"),
        ('{"shop_id": "x", "shop_id": "y"}', "not JSON"),
        ({"tasks": ["autostop"]}, "shop_id"),
        ({"shop_id": 7, "tasks": ["autostop"]}, "shop_id"),
        ({"shop_id": "a\nb", "tasks": ["autostop"]}, "shop_id"),
        ({"shop_id": SHOP_ID}, "tasks"),
        ({"shop_id": SHOP_ID, "tasks": []}, "tasks"),
        ({"shop_id": SHOP_ID, "tasks": "autostop"}, "tasks"),
        ({"shop_id": SHOP_ID, "tasks": ["autostop", "tea"]}, "tasks"),
        ({"shop_id": SHOP_ID, "tasks": [{}]}, "tasks"),
        ({"shop_id": SHOP_ID, "tasks": ["autostop"], "experiment_ids": None}, "experiment_ids"),
        ({"shop_id": SHOP_ID, "tasks": ["autostop"], "experiment_ids": []}, "experiment_ids"),
        ({"shop_id": SHOP_ID, "tasks": ["autostop"], "experiment_ids": [ONE, 7]}, "experiment_ids"),
        ({"shop_id": SHOP_ID, "tasks": ["autostop"], "experiment_ids": ["\ud800"]}, "experiment_ids"),
        ({"shop_id": SHOP_ID, "tasks": ["autostop"], "experiment_ids": [ONE] * (IDS_A_MESSAGE + 1)}, "experiment_ids"),
        ({"shop_id": SHOP_ID, "tasks": ["autostop"], "limit": 1}, "unknown fields: 'limit'"),
    ],
)
def test_message__of_another_form__is_refused_with_its_problem(body: Any, problem: str) -> None:
    with pytest.raises(InvalidDecisionMessageError, match=problem):
        read_decision_message(body if isinstance(body, str) else json.dumps(body))


def test_writer__refuses_what_a_reader_would() -> None:
    with pytest.raises(InvalidDecisionMessageError, match="shop_id"):
        decision_message("", ["autostop"])
    with pytest.raises(InvalidDecisionMessageError, match="tasks"):
        decision_message(SHOP_ID, [])


def test_messages__of_many_ids__are_parts_in_the_group_of_their_shop() -> None:
    ids = [experiment_id(number) for number in range(2 * IDS_A_MESSAGE + 1)]
    messages = list(decision_messages(SHOP_ID, ["autostop"], ids))
    read = [read_decision_message(message.body).experiment_ids or () for message in messages]
    assert [len(part) for part in read] == [IDS_A_MESSAGE, IDS_A_MESSAGE, 1]
    assert [each for part in read for each in part] == ids
    assert {message.group for message in messages} == {SHOP_ID}
    assert list(decision_messages(SHOP_ID, ["autostop"], [])) == []
