"""A published shop: `POST /assign` tells a server what the storefront's own code decides on the same config."""

import json
from base64 import b64decode
from collections.abc import Iterator
from random import Random
from typing import Any

from abtest.domain.exclusion_groups.model import Member
from abtest.edge.publications import Publications
from abtest.kit.clock import to_milliseconds
from tests.support.assigning import Server
from tests.support.delivered import PHONES, group, item_id, keep, keep_document, page_document
from tests.support.explained import steps
from tests.support.storefronts import SHOP_ID, experiment, experiment_id, variation
from tools.golden.answers import in_node

PAGE, AUDIENCE = item_id(60), item_id(61)
ON_CART = {"pageRules": [{"id": "r", "pageId": PAGE}]}
ON_PHONES = {"segmentRules": [{"id": "s", "audienceId": AUDIENCE}]}
ADDRESSES = ["https://shop.example/", "https://shop.example/cart?x=1", "https://shop.example/CART/"]
ASKED = 40

Document = dict[str, Any]


def shop() -> Server:
    """Experiments with everything that keeps visitors out, two of them in a group."""
    server = Server()
    catalog = server.storefront.catalog
    keep_document(catalog, "PAGE", PAGE, page_document("/cart"))
    keep_document(catalog, "AUD", AUDIENCE, {"name": "Phones", "rules": PHONES})
    members = [
        Member(experiment_id=experiment_id(number), share=0.4, ranges=(((number - 1) * 4000, number * 4000),))
        for number in (1, 2)
    ]
    keep(catalog, group(*members))
    uneven = (variation(0, weight=0.2), variation(1, weight=0.5), variation(2, weight=0.3))
    return server.publish(
        experiment(1),
        experiment(2, variations=uneven, targeting=ON_CART),
        experiment(3, targeting={**ON_CART, **ON_PHONES}),
        experiment(4, targeting={"identity": "customer"}, traffic_allocation=0.6),
        experiment(5, targeting={"surface": "checkout"}, assignment_epoch=3),
        experiment(6, variations=uneven, weekday_schedule={"excludedDays": ["monday"], "timezone": "Europe/Berlin"}),
        experiment(7, weekday_schedule={"excludedDays": ["thursday"], "timezone": "Europe/Berlin"}),
    )


def visitors(random: Random) -> Iterator[Document]:
    """Requests as servers make them."""
    for number in range(ASKED):
        asked: Document = {"user_id": f"visitor {number} é😀", "url": random.choice(ADDRESSES)}
        asked["attributes"] = {"device": random.choice(["mobile", "desktop"])}
        if number % 3 == 0:
            asked["customer_id"] = f"customer {number}"
        if number % 4 == 0:
            asked["surface"] = "checkout"
        if number % 5 == 0:
            asked["sticky"] = {experiment_id(1): variation(1).id, f"{experiment_id(5)}:3": variation(0).id}
        if number % 8 == 0:
            asked["force"] = {experiment_id(2): random.choice(["1", variation(2).id, "9"])}
        yield asked


def config_of(server: Server) -> Document:
    """What `/api/exp` serves."""
    publications = Publications(server.storefront.blobs, server.storefront.clock)
    body, _ = publications.read("config", SHOP_ID, "production", "identity")
    found: Document = json.loads(b64decode(body.base64))
    return found


def line(config: Document, asked: Document, now: float) -> str:
    """The same question to the storefront's code."""
    visitor = {"id": asked["user_id"], **asked}
    inputs = {"config": config, "visitor": visitor, "url": asked["url"], "now": now, "force": asked.get("force", {})}
    return json.dumps({"id": 0, "inputs": inputs})


def test_assign_route__of_a_published_shop__tells_what_the_storefront_decides() -> None:
    server = shop()
    config, now = config_of(server), to_milliseconds(server.storefront.clock.now())
    asked = list(visitors(Random(1)))
    told = [server.post(**each).assignments for each in asked]
    decided = in_node("decide", [line(config, each, now) for each in asked])
    ours = [[_said(each) for each in answer if not each.get("attributable_only")] for answer in told]
    theirs = [[_said(each) for each in answer["result"]["assignments"] if each["active"]] for answer in decided]
    assert ours == theirs
    seen = {each["experiment_id"] for answer in told for each in answer}
    assert seen == {experiment_id(number) for number in range(1, 7)}


def test_assign_route__with_explain__explains_what_the_storefront_explains() -> None:
    server = shop()
    config, now = config_of(server), to_milliseconds(server.storefront.clock.now())
    requests = list(visitors(Random(2)))
    explained = [server.post(**each, explain=True).json["explanations"] for each in requests]
    answers = in_node("explain", [line(config, each, now) for each in requests])
    assert explained == [each["result"] for each in answers]
    seen = set[str]().union(*map(steps, explained))
    assert seen >= {"forced", "sticky", "exclusion_group", "traffic", "surface", "weekday", "audience", "page_rule"}


def _said(assignment: Document) -> Document:
    names = ("experiment_id", "variation_id", "variation_index", "assignment_epoch", "is_control")
    return {name: assignment[name] for name in names}
