"""The published config of a shop, exactly as docs/data-model.md section 1 describes it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from abtest.domain.assignment.allocation import Range, ranges
from abtest.domain.assignment.hash import fold, seed
from abtest.domain.delivery.mutations import normalised
from abtest.domain.experiments.model import Experiment, Goal, Variation
from abtest.domain.targeting.compilation import compile_goal_pages, compile_pages, compile_url_rules
from abtest.domain.targeting.pages import PageRule
from abtest.domain.targeting.urls import compile_rule

FORMAT = 1

Config = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """What the storefront must know besides experiments."""

    shop_id: str
    environment: str
    currency: str
    events_url: str
    events_signature: str


def compile_config(runtime: Runtime, experiments: Iterable[Experiment], revision: int) -> Config:
    """The config of these experiments; those not running and archived ones are left out. Oldest first, by id."""
    live = [each for each in experiments if each.status == "running" and each.archived_at is None]
    return {
        "shop_id": runtime.shop_id,
        "runtime": {
            "environment": runtime.environment,
            "currency": runtime.currency,
            "events_url": runtime.events_url,
            "events_signature": runtime.events_signature,
        },
        "signals": {},
        "profile": {},
        "delivery": {"format": FORMAT, "revision": revision},
        "experiments": [_experiment(each) for each in sorted(live, key=lambda each: each.id)],
    }


def _experiment(experiment: Experiment) -> Config:
    active = [variation for variation in experiment.variations if variation.archived_at is None]
    cuts = ranges([variation.weight for variation in active], experiment.traffic_allocation)
    redirects = experiment.delivery_type == "redirect"
    page_rules = {page["id"]: page for page in experiment.goal_page_rules}
    return {
        "id": experiment.id,
        "name": experiment.name,
        "type": experiment.delivery_type,
        "epoch": experiment.assignment_epoch,
        "state": fold(seed(experiment.id, experiment.assignment_epoch)),
        "variations": [_variation(*each, redirects) for each in zip(active, cuts, strict=True)],
        "goals": [_goal(goal, page_rules) for goal in experiment.goals if goal.archived_at is None],
    } | _present(
        pages=compile_pages(experiment.targeting),
        css=experiment.experiment_css,
        js=experiment.experiment_js,
        reset_js=experiment.experiment_reset_js,
    )


def _variation(variation: Variation, cut: Range, redirects: bool) -> Config:
    return {"id": variation.id, "name": variation.name, "range": list(cut)} | _present(
        control=variation.is_control,
        mutations=normalised(variation.mutations),
        css=variation.custom_css,
        js=variation.custom_js,
        blocks=[_block(block) for block in variation.url_blocks or ()],
        redirect_url=redirects and variation.redirect_url,
    )


def _block(block: Mapping[str, Any]) -> Config:
    return {"rules": compile_url_rules(block["urlRules"])} | _present(
        mutations=normalised(block["mutations"]), css=block.get("css"), js=block.get("js")
    )


def _goal(goal: Goal, page_rules: Mapping[str, Mapping[str, Any]]) -> Config:
    return {"id": goal.id, "type": goal.type, "once": goal.count_once} | _present(
        event=goal.event_name,
        selector=goal.selector,
        text=goal.text_match,
        url=goal.url_pattern and compile_rule("simple", goal.url_pattern),
        pages=_goal_pages(goal, page_rules),
        capture=[dict(capture) for capture in goal.capture],
    )


def _goal_pages(goal: Goal, page_rules: Mapping[str, Mapping[str, Any]]) -> PageRule | None:
    page = page_rules.get(goal.page_id or "")
    return None if page is None else compile_goal_pages(page)


def _present(**fields: Any) -> Config:
    """Absent means none: null, false, empty text and empty lists are left out."""
    return {name: value for name, value in fields.items() if value}
