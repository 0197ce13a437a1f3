"""What assignments deliver at an address: blocks, styles, scripts, redirects, and those that only attribute goals."""

from typing import Any

import pytest

from abtest.domain.assignment.decision import Assignment
from abtest.domain.targeting.compilation import compile_url_rules
from abtest.domain.targeting.urls import compile_rule
from abtest.services.assignment_content import contents_of, server_assignments

HERE = "https://shop.example/p?utm_source=x"
TEXT = {"action": "text", "selector": "h1", "text": "New"}
OTHER = {"action": "remove", "selector": "h2"}


def rules(pattern: str) -> Any:
    return compile_url_rules([{"type": "simple", "pattern": pattern}])


def told(
    variation: Any | None = None,
    *,
    url: str | None = HERE,
    active: bool = True,
    goals: Any = (),
    **experiment: Any,
) -> list[Any]:
    """The assignments of a visitor who is in the only variation of the only experiment."""
    config: Any = {
        "experiments": [
            {
                "id": "e",
                "name": "Experiment",
                "type": "mutation",
                "epoch": 3,
                "variations": [{"id": "v", "name": "Treatment", "range": [0, 10000]} | (variation or {})],
                "goals": list(goals),
            }
            | experiment
        ]
    }
    found = config["experiments"][0]
    decided = Assignment(experiment=found, variation=found["variations"][0], index=0, seed="e:3", active=active)
    return server_assignments(contents_of(config), [decided], url)


def content(variation: Any, **given: Any) -> Any:
    """What is delivered of the variation."""
    (found,) = told(variation, **given)
    return {name: found[name] for name in ("mutations", "redirect_url", "css", "js")}


def test_assignment__that_is_shown__has_every_field_of_the_contract() -> None:
    assert told({"mutations": [TEXT]}) == [
        {
            "experiment_id": "e",
            "experiment_name": "Experiment",
            "experiment_type": "mutation",
            "variation_id": "v",
            "variation_name": "Treatment",
            "variation_index": 0,
            "assignment_epoch": 3,
            "is_control": False,
            "archived_at": None,
            "archived_by": None,
            "mutations": [TEXT],
            "commerce_price_only": False,
            "redirect_url": None,
            "css": None,
            "js": None,
        }
    ]


BLOCKS = {
    "mutations": [TEXT],
    "css": "flat",
    "blocks": [
        {"rules": rules("/other"), "css": "no"},
        {"rules": rules("/p"), "mutations": [OTHER]},
        {"rules": rules("*"), "css": "later"},
    ],
}


def test_content__with_url_blocks__is_the_first_that_matches_instead_of_the_flat_fields() -> None:
    assert content(BLOCKS) == {"mutations": [OTHER], "redirect_url": None, "css": None, "js": None}
    assert content(BLOCKS, url="https://shop.example/else")["css"] == "later"


def test_content__with_no_block_that_matches_or_no_address__is_flat() -> None:
    only_other = BLOCKS | {"blocks": BLOCKS["blocks"][:1]}
    assert content(only_other)["mutations"] == [TEXT]
    assert content(BLOCKS, url=None) == {"mutations": [TEXT], "redirect_url": None, "css": "flat", "js": None}


def test_content__of_experiment_and_variation__is_joined_in_this_order() -> None:
    assert content({"css": "b{}"}, css="a{}")["css"] == "a{}\nb{}"
    assert content({}, css="a{}")["css"] == "a{}"
    assert content({"js": "own()"})["js"] == "own()"
    both = content({"js": "const a = 2; // end"}, js="const a = 1; return")["js"]
    assert both == "(function(){\nconst a = 1; return\n})();\n(function(){\nconst a = 2; // end\n})();"


def test_redirect__leads_on_with_the_visitors_query_and_what_the_source_page_shows() -> None:
    variation = {"redirect_url": "https://shop.example/new", "css": "c"}
    found = content(variation, type="redirect")
    assert found["redirect_url"] == "https://shop.example/new?utm_source=x"
    assert found["css"] == "c"


def test_redirect__where_the_visitor_is_there_already__delivers_nothing_and_is_no_attribution_alone() -> None:
    (found,) = told({"redirect_url": "https://shop.example/p", "css": "c"}, type="redirect")
    assert (found["redirect_url"], found["css"]) == (None, None)
    assert "attributable_only" not in found


def test_redirect__without_an_address__is_the_destination_as_it_is() -> None:
    assert content({"redirect_url": "https://shop.example/new"}, url=None)["redirect_url"] == "https://shop.example/new"


def test_redirect__of_a_control__is_null() -> None:
    assert content({"redirect_url": "https://shop.example/new", "control": True})["redirect_url"] is None


ANYWHERE = {"id": "g1", "type": "custom", "once": True}
HERE_BY_URL = ANYWHERE | {"url": compile_rule("simple", "/p")}
ELSEWHERE_BY_URL = ANYWHERE | {"url": compile_rule("simple", "/thanks")}
HERE_BY_PAGES = ANYWHERE | {"pages": rules("/p")}
ELSEWHERE_BY_PAGES = HERE_BY_URL | {"pages": rules("/thanks")}


@pytest.mark.parametrize(
    ("goals", "is_told"),
    [
        ([], False),
        ([ANYWHERE], True),
        ([HERE_BY_URL], True),
        ([HERE_BY_PAGES], True),
        ([ELSEWHERE_BY_URL], False),
        ([ELSEWHERE_BY_PAGES], False),
        ([ELSEWHERE_BY_URL, HERE_BY_PAGES], True),
    ],
)
def test_inactive__is_told_where_a_goal_can_count(goals: list[Any], is_told: bool) -> None:
    assert bool(told(goals=goals, active=False)) is is_told
    assert told(goals=goals)


@pytest.mark.parametrize(("goal", "is_told"), [(ANYWHERE, True), (HERE_BY_URL, False), (HERE_BY_PAGES, False)])
def test_inactive__without_an_address__is_told_for_goals_that_count_everywhere(goal: Any, is_told: bool) -> None:
    assert bool(told(goals=[goal], active=False, url=None)) is is_told


def test_inactive__carries_nothing_of_the_variation() -> None:
    variation = {"mutations": [TEXT], "css": "c", "js": "j", "redirect_url": "https://shop.example/new"}
    (found,) = told(variation, goals=[ANYWHERE], active=False, css="x", js="y")
    assert found["attributable_only"] is True
    assert [found[name] for name in ("mutations", "redirect_url", "css", "js")] == [[], None, None, None]
