"""Checks of targeting: where expressions stand, and what an older release may have left behind."""

from typing import Any

import pytest

from abtest.domain.targeting.checks import check_surface, check_targeting, expressions_of
from abtest.kit.errors import ValidationFailedError
from tests.support.any_json import any_json


def test_expressions__stand_in_url_rules_conditions_and_comparisons() -> None:
    page = {
        "includeRules": [{"type": "simple", "pattern": "s"}, {"type": "regex", "pattern": "a"}],
        "excludeRules": [{"type": "regex", "pattern": "b"}],
        "advancedCondition": {"$or": [{"x": {"$elemMatch": {"$regexi": "c"}}}, {"$not": {"y": {"$regex": "d"}}}]},
    }
    matches = {"attribute": "city", "operator": "matches", "value": "e"}
    rules = {
        "operator": "or",
        "groups": [{"operator": "and", "conditions": [{**matches, "operator": "equals"}, matches]}],
    }
    targeting = {"pageRules": [{"pageId": "p"}, page], "segmentRules": [{"audienceId": "a"}, {"rules": rules}]}
    assert list(expressions_of(any_json(targeting), "t")) == [
        ("t.pageRules[1].includeRules[1].pattern", "a"),
        ("t.pageRules[1].excludeRules[0].pattern", "b"),
        ("t.pageRules[1].advancedCondition.$or[0].x.$elemMatch.$regexi", "c"),
        ("t.pageRules[1].advancedCondition.$or[1].$not.y.$regex", "d"),
        ("t.segmentRules[1].rules.groups[0].conditions[1].value", "e"),
    ]


@pytest.mark.parametrize("targeting", [None, {}, {"pageRules": None, "segmentRules": None}, {"own": [1]}])
def test_targeting__that_restricts_nothing__is_right(targeting: Any | None) -> None:
    check_targeting(targeting)
    check_surface(targeting)


@pytest.mark.parametrize(
    "left_behind",
    [
        {"segmentRules": [5]},
        {"segmentRules": 5},
        {"segmentRules": [{"rules": {"conditions": [{"attribute": "mood", "operator": "is"}]}}]},
        {"segmentRules": [{"rules": [{"device": "mobile"}]}]},
        {"pageRules": [{"includeRules": [{"pattern": "/a"}]}]},
    ],
)
def test_targeting__of_an_older_form__must_be_stated_anew(left_behind: Any) -> None:
    with pytest.raises(ValidationFailedError) as refusal:
        check_targeting(left_behind)
    assert [found.path for found in refusal.value.fields] == ["targeting"]


def test_checkout_block__anywhere_else__is_refused() -> None:
    check_surface({"surface": "checkout", "checkoutBlock": {"enabled": True}})
    with pytest.raises(ValidationFailedError):
        check_surface({"checkoutBlock": {"enabled": False}})
