"""Targeting on the wire: what each part may be, and under which path it is refused."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from abtest.contract.advanced_conditions import MAX_CONDITION_BYTES, OPERATORS, AdvancedCondition
from abtest.contract.audience_rules import AudienceRules
from abtest.contract.page_rules import PageRules
from abtest.contract.targeting import ExperimentTargeting, Targeting
from abtest.contract.triggers import Trigger
from abtest.domain.targeting.conditions import holds

Json = dict[str, Any]
ID = "0192e4a0-0000-7000-8000-000000000000"
COMPARISON = {"attribute": "device", "operator": "exists"}
CONDITION = TypeAdapter(AdvancedCondition)
AUDIENCE = TypeAdapter(AudienceRules)


def paths(kind: Any, value: Any) -> list[str]:
    """Where the value is refused; nowhere when it is taken."""
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        return sorted({".".join(map(str, problem["loc"])) for problem in error.errors()})
    return []


def page(**fields: Any) -> Json:
    return {"id": ID, "includeRules": [], "excludeRules": [], **fields}


def test_targeting__with_fields_of_its_own__keeps_them() -> None:
    said = {"pageRules": [page(note=1), {"id": ID, "pageId": ID.upper(), "x": 2}], "own": {"a": [1]}}
    kept = Targeting.model_validate(said).provided()
    assert kept == {**said, "pageRules": [page(note=1), {"id": ID, "pageId": ID, "x": 2}]}


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"pageMatchMode": "none"}, "pageMatchMode"),
        ({"segmentMatchMode": None}, "segmentMatchMode"),
        ({"pageRules": [{"id": ID}]}, "pageRules.0.includeRules"),
        ({"pageRules": [{"pageId": ID}]}, "pageRules.0.id"),
        ({"pageRules": [{"id": ID, "pageId": "x"}]}, "pageRules.0.pageId"),
        ({"pageRules": [{"id": ID, "pageId": ID, "includeRules": []}]}, "pageRules.0.includeRules"),
        ({"pageRules": [{"id": ID, "pageId": ID, "trigger": {"type": "immediate"}}]}, "pageRules.0.trigger"),
        ({"pageRules": [page(advancedCondition=[])]}, "pageRules.0.advancedCondition"),
        ({"pageRules": [page(advancedCondition={"a": {"$foo": 1}})]}, "pageRules.0.advancedCondition.a.$foo"),
        ({"pageRules": [page(trigger={"type": "scroll"})]}, "pageRules.0.trigger.type"),
        ({"segmentRules": [{"id": ID}]}, "segmentRules.0.rules"),
        ({"segmentRules": [{"id": ID, "audienceId": ID, "rules": {}}]}, "segmentRules.0.rules.operator"),
        ({"segmentRules": [{"id": ID, "audienceId": None}]}, "segmentRules.0.audienceId"),
        ({"segmentRules": [{"id": ID, "rules": {"operator": "and"}}]}, "segmentRules.0.rules"),
        ({"segmentRules": {}}, "segmentRules"),
        ({"surface": "cart"}, "surface"),
        ({"identity": "visitor"}, "identity"),
        ({"checkoutBlock": {}}, "checkoutBlock.enabled"),
        ({"checkoutBlock": {"enabled": True, "x": 1}}, "checkoutBlock.x"),
    ],
)
def test_targeting__with_one_thing_wrong__is_refused_there(wrong: Json, path: str) -> None:
    assert path in paths(ExperimentTargeting, wrong)


def test_targeting__audience_by_reference_and_by_rules__is_refused() -> None:
    rules = {"operator": "and", "conditions": [COMPARISON]}
    assert paths(Targeting, {"segmentRules": [{"id": ID, "audienceId": ID, "rules": rules}]}) == [
        "segmentRules.0.rules"
    ]


@pytest.mark.parametrize("field", ["pageRules", "segmentRules"])
def test_targeting__rules__are_50_at_most(field: str) -> None:
    rule = page() if field == "pageRules" else {"id": ID, "audienceId": ID}
    assert paths(Targeting, {field: [rule] * 50}) == []
    assert paths(Targeting, {field: [rule] * 51}) == [field]


@pytest.mark.parametrize("name", ["includeRules", "excludeRules"])
def test_page__url_rules__are_50_at_most_of_500_characters(name: str) -> None:
    def of(count: int, length: int) -> Json:
        return page(**{name: [{"type": "simple", "pattern": "a" * length}] * count})

    assert paths(PageRules, of(50, 500)) == paths(PageRules, of(49, 1)) == []
    assert paths(PageRules, of(51, 1)) == [name]
    assert paths(PageRules, of(1, 501)) == paths(PageRules, of(1, 0)) == [f"{name}.0.pattern"]


@pytest.mark.parametrize(
    "trigger",
    [
        {},
        {"type": "immediate"},
        {"type": "dom_ready"},
        {"type": "element", "selector": "a" * 500},
        {"type": "event", "eventName": "a" * 255},
        {"type": "delay", "ms": 0},
        {"type": "delay", "ms": 60_000},
    ],
)
def test_trigger__of_each_kind__is_taken(trigger: Json) -> None:
    assert Trigger.model_validate(trigger).provided() == trigger


@pytest.mark.parametrize(
    ("trigger", "path"),
    [
        ({"type": "click"}, "type"),
        ({"type": "element"}, "selector"),
        ({"type": "element", "selector": ""}, "selector"),
        ({"type": "element", "selector": "a" * 501}, "selector"),
        ({"type": "event"}, "eventName"),
        ({"type": "event", "eventName": "a" * 256}, "eventName"),
        ({"type": "delay"}, "ms"),
        ({"type": "delay", "ms": -1}, "ms"),
        ({"type": "delay", "ms": 60_001}, "ms"),
        ({"type": "delay", "ms": 1.5}, "ms"),
        ({"type": "delay", "ms": True}, "ms"),
        ({"type": "dom_ready", "ms": 5}, ""),
        ({"type": "event", "eventName": "a", "selector": "b"}, ""),
        ({"type": "immediate", "x": 1}, "x"),
    ],
)
def test_trigger__wrong__is_refused_there(trigger: Json, path: str) -> None:
    assert paths(Trigger, trigger) == [path]


HOLDS: dict[str, tuple[Json, Json]] = {
    "$and": ({"$and": [{"a": 1}, {"b": 2}]}, {"a": 1, "b": 2}),
    "$or": ({"$or": [{"a": 2}, {"a": 1}]}, {"a": 1}),
    "$nor": ({"$nor": [{"a": 2}]}, {"a": 1}),
    "$not": ({"$not": {"a": {"$not": {"$eq": 1}}}}, {"a": 1}),
    "$eq": ({"a": {"$eq": {"b": [1]}}}, {"a": {"b": [1]}}),
    "$ne": ({"a": {"$ne": 2}}, {"a": 1}),
    "$lt": ({"a": {"$lt": 2}}, {"a": 1}),
    "$lte": ({"a": {"$lte": 1}}, {"a": 1}),
    "$gt": ({"a": {"$gt": "a"}}, {"a": "b"}),
    "$gte": ({"a": {"$gte": 1.5}}, {"a": 1.5}),
    "$veq": ({"a": {"$veq": "1.2.0"}}, {"a": "1.2.0"}),
    "$vne": ({"a": {"$vne": "1.2.0"}}, {"a": "1.2.1"}),
    "$vlt": ({"a": {"$vlt": "1.10.0"}}, {"a": "1.9.0"}),
    "$vlte": ({"a": {"$vlte": "1.10.0"}}, {"a": "1.10.0"}),
    "$vgt": ({"a": {"$vgt": "1.9.0"}}, {"a": "1.10.0"}),
    "$vgte": ({"a": {"$vgte": "1.9.0"}}, {"a": "1.9.0"}),
    "$in": ({"a": {"$in": [1, "x"]}}, {"a": "x"}),
    "$nin": ({"a": {"$nin": []}}, {"a": 1}),
    "$ini": ({"a": {"$ini": ["X"]}}, {"a": "x"}),
    "$nini": ({"a": {"$nini": ["X"]}}, {"a": "y"}),
    "$all": ({"a": {"$all": [1, {"$gt": 1}]}}, {"a": [1, 2]}),
    "$alli": ({"a": {"$alli": ["X"]}}, {"a": ["x"]}),
    "$elemMatch": ({"a": {"$elemMatch": {"b": {"$gt": 1}}}}, {"a": [{"b": 2}]}),
    "$size": ({"a": {"$size": {"$gte": 2}}}, {"a": [1, 2]}),
    "$type": ({"a": {"$type": "string"}}, {"a": "x"}),
    "$exists": ({"a.b": {"$exists": True}}, {"a": {"b": 0}}),
    "$regex": ({"a": {"$regex": "^x"}}, {"a": "xy"}),
    "$regexi": ({"a": {"$regexi": "^X"}}, {"a": "xy"}),
    "$inGroup": ({"$not": {"a": {"$inGroup": "g"}}}, {"a": 1}),
    "$notInGroup": ({"a": {"$notInGroup": "g"}}, {"a": 1}),
}


@pytest.mark.parametrize("operator", sorted(OPERATORS))
def test_condition__of_each_operator__is_taken_and_known_to_the_evaluator(operator: str) -> None:
    condition, attributes = HOLDS[operator]
    assert CONDITION.validate_python(condition) == condition
    assert holds(condition, attributes)


@pytest.mark.parametrize(
    "condition",
    [{}, {"a": None}, {"a": {"b": {"c": []}}}, {"a": {}}, {"a": {"$size": 0}}, {"a": {"$elemMatch": {"$eq": 1}}}],
)
def test_condition__of_literals_and_tests__is_taken(condition: Json) -> None:
    assert paths(AdvancedCondition, condition) == []


@pytest.mark.parametrize(
    ("condition", "path"),
    [
        ({"$where": "1"}, "$where"),
        ({"$eq": 1}, "$eq"),
        ({"$and": []}, "$and"),
        ({"$and": {}}, "$and"),
        ({"$or": [1]}, "$or.0"),
        ({"$or": [{"a": 1}, {"$nor": [{"b": {"$x": 1}}]}]}, "$or.1.$nor.0.b.$x"),
        ({"$not": []}, "$not"),
        ({"a": {"$and": [{"b": 1}]}}, "a.$and"),
        ({"a": {"$gt": 1, "b": 2}}, "a.b"),
        ({"a": {"$gt": None}}, "a.$gt"),
        ({"a": {"$lt": True}}, "a.$lt"),
        ({"a": {"$vgt": 1}}, "a.$vgt"),
        ({"a": {"$in": "x"}}, "a.$in"),
        ({"a": {"$all": []}}, "a.$all"),
        ({"a": {"$all": [{"$x": 1}]}}, "a.$all.0.$x"),
        ({"a": {"$elemMatch": 1}}, "a.$elemMatch"),
        ({"a": {"$elemMatch": {"b": {"$x": 1}}}}, "a.$elemMatch.b.$x"),
        ({"a": {"$elemMatch": {"$x": 1}}}, "a.$elemMatch.$x"),
        ({"a": {"$size": "1"}}, "a.$size"),
        ({"a": {"$size": {"$x": 1}}}, "a.$size.$x"),
        ({"a": {"$type": 1}}, "a.$type"),
        ({"a": {"$exists": 1}}, "a.$exists"),
        ({"a": {"$regex": 1}}, "a.$regex"),
        ({"a": {"$regex": ""}}, "a.$regex"),
        ({"a": {"$regexi": "a" * 501}}, "a.$regexi"),
        ({"a": {"$not": {"$x": 1}}}, "a.$not.$x"),
        ({"a": {"$inGroup": []}}, "a.$inGroup"),
    ],
)
def test_condition__wrong__is_refused_there(condition: Json, path: str) -> None:
    assert paths(AdvancedCondition, condition) == [path]


def nested(depth: int) -> Json:
    """A condition of so many objects and lists inside each other."""
    found: Any = 1
    for _ in range(depth):
        found = {"a": found}
    return dict(found)


def test_condition__nested__is_10_deep_at_most() -> None:
    assert paths(AdvancedCondition, nested(9)) == paths(AdvancedCondition, nested(10)) == []
    assert paths(AdvancedCondition, nested(11)) == [""]


def test_condition__size__is_limited() -> None:
    frame = len('{"a":""}')
    assert paths(AdvancedCondition, {"a": "x" * (MAX_CONDITION_BYTES - frame)}) == []
    assert paths(AdvancedCondition, {"a": "x" * (MAX_CONDITION_BYTES - frame + 1)}) == [""]


def grouped(depth: int, conditions: int = 1) -> Json:
    rules: Json = {"operator": "and", "conditions": [COMPARISON] * conditions}
    for _ in range(depth - 1):
        rules = {"operator": "or", "groups": [rules]}
    return rules


def test_audience__groups__are_5_deep_at_most() -> None:
    assert paths(AudienceRules, grouped(4)) == paths(AudienceRules, grouped(5)) == []
    assert paths(AudienceRules, grouped(6)) == ["groups.0.groups.0.groups.0.groups.0.groups.0"]
    assert paths(AudienceRules, grouped(400)) == ["groups.0.groups.0.groups.0.groups.0.groups.0"]


def test_audience__conditions__are_1_to_50_and_200_in_all() -> None:
    assert paths(AudienceRules, grouped(1, 50)) == []
    assert paths(AudienceRules, grouped(1, 51)) == paths(AudienceRules, grouped(1, 0)) == ["conditions"]
    four = {"operator": "or", "groups": [grouped(1, 50)] * 4}
    assert paths(AudienceRules, four) == []
    assert paths(AudienceRules, {**four, "conditions": [COMPARISON]}) == [""]


def test_audience__groups__are_1_to_20() -> None:
    assert paths(AudienceRules, {"operator": "or", "groups": [grouped(1)] * 20}) == []
    assert paths(AudienceRules, {"operator": "or", "groups": [grouped(1)] * 21}) == ["groups"]
    assert paths(AudienceRules, {"operator": "or", "groups": []}) == ["groups"]
    assert paths(AudienceRules, {"operator": "or", "groups": [{"operator": "and"}]}) == ["groups.0"]


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"attribute": "shoe_size"}, "attribute"),
        ({"operator": "like"}, "operator"),
        ({"operator": "in", "value": []}, "value"),
        ({"operator": "in", "value": ["x"] * 101}, "value"),
        ({"operator": "equals", "value": "x" * 501}, "value"),
        ({"operator": "equals", "value": None}, "value"),
        ({"operator": "equals", "value": {"a": 1}}, "value"),
        ({"key": ""}, "key"),
        ({"key": "x" * 201}, "key"),
        ({"timezone": ""}, "timezone"),
        ({"timezone": "x" * 65}, "timezone"),
        ({"x": 1}, "x"),
    ],
)
def test_comparison__with_one_thing_wrong__is_refused_there(changed: Json, path: str) -> None:
    found = paths(AudienceRules, {"operator": "and", "conditions": [{**COMPARISON, **changed}]})
    assert found
    assert all(at.startswith(f"conditions.0.{path}") for at in found)


@pytest.mark.parametrize(
    "changed",
    [
        {"operator": "in", "value": ["x"] * 100},
        {"operator": "equals", "value": "x" * 500},
        {"key": "x" * 200},
        {"timezone": "x" * 64},
    ],
)
def test_comparison__on_a_limit__is_taken(changed: Json) -> None:
    assert paths(AudienceRules, {"operator": "and", "conditions": [{**COMPARISON, **changed}]}) == []
