"""The assignment function on the template's tables, bucket and secret, for two shops."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoSessions
from abtest.adapters.secrets import SecretRootKeys
from abtest.domain.assignment.handoff import handoff_name, read_handoff
from abtest.kit.clock import SystemClock, timestamp
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit, Put
from abtest.services.context import World
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.shop_records import puts_of
from tests.support.assigning import EVERYBODY, TEXT, Answer, ask, checked, stored_key
from tests.support.handlers import Handler, fresh_handler
from tests.support.invocations import Context, http
from tests.support.moto_stack import AwsStack
from tests.support.published import PublishedShop
from tests.support.storefronts import SHOP_ID, experiment, experiment_id, shop

OTHER_SHOP = "0192a3b4-0000-7000-8000-00000000000b"


class Shops:
    """Two shops with an experiment each, published, and a key of each."""

    def __init__(self, stack: AwsStack) -> None:
        self.stack = stack
        self.published = PublishedShop(stack)
        self.world = World(catalog=self.published.catalog, clock=SystemClock(), random=SystemRandomness())
        self.published.keep(experiment(1, variations=EVERYBODY))
        self.world.catalog.commit(Commit(puts=puts_of(shop(id=OTHER_SHOP))))
        other = replace(experiment(2, variations=EVERYBODY), shop_id=OTHER_SHOP)
        self.world.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(other), expected_version=0)]))
        for shop_id in (SHOP_ID, OTHER_SHOP):
            assert self.published.publication().publish(shop_id).ok
        self.keys = {shop_id: stored_key(self.world, shop_id) for shop_id in (SHOP_ID, OTHER_SHOP)}
        self.handler: Handler = fresh_handler(stack, "EdgeAssign", "edge_assign")

    def post(self, shop_id: str, **asked: Any) -> Answer:
        """A POST with the shop's key."""
        return ask(self.handler, "POST", self.keys[shop_id], {"user_id": "visitor", **asked})

    def sample(self, name: str, key: str) -> Answer:
        """An event from the shelf, with a key."""
        event = http(f"edge_assign__{name}", headers={"authorization": f"Bearer {key}"})
        return checked(self.handler(event, Context()), event["requestContext"]["http"]["method"], event["rawPath"])


@pytest.fixture
def shops(aws_stack: AwsStack) -> Shops:
    return Shops(aws_stack)


def test_function__given_its_sample_events__answers_them(shops: Shops) -> None:
    (told,) = shops.sample("visitor", shops.keys[SHOP_ID]).assignments
    assert (told["experiment_id"], told["mutations"]) == (experiment_id(1), [TEXT])
    assert shops.sample("cart", shops.keys[SHOP_ID]).json["handoff_persisted"] is True
    for name in ("visitor", "cart"):
        assert shops.sample(name, "svc_ts_nonsense").error == (401, "assignment_unauthorized")
    wrong = checked(shops.handler(http("edge_assign__wrong_method"), Context()), "DELETE", "/assign")
    assert wrong.status == 405
    no_key = checked(shops.handler(http("edge_assign__no_key"), Context()), "POST", "/assign")
    assert no_key.error == (401, "assignment_unauthorized")


def test_shops__with_their_own_keys__get_their_own_experiments(shops: Shops) -> None:
    for shop_id, number in ((SHOP_ID, 1), (OTHER_SHOP, 2)):
        assert [each["experiment_id"] for each in shops.post(shop_id).assignments] == [experiment_id(number)]


def test_shop__naming_what_is_another_shops__gets_what_an_unknown_one_gives(shops: Shops) -> None:
    assert shops.post(SHOP_ID, experiment_ids=[experiment_id(2)]).assignments == []
    assert shops.post(SHOP_ID, force={experiment_id(2): 0}, experiment_ids=[experiment_id(2)]).assignments == []
    unknown = "0192a3b4-0000-7000-8000-0000000000ee"
    answers = [shops.post(SHOP_ID, shopId=other) for other in (OTHER_SHOP, unknown)]
    assert [answer.error for answer in answers] == [(401, "assignment_unauthorized")] * 2
    assert answers[0].json == answers[1].json


def test_handoff__of_the_same_cart_in_two_shops__is_stored_apart(shops: Shops) -> None:
    clock = SystemClock()
    for shop_id in (SHOP_ID, OTHER_SHOP):
        told = shops.post(shop_id, cart_id="cart", request_handoff=True).json
        assert (told["handoff_persisted"], told["handoff_stale_risk"]) == (True, False)
    roots = SecretRootKeys(shops.stack.name("SigningSecret"), clock).current()
    sessions = DynamoSessions(shops.stack.name("EphemeralTable"))
    now = datetime.now(UTC)
    for shop_id, number in ((SHOP_ID, 1), (OTHER_SHOP, 2)):
        document = sessions.get(handoff_name(shop_id, "cart"), now=now)
        assert document is not None
        record = read_handoff(roots, document["authorization"], shop_id=shop_id, cart_id="cart", now=timestamp(now))
        assert [stamp.experiment_id for stamp in record.assignments] == [experiment_id(number)]


def test_handoff__when_the_table_is_gone__is_told_and_the_assignment_stands(shops: Shops) -> None:
    assert shops.post(SHOP_ID).status == 200
    shops.stack.clients.dynamodb.delete_table(TableName=shops.stack.name("EphemeralTable"))
    told = shops.post(SHOP_ID, cart_id="cart", request_handoff=True)
    assert len(told.assignments) == 1
    assert told.json["commerce_authorization"] is not None
    assert (told.json["handoff_persisted"], told.json["handoff_stale_risk"]) == (False, True)


def test_shop__never_published__is_not_found(shops: Shops) -> None:
    third = "0192a3b4-0000-7000-8000-00000000000c"
    key = stored_key(shops.world, third)
    assert ask(shops.handler, "GET", key, {"user_id": "v"}).error == (404, "not_found")
    assert ask(shops.handler, "GET", shops.keys[SHOP_ID], {"user_id": "v", "env": "staging"}).error == (
        404,
        "not_found",
    )


def test_requests__that_are_wrong__are_refused_as_documented(shops: Shops) -> None:
    key = shops.keys[SHOP_ID]
    assert ask(shops.handler, "GET", key, {"customer_id": "c"}).error == (400, "customer_id_requires_post")
    assert ask(shops.handler, "GET", key, {}).error == (400, "invalid_request")
    assert ask(shops.handler, "POST", key, "{").error == (400, "invalid_json")
    assert ask(shops.handler, "POST", key, "[]", content_type="text/plain").error == (415, "unsupported_media_type")
    assert ask(shops.handler, "POST", key, " " * (256 * 1024 + 1)).error == (413, "payload_too_large")
    assert ask(shops.handler, "PUT", key, {}).error == (405, "method_not_allowed")
    assert json.dumps(ask(shops.handler, "POST", stored_key(shops.world, kind="shop"), {}).json).count("shop") == 0
