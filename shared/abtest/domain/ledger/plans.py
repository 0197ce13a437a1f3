"""Plans that select the rows to count for one experiment. No counting here.

A plan is made from an experiment, or from a shop's holdout; the reference and every engine turn rows into `Counts` with
it, by the rules of docs/data-model.md, section 4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypedDict

from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.model import Goal, GoalType
from abtest.domain.goals.shapes import GoalFilter, Quantity
from abtest.domain.ledger.events import DAY_MS, REVENUE_GOAL_ID
from abtest.domain.ledger.rows import Signal
from abtest.domain.settings.shop import Shop
from abtest.domain.targeting.compilation import NO_REFERENCES, References, compile_goal_pages
from abtest.domain.targeting.shapes import CompiledPage, CompiledUrlRule, PageRules
from abtest.domain.targeting.urls import compile_rule
from abtest.kit.clock import parse_milliseconds
from abtest.kit.json_objects import present


class Scope(TypedDict, total=False):
    """`{"url"?: UrlRule, "pages"?: PageRule}` of docs/data-model.md, section 1: all that are present must hold."""

    url: CompiledUrlRule
    pages: CompiledPage


COHORTS = ("holdout", "active")
# Time before a visitor's exposure whose hits are the covariate of later ones.
LOOK_BACK_MS = 14 * DAY_MS
# The attribution window of a holdout, which ends with its epoch.
FOR_EVER_MS = 100 * 366 * DAY_MS

_OF_RATIOS = frozenset({"hits_of", "adds", "needs_items", "needs_money"})
_OF_THE_ADDRESS = ("include", "exclude")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalPlan:
    """Rules to count one goal. `filter` is the contract's GoalFilter, `scope` the pages of its server-side events.

    `sums_value`: the sum is of each hit's value in hundredths (`hits.worth`), not of hits. `looks_back`: hits of
    visitors before their exposure are counted as well.

    A ratio is three plans, which count the hits of the goal `hits_of` and sum what each hit `adds`: the numerator under
    the goal's own id, the denominator, and both together. `needs_items`: hits without usable line items are left out;
    `needs_money`: orders without money in the plan's currency are.
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
    hits_of: str | None = None
    adds: tuple[Quantity, ...] = ()
    needs_items: bool = False
    needs_money: bool = True

    @property
    def counts_money(self) -> bool:
        """Return whether its hits are orders, which count once; their money is the sum unless `adds` is given."""
        return self.type == "revenue"

    @property
    def lists_money(self) -> bool:
        """Return whether orders whose money is not in the plan's currency are listed; of a ratio once."""
        return self.counts_money and self.needs_money and not self.is_further_part

    @property
    def is_further_part(self) -> bool:
        """Return whether it is the denominator of a ratio, or numerator and denominator together."""
        return self.hits_of is not None and self.hits_of != self.goal_id

    @property
    def event_goal_id(self) -> str:
        """Return the goal id that events of its hits name."""
        return self.hits_of or self.goal_id

    @property
    def takes_minor(self) -> bool:
        """Return whether a hit adds its money, less refunds, or 1 without `adds`."""
        return ("value" in self.adds and self.counts_money) if self.adds else not self.sums_value

    @property
    def takes_worth(self) -> bool:
        """Return whether a hit adds what `hits.worth` reads in its data."""
        return self.sums_value or bool(set(self.adds) - ({"value"} if self.counts_money else set()))

    @property
    def is_judged(self) -> bool:
        """Return whether each hit must be read by `hits`: the row's columns alone do not decide its count."""
        return self.filter is not None or self.scope is not None or self.takes_worth or self.needs_items

    @property
    def takes_first_only(self) -> bool:
        """Return whether only a visitor's first hit counts. Sums take every hit."""
        return self.count_once and not self.counts_money and not self.sums_value and not self.adds

    @property
    def has_covariate_steps(self) -> bool:
        """Return whether a capped total needs its covariate by step."""
        return self.looks_back and self.winsorize_pct is not None

    @property
    def signals(self) -> list[Signal]:
        """Return what a row must be to be one of the goal's events, before filter and scope."""
        signals: list[Signal] = [("goal", self.event_goal_id)]
        if self.counts_money:
            signals += [("order", None)]
            signals += [("goal", REVENUE_GOAL_ID)] if self.event_goal_id != REVENUE_GOAL_ID else []
        return [*signals, ("custom", self.event_name)] if self.type == "custom" else signals


# The orders of a shop, independent of experiments.
SHOP_REVENUE = GoalPlan(
    goal_id=REVENUE_GOAL_ID, type="revenue", event_name=None, count_once=False, window_ms=FOR_EVER_MS, filter=None
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingPlan:
    """Selection of the rows of one experiment in one measurement epoch. Times are Unix milliseconds.

    `exposure`: visitors are in a variation by `experiment_viewed` events, or by the cohort of page views.
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
        """Return whether variations are delivered by the SDK, whose events report the delivery."""
        return self.exposure == "experiment"

    @property
    def looks_back(self) -> bool:
        """Return whether any of its goals looks back."""
        return any(goal.looks_back for goal in self.goals)

    @property
    def since(self) -> int:
        """Time of the oldest rows that count (Unix ms): hits before an exposure may be older than the beginning."""
        return max(0, self.begins_at - LOOK_BACK_MS) if self.looks_back else self.begins_at


def digested(plan: CountingPlan) -> Mapping[str, Any]:
    """Return the plan as digests take it: fields of ratios are of ratios only, so that stored digests stay equal."""
    goals = [
        {name: value for name, value in asdict(goal).items() if goal.hits_of or name not in _OF_RATIOS}
        for goal in plan.goals
    ]
    return {**asdict(replace(plan, goals=())), "goals": goals}


def plan_counting(experiment: Experiment, currency: str, references: References = NO_REFERENCES) -> CountingPlan | None:
    """Return the plan of an experiment, or None before its measurement began. `references`: the shop's pages."""
    if experiment.measurement_started_at is None:
        return None
    pages = {page["id"]: page for page in experiment.goal_page_rules}
    # A restart opens a measurement and assigns every visitor again. In any other measurement visitors have already
    # seen their variation: its effect is in their earlier hits, and CUPED would subtract a part of the difference.
    looks_back = experiment.measurement_epoch == experiment.assignment_epoch
    is_adjusted = experiment.planned_adjustment == "cuped"
    return CountingPlan(
        experiment_id=experiment.id,
        shop_id=experiment.shop_id,
        assignment_epoch=experiment.assignment_epoch,
        measurement_epoch=experiment.measurement_epoch,
        begins_at=parse_milliseconds(experiment.measurement_started_at),
        currency=currency,
        variation_ids=tuple(variation.id for variation in experiment.variations),
        goals=tuple(
            plan
            for goal in experiment.goals
            for plan in plan_goal(goal, pages, references, looks_back=looks_back, is_adjusted=is_adjusted)
        ),
    )


def plan_holdout(shop: Shop) -> CountingPlan | None:
    """Return the plan of the shop's holdout, an experiment with the shop's id; None without a holdout."""
    if not shop.holdout_v1_enabled:
        return None
    return CountingPlan(
        experiment_id=shop.id,
        shop_id=shop.id,
        assignment_epoch=shop.holdout_config_epoch,
        measurement_epoch=shop.holdout_config_epoch,
        # The epoch of a holdout is the moment of its last change, in Unix milliseconds.
        begins_at=shop.holdout_config_epoch,
        currency=shop.currency,
        variation_ids=COHORTS,
        goals=(SHOP_REVENUE,),
        exposure="cohort",
    )


def denominator_of(goal_id: str) -> str:
    """Return the id under which a ratio's denominator is counted."""
    return f"{goal_id}#denominator"


def both_of(goal_id: str) -> str:
    """Return the id under which a ratio's numerator and denominator are counted together."""
    return f"{goal_id}#both"


def plan_goal(
    goal: Goal,
    pages: Mapping[str, PageRules],
    references: References,
    *,
    looks_back: bool,
    is_adjusted: bool = False,
) -> Sequence[GoalPlan]:
    """Return the plan of one goal, three of a ratio. `pages` are the experiment's by id.

    `looks_back`: where means are compared, and with `is_adjusted` also where visitors who converted are.
    """
    plan = GoalPlan(
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
    if goal.numerator and goal.denominator:
        return parts_of_ratio(plan, goal.numerator, goal.denominator)
    # Totals that are 0 or 1 have a covariate only where the plan of the test adjusts by it: it takes 14 days more of
    # rows. A rate of visitors with any of several hits has none, because its sums are of hits.
    compares_means = (plan.counts_money or goal.aggregation != "conversion") and not plan.takes_first_only
    return [replace(plan, looks_back=looks_back and (compares_means or (is_adjusted and plan.takes_first_only)))]


def parts_of_ratio(plan: GoalPlan, numerator: Quantity, denominator: Quantity) -> Sequence[GoalPlan]:
    """Return the three plans that count a ratio: its numerator, its denominator, and both together."""
    # Sums of products of two quantities follow from three sums of squares, which every engine has already.
    plan = replace(
        plan,
        hits_of=plan.goal_id,
        needs_items="items" in (numerator, denominator),
        needs_money="value" in (numerator, denominator),
    )
    return [
        replace(plan, adds=(numerator,)),
        replace(plan, goal_id=denominator_of(plan.goal_id), adds=(denominator,)),
        replace(plan, goal_id=both_of(plan.goal_id), adds=(numerator, denominator)),
    ]


def _scope(goal: Goal, pages: Mapping[str, PageRules], references: References) -> Scope | None:
    """Return the pages of events that browsers did not judge; they judge those of clicks and page views."""
    if goal.type not in ("custom", "revenue"):
        return None
    page = pages.get(goal.page_id or "")
    compiled = None if page is None else compile_goal_pages(page, references)
    # Conditions and triggers need the page itself; a row has only its address.
    addresses: CompiledPage = present(
        **{name: rules for name, rules in (compiled or {}).items() if name in _OF_THE_ADDRESS}
    )
    scope: Scope = present(url=compile_rule("simple", goal.url_pattern) if goal.url_pattern else None, pages=addresses)
    return scope or None
