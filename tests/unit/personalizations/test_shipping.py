"""A winner as a personalization does the same on the same pages for the same people."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
import quickjs

from abtest.domain.assignment.decide import decide, prepare, visitor_of
from abtest.domain.changes.errors import CodeBudgetExceededError, InvalidStateTransitionError
from abtest.domain.delivery.experiments import compile_experiment
from abtest.domain.delivery.rollouts import compile_personalization
from abtest.domain.experiments.model import Experiment
from abtest.domain.personalizations.model import Personalization
from abtest.domain.personalizations.shipping import ShipRequest, carried_goals, joined_scripts, ship
from abtest.domain.targeting.compilation import NO_REFERENCES
from abtest.domain.targeting.pages import matches_page
from abtest.domain.targeting.urls import parse_address
from abtest.kit.errors import ValidationFailedError
from tests.unit.experiments.examples import CONTROL, LATER, TREATMENT, arm, goal, in_status

RULE = "019c0000-0000-7000-8000-0000000000b0"
TUESDAY = 1_772_532_000_000.0
PHONE = {"operator": "and", "conditions": [{"attribute": "device", "operator": "equals", "value": "mobile"}]}


def ids() -> Iterator[str]:
    return (f"019c0000-0000-7000-8000-{number:012}" for number in count(1))


def page(*patterns: str, **fields: Any) -> Any:
    rules = [{"type": "simple", "pattern": pattern} for pattern in patterns]
    return {"id": RULE, "includeRules": rules, "excludeRules": [], **fields}


def block(number: int, rules: list[Any], **fields: Any) -> Any:
    return {"id": str(number), "name": f"Block {number}", "urlRules": rules, "mutations": [], **fields}


def hide(selector: str) -> Any:
    return {"selector": selector, "action": "setStyle", "styles": {"display": "none"}}


def experiment(**fields: Any) -> Experiment:
    """A paused test whose treatment everybody got, with all that a test can have."""
    blocks = (
        block(1, [{"type": "simple", "pattern": "/products/red*"}], css="b{}", mutations=[hide(".red")]),
        block(
            2,
            [{"type": "simple", "pattern": "/products/*"}, {"type": "regex", "pattern": "sold-out", "include": False}],
            js="two()",
        ),
        block(3, [{"type": "simple", "pattern": "/cart", "include": False}], mutations=[hide(".rest")]),
    )
    targeting = {
        "pageMatchMode": "any",
        "pageRules": [page("/products/*", "/cart", "/help"), page("/products/hidden", include=False)],
        "segmentRules": [{"id": RULE, "rules": PHONE}],
        "identity": "customer",
        "note": "kept with the experiment",
    }
    plain = in_status(
        "paused",
        targeting=targeting,
        weekday_schedule={"excludedDays": ["monday"], "timezone": "Europe/Berlin"},
        experiment_css="all{}",
        experiment_js="all()",
        experiment_reset_js="none()",
    )
    plain = arm(arm(plain, 0, weight=0.0), 1, weight=1.0, url_blocks=blocks, custom_js="flat()", public_id="1234567890")
    return replace(plain, **fields)


def shipped(base: Experiment, *, approval_required: bool = False, **wish: Any) -> Personalization:
    made = ids()
    return ship(
        base,
        ShipRequest(**{"variation_id": TREATMENT, **wish}),
        goal_ids={item.id: item.id for item in carried_goals(base)},
        approval_required=approval_required,
        new_id=lambda: next(made),
        now=LATER,
    )


Content = tuple[Any, str | None, str | None, str | None]


def content_in_experiment(base: Experiment, url: str, visitor: Any, now: float) -> Content | None:
    """Mutations, style sheet, script and reset script that the experiment gives there."""
    config = compile_experiment(base, NO_REFERENCES, {})
    decision = decide(prepare({"experiments": [config]}), visitor_of(visitor), url, now)
    if not any(each.active for each in decision.assignments):
        return None
    (variation,) = [each for each in config["variations"] if each["id"] == TREATMENT]
    address = parse_address(url)
    assert address is not None
    shown = next((each for each in variation.get("blocks", ()) if matches_page(each["rules"], address)), variation)
    scripts = joined_scripts(config.get("js"), shown.get("js"))
    sheets = "\n".join(sheet for sheet in (config.get("css"), shown.get("css")) if sheet)
    return shown.get("mutations"), sheets or None, scripts, config.get("reset_js")


def content_in_personalization(made: Personalization, url: str, visitor: Any, now: float) -> Content | None:
    config = compile_personalization(made, NO_REFERENCES)
    decision = decide(prepare({"experiments": [], "personalizations": [config]}), visitor_of(visitor), url, now)
    shown = [each.experience for each in decision.personalizations if each.shown]
    return next(((x.get("mutations"), x.get("css"), x.get("js"), x.get("reset_js")) for x in shown), None)


ADDRESSES = {
    "https://shop.example/products/red-shoe": ("all{}\nb{}", "all()"),
    "https://shop.example/products/blue": ("all{}", "two()"),
    "https://shop.example/products/sold-out": ("all{}", "all()"),
    "https://shop.example/cart": ("all{}\nh1 { color: red }", "flat()"),
    "https://shop.example/help?x=1#y": ("all{}", "all()"),
    "https://shop.example/products/hidden": None,
    "https://shop.example/": None,
}


@pytest.mark.parametrize("url", ADDRESSES)
@pytest.mark.parametrize("device", ["mobile", "desktop"])
@pytest.mark.parametrize("days", [0, 6])
def test_ship__at_every_address__gives_what_the_experiment_gave(url: str, device: str, days: int) -> None:
    base = experiment()
    visitor = {"id": "v1", "attributes": {"device": device}}
    now = TUESDAY + days * 86_400_000
    before = content_in_experiment(replace(base, status="running"), url, visitor, now)
    assert content_in_personalization(shipped(base), url, visitor, now) == before
    expected = ADDRESSES[url] if (device, days) == ("mobile", 0) else None
    assert (before is None) == (expected is None)
    if before and expected:
        assert before[1] == expected[0]
        assert expected[1] in (before[2] or "")


def test_ship__is_active_for_everybody_under_the_usual_names() -> None:
    made = shipped(experiment(public_id="1987654321"))
    assert (made.status, made.rollout_percentage, made.activated_at) == ("active", 1.0, LATER)
    assert made.measurement_started_at == LATER
    assert (made.name, made.key) == ("Headline: B", "ship-1987654321")
    assert made.targeting is not None
    assert set(made.targeting) == {"pageMatchMode", "pageRules", "segmentRules"}
    assert [(rule.experience_key, rule.name) for rule in made.rules] == [
        ("block-1", "Block 1"),
        ("block-2", "Block 2"),
        ("block-3", "Block 3"),
    ]
    named = shipped(experiment(name="n" * 255), name="Mine", key="mine")
    assert (named.name, named.key) == ("Mine", "mine")
    assert len(shipped(experiment(name="n" * 255)).name) == 255


def test_ship__targeting_with_empty_lists__is_stored_as_it_was() -> None:
    targeting: Any = {"pageMatchMode": "all", "pageRules": [], "segmentRules": [], "identity": "customer"}
    made = shipped(experiment(targeting=targeting))
    assert made.targeting == {"pageMatchMode": "all", "pageRules": [], "segmentRules": []}


def test_ship__by_public_id__is_the_same_variation() -> None:
    assert shipped(experiment(), variation_id="1234567890").experiences[0].name == "B"


@pytest.mark.parametrize("status", ["draft", "qa", "running"])
def test_ship__while_not_paused_or_completed__is_refused(status: Any) -> None:
    with pytest.raises(InvalidStateTransitionError) as refusal:
        shipped(in_status(status))
    assert refusal.value.facts["current_status"] == status


def test_ship__of_an_archived_experiment__is_refused() -> None:
    with pytest.raises(InvalidStateTransitionError) as refusal:
        shipped(experiment(archived_at=LATER))
    assert refusal.value.facts["allowed_actions"] == ["unarchive"]


@pytest.mark.parametrize(
    ("base", "wish"),
    [
        (experiment(), "1111111111"),
        (experiment(), CONTROL),
        (arm(experiment(), 1, archived_at=LATER), TREATMENT),
        (arm(experiment(delivery_type="redirect"), 1, redirect_url="https://shop.example/new"), TREATMENT),
        (experiment(targeting={"surface": "checkout"}), TREATMENT),
    ],
)
def test_ship__of_what_is_no_winner__names_the_variation(base: Experiment, wish: str) -> None:
    with pytest.raises(ValidationFailedError) as refusal:
        shipped(base, variation_id=wish)
    assert [field.path for field in refusal.value.fields] == ["variation_id"]


def test_ship__of_a_redirect_test_without_a_destination__changes_pages() -> None:
    assert shipped(experiment(delivery_type="redirect")).experiences[0].custom_js


@pytest.mark.parametrize(("length", "fits"), [(200_000, True), (200_001, False)])
def test_ship__style_sheets_together__stay_within_the_limit_of_a_field(length: int, fits: bool) -> None:
    base = arm(experiment(experiment_css="a" * 100_000), 1, custom_css="b" * (length - 100_001), url_blocks=None)
    if fits:
        assert len(shipped(base).experiences[0].custom_css or "") == length
        return
    with pytest.raises(CodeBudgetExceededError) as refusal:
        shipped(base)
    assert [field.path for field in refusal.value.fields] == ["variation.custom_css"]


def test_ship__code_and_mutations_beyond_the_budget__is_refused() -> None:
    mutations = tuple({"selector": "h1", "action": "text", "text": "x" * 200_000} for _ in range(3))
    with pytest.raises(CodeBudgetExceededError):
        shipped(arm(experiment(), 1, mutations=mutations))


def test_goals__carried_over__are_those_in_use_with_the_primary_first() -> None:
    goals = [goal(id=f"{number:036}", name=str(number)) for number in range(12)]
    goals[0] = replace(goals[0], archived_at=LATER)
    goals[1] = replace(goals[1], page_id=RULE)
    goals[11] = replace(goals[11], is_primary=True, role="primary")
    base = experiment(goals=tuple(goals))
    assert [item.name for item in carried_goals(base)] == ["11", "2", "3", "4", "5", "6", "7", "8", "9", "10"]
    made = shipped(base)
    assert [item.is_primary for item in made.goals] == [True] + [False] * 9
    assert {item.experiment_id for item in made.goals} == {None}


@pytest.mark.parametrize(
    ("scripts", "left"),
    [
        (["const a = 1; log(a); return; log('no')", "const a = 2; log(a)"], [1, 2]),
        (["log(1); throw new Error('x')", "log(2)"], [1, 2]),
        (["log(1) // no end", "log(2) /* done */"], [1, 2]),
        (["'use strict'; log(this === undefined)", "log(this === undefined)"], [True, False]),
        ([None, "log(2)"], [2]),
        (["log(1)", ""], [1]),
        (["log(1)", "log(2)", "log(3)"], [1, 2, 3]),
    ],
)
def test_joined_scripts__run__as_they_ran_apart(scripts: list[str | None], left: list[Any]) -> None:
    found: list[Any] = []
    engine = quickjs.Context()
    engine.add_callable("log", found.append)
    engine.eval(f"try {{ (function(){{{joined_scripts(*scripts)}\n}})() }} catch (error) {{}}")
    assert found == left


def test_joined_scripts__of_nothing__is_nothing() -> None:
    assert joined_scripts(None, "") is None
