"""Lessons of the store profile, from experiments whose events came the whole way."""

from __future__ import annotations

from typing import Any

from abtest.domain.profiles.model import LearningRun
from abtest.services.profiles.experience import Experience
from abtest.services.results import Results, RollupReader
from tests.integration.api_analytics.conftest import Lab
from tests.integration.api_analytics.looking import shoppers

PRODUCT_PAGE = {
    "pageRules": [
        {
            "id": "0199d5a0-0000-7000-8000-000000000001",
            "name": "The lamp",
            "includeRules": [{"type": "simple", "pattern": "https://shop.example/products/lamp"}],
            "excludeRules": [],
        }
    ]
}
TEXT = {"selector": "h1", "action": "text", "text": "A lamp that lasts"}


def learned(lab: Lab) -> LearningRun:
    """Return the experience of the shop, as a profile run reads it."""
    world = lab.api.world
    results = Results(world, RollupReader(lab.store), lab.looks)
    return Experience(world=world, results=results).of(lab.tenant.shop)


def completed(lab: Lab, experiment: dict[str, Any], **fields: Any) -> None:
    """Complete an experiment as its team does."""
    lab.api.clock.advance(minutes=1)
    answer = lab.client.post(f"/experiments/{experiment['id']}/complete", fields)
    assert answer.status == 200, answer.body


def arms(*mutations: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a control, and a treatment with these changes."""
    control = {"name": "Control", "weight": 0.5, "is_control": True}
    return [control, {"name": "Lasting", "weight": 0.5, "is_control": False, "mutations": list(mutations)}]


def test_lesson__of_a_winner__has_its_lift_with_the_interval_and_what_the_team_learned(lab: Lab) -> None:
    experiment = lab.launched(variations=arms(TEXT), targeting=PRODUCT_PAGE)
    shoppers(lab, experiment, buying=(40, 90))
    shown = lab.results(experiment, engine="sequential")["goals"][0]["rows"][1]
    winner = experiment["variations"][1]["id"]
    completed(lab, experiment, outcome="won", winning_variation_id=winner, learning="Shoppers look for durability.")
    (lesson,) = learned(lab).lessons
    assert (lesson.name, lesson.outcome, lesson.learning) == ("Headline", "won", "Shoppers look for durability.")
    assert (lesson.page_kind, lesson.changes, lesson.goal, lesson.variation) == ("product", ("text",), "Buy", "Lasting")
    assert lesson.lift == shown["lift"] == 1.25
    assert (lesson.lift_lower, lesson.lift_upper) == (shown["ci"]["lower"], shown["ci"]["upper"])


def test_lessons__are_those_of_completed_experiments_by_page_and_change(lab: Lab) -> None:
    for outcome in ("won", "lost", "inconclusive"):
        completed(lab, lab.launched(name=outcome, variations=arms(TEXT), targeting=PRODUCT_PAGE), outcome=outcome)
    completed(lab, lab.launched(name="Same", counting_type="aa_test"))
    lab.launched(name="Running")
    run = learned(lab)
    assert [(lesson.name, lesson.lift, lesson.goal) for lesson in run.lessons] == [
        ("inconclusive", None, "Buy"),
        ("lost", None, "Buy"),
        ("won", None, "Buy"),
    ]
    (by_page,), (by_change,) = run.by_page_kind, run.by_change
    assert (by_page.name, by_change.name, run.more) == ("product", "text", 0)
    assert (by_page.experiments, by_page.won, by_page.lost, by_page.inconclusive) == (3, 1, 1, 1)


def test_lessons__of_another_shop__are_not_read(lab: Lab) -> None:
    completed(lab, lab.launched(variations=arms(TEXT)), outcome="won")
    world = lab.api.world
    results = Results(world, RollupReader(lab.store), lab.looks)
    other = lab.api.tenant("Other", domain="other.example").shop
    assert Experience(world=world, results=results).of(other).lessons == ()
