"""What is counted for one experiment: the plan that says which rows matter. No counting here.

A plan is made from an experiment, or from a shop's holdout; the reference and every engine turn rows into `Counts` by
it, after the rules of docs/data-model.md, section 4.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypedDict

from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.model import Goal, GoalType
from abtest.domain.goals.shapes import GoalFilter
from abtest.domain.ledger.events import DAY_MS, REVENUE_GOAL_ID, Row
from abtest.domain.settings.shop import Shop
from abtest.domain.targeting.compilation import NO_REFERENCES, References, compile_goal_pages
from abtest.domain.targeting.shapes import CompiledPage, CompiledUrlRule, PageRules
from abtest.domain.targeting.urls import compile_rule
from abtest.kit.clock import parse_milliseconds
from abtest.kit.json_objects import present


class Scope(TypedDict, total=False):
    """`{"url"?: UrlRule, "pages"?: PageRule}` of docs/data-model.md, section 1: all that is there must hold."""

    url: CompiledUrlRule
    pages: CompiledPage


COHORTS = ("holdout", "active")
LOOK_BACK_MS = 14 * DAY_MS
"""How long before their exposure visitors are looked at, to tell what they did then from what came of it."""
FOR_EVER_MS = 100 * 366 * DAY_MS
"""The attribution window of a holdout: its epoch is what ends it."""

_OF_THE_ADDRESS = ("include", "exclude")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalPlan:
    """How one goal is counted. `filter` is the contract's GoalFilter, `scope` where its server-side events count.

    `sums_value`: what is summed is the value of each hit in hundredths (`judging.worth`), not the number of hits.
    `looks_back`: what its visitors did before their exposure is counted as well.
    """

    goal_id: str
    type: GoalType
    event_name: str | None
    count_once: bool
    window_ms: int
    filter: GoalFilter | None
    scope: Scope | None = None
    winsorize_pct: float | None = None
    sums_value: bool = False
    looks_back: bool = False

    @property
    def counts_money(self) -> bool:
        """Whether its sum is money, of orders that count once."""
        return self.type == "revenue"

    @property
    def is_judged(self) -> bool:
        """Whether each hit must be looked at by `judging`: its row's columns alone do not tell what it counts."""
        return self.filter is not None or self.scope is not None or self.sums_value

    @property
    def takes_first_only(self) -> bool:
        """Whether a visitor's further hits change nothing. Sums take every hit."""
        return self.count_once and not self.counts_money and not self.sums_value

    def is_hit(self, row: Row) -> bool:
        """Whether the row is one of the goal's events, filter and scope apart."""
        if row["type"] == "goal":
            return row["goal_id"] == self.goal_id or (self.counts_money and row["goal_id"] == REVENUE_GOAL_ID)
        if row["type"] == "order":
            return self.counts_money
        return row["type"] == "custom" and self.type == "custom" and row["event_name"] == self.event_name


SHOP_REVENUE = GoalPlan(
    goal_id=REVENUE_GOAL_ID, type="revenue", event_name=None, count_once=False, window_ms=FOR_EVER_MS, filter=None
)
"""The orders of a shop, whatever experiments there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingPlan:
    """Which rows count for one experiment in one measurement epoch. Times are Unix milliseconds.

    `exposure`: who is in which variation is told by `experiment_viewed` events, or by the cohort of page views.
    """

    experiment_id: str
    shop_id: str
    assignment_epoch: int
    measurement_epoch: int
    begins_at: int
    currency: str
    variation_ids: tuple[str, ...]
    goals: tuple[GoalPlan, ...]
    exposure: Literal["experiment", "cohort"] = "experiment"

    @property
    def has_sessions(self) -> bool:
        """Whether something is delivered, so that it is told how that went."""
        return self.exposure == "experiment"

    @property
    def looks_back(self) -> bool:
        """Whether any of its goals does."""
        return any(goal.looks_back for goal in self.goals)

    @property
    def since(self) -> int:
        """From when on rows matter: hits before an exposure may be from before the beginning (Unix ms)."""
        return max(0, self.begins_at - LOOK_BACK_MS) if self.looks_back else self.begins_at


def plan_counting(experiment: Experiment, currency: str, references: References = NO_REFERENCES) -> CountingPlan | None:
    """The plan of an experiment, or None when its measurement never began. `references`: the shop's pages."""
    if experiment.measurement_started_at is None:
        return None
    pages = {page["id"]: page for page in experiment.goal_page_rules}
    looks_back = _begins_with_its_assignment(experiment)
    return CountingPlan(
        experiment_id=experiment.id,
        shop_id=experiment.shop_id,
        assignment_epoch=experiment.assignment_epoch,
        measurement_epoch=experiment.measurement_epoch,
        begins_at=parse_milliseconds(experiment.measurement_started_at),
        currency=currency,
        variation_ids=tuple(variation.id for variation in experiment.variations),
        goals=tuple(
            replace(found, looks_back=looks_back and _compares_means(goal, found))
            for goal in experiment.goals
            for found in [_goal_plan(goal, pages, references)]
        ),
    )


def plan_holdout(shop: Shop) -> CountingPlan | None:
    """The plan of the shop's holdout, counted like an experiment whose id is the shop's; None without a holdout."""
    if not shop.holdout_v1_enabled:
        return None
    return CountingPlan(
        experiment_id=shop.id,
        shop_id=shop.id,
        assignment_epoch=shop.holdout_config_epoch,
        measurement_epoch=shop.holdout_config_epoch,
        begins_at=shop.holdout_config_epoch,
        currency=shop.currency,
        variation_ids=COHORTS,
        goals=(SHOP_REVENUE,),
        exposure="cohort",
    )


def _begins_with_its_assignment(experiment: Experiment) -> bool:
    """Whether nobody was treated before in the way in which they are now.

    Restarts open a measurement and assign everybody anew. Other measurements have visitors whom the same variation was
    shown to before: what they did then came of it already, and to take it off would take off the difference.
    """
    return experiment.measurement_epoch == experiment.assignment_epoch


def _compares_means(goal: Goal, plan: GoalPlan) -> bool:
    return (goal.type == "revenue" or goal.aggregation != "conversion") and not plan.takes_first_only


def _goal_plan(goal: Goal, pages: Mapping[str, PageRules], references: References) -> GoalPlan:
    return GoalPlan(
        goal_id=goal.id,
        type=goal.type,
        event_name=goal.event_name,
        count_once=goal.count_once,
        window_ms=goal.attribution_window_days * DAY_MS,
        filter=goal.filter,
        scope=_scope(goal, pages, references),
        winsorize_pct=goal.winsorize_pct,
        sums_value=goal.type != "revenue" and goal.aggregation in ("sum", "mean"),
    )


def _scope(goal: Goal, pages: Mapping[str, PageRules], references: References) -> Scope | None:
    """Where events count that browsers did not judge themselves; they judge those of clicks and page views."""
    if goal.type not in ("custom", "revenue"):
        return None
    page = pages.get(goal.page_id or "")
    compiled = None if page is None else compile_goal_pages(page, references)
    # Conditions and triggers ask for what was known on the page only: of a row nothing but the address is left.
    addresses: CompiledPage = present(
        **{name: rules for name, rules in (compiled or {}).items() if name in _OF_THE_ADDRESS}
    )
    scope: Scope = present(url=compile_rule("simple", goal.url_pattern) if goal.url_pattern else None, pages=addresses)
    return scope or None
