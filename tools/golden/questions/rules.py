"""Random rules of a config: pages, audiences, dark days, as the compiler writes them."""

from random import Random
from typing import Any

from abtest.domain.targeting.urls import compile_rule
from tools.golden.questions.addresses import expression, simple_pattern
from tools.golden.questions.conditions import condition
from tools.golden.questions.moments import UNKNOWN_ZONES, ZONES
from tools.golden.questions.values import value

Document = dict[str, Any]

TRIGGERS = ["dom_ready", "element:.hero", "event:wish", "delay:500"]
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_NOWHERE = {"include": [{"re": "[]"}]}


def pages(random: Random, addresses: list[str]) -> Document:
    """Pages that hold on some of the addresses."""
    inside = [page_rule(random, addresses) for _ in range(random.choice([0, 1, 1, 1, 2, 3]))]
    outside = [page_rule(random, addresses) for _ in range(random.choice([0, 0, 0, 1]))]
    return {"mode": random.choice(["any", "any", "all"]), "in": inside, "out": outside}


def page_rule(random: Random, addresses: list[str]) -> Document:
    """One page rule."""
    if random.random() < 0.03:
        return _NOWHERE
    rule: Document = {
        "include": [url_rule(random, addresses) for _ in range(random.choice([0, 1, 2, 3]))],
        "exclude": [url_rule(random, addresses) for _ in range(random.choice([0, 0, 0, 0, 1]))],
    }
    if random.random() < 0.15:
        rule["when"] = audience_condition(random)
    if random.random() < 0.15:
        rule["trigger"] = random.choice(TRIGGERS)
    return rule


def url_rule(random: Random, addresses: list[str]) -> Document:
    """A compiled rule, about half the time one that is made from an address."""
    if random.random() < 0.2:
        return dict(compile_rule("regex", expression(random)))
    return dict(compile_rule("simple", simple_pattern(random, random.choice(addresses))))


def audience(random: Random) -> Document:
    """An audience."""
    inside = [audience_condition(random) for _ in range(random.choice([0, 1, 1, 2, 3]))]
    outside = [audience_condition(random) for _ in range(random.choice([0, 0, 0, 1]))]
    return {"mode": random.choice(["any", "any", "all"]), "in": inside, "out": outside}


def audience_condition(random: Random) -> Any:
    """A condition as shops write them; at times any condition at all."""
    if random.random() < 0.12:
        return condition(random, {"country": "DE", "visits": 5, "query": {"a": "1"}, "x": value(random)})
    zone, day = random.choice(ZONES), random.choice(DAYS)
    plain: list[Document] = [
        {"country": random.choice(["DE", "FR"])},
        {"country": {"$ini": ["de", "FR"]}},
        {"country": {"$exists": random.random() < 0.5}},
        {"device": {"$in": random.sample(["desktop", "mobile", "tablet"], k=2)}},
        {"device": {"$nin": ["tablet"]}},
        {"visits": {random.choice(["$gte", "$lt", "$eq"]): random.choice([2, 5, "5"])}},
        {"customer.tags": {"$alli": ["Vip"]}},
        {"customer.tags": {random.choice(["$in", "$nin"]): ["vip", 7]}},
        {"customer.tags": {"$size": {"$gt": 1}}},
        {"cart.value": {"$gte": 100}, "cart.currency": "EUR"},
        {"logged_in": random.random() < 0.5},
        {"customer_id": {"$regex": "^customer-[0-4]"}},
        {"id": {"$regex": "[0-7]$"}},
        {"app.version": {random.choice(["$vgte", "$vlt"]): "1.9.0"}},
        {"utm.source": {"$regexi": "mail|^1"}},
        {"query.a": {"$exists": True}},
        {"query.utm_source": random.choice(["1", "foo", ""])},
        {"url": {"$regex": random.choice(["foo", "^https:", r"\?", "example"])}},
        {f"local.{zone}.day": {"$in": [day, *random.sample(DAYS, k=3)]}},
        {f"local.{zone}.hour": {"$gte": random.randrange(24)}},
        {f"local.{zone}.time": {"$lt": f"{random.randrange(24):02}:{random.randrange(60):02}"}},
        {"$not": {"device": "tablet"}},
        {"$or": [{"country": "DE"}, {"visits": {"$gt": 3}}]},
        {"$nor": [{"country": "FR"}, {"logged_in": True}]},
        {"$not": {}},
    ]
    return random.choice(plain)


def dark(random: Random) -> Document:
    """Dark days of a zone, which at times does not exist."""
    zone = random.choice(ZONES) if random.random() < 0.92 else random.choice(UNKNOWN_ZONES)
    return {"days": random.sample(DAYS, k=random.randrange(1, 5)), "zone": zone}
