"""Baselines and traffic of a plan, out of roll-ups: how many visitors come, and how many of them convert.

Of all sources the one nearest to the test is used: the experiment's own control, the shop's days where they count such
a goal, other experiments that measured the same goal of the shop.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from abtest.domain.autostop.settings import MIN_CONVERSIONS, MIN_VISITORS
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.definition import counted
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.shop_days import STEP_EVENTS, STEPS
from abtest.domain.settings.shop import Shop
from abtest.kit.clock import parse_timestamp
from abtest.kit.documents import decode
from abtest.ports.catalog import Catalog
from abtest.ports.rollup_store import Document, RollupStore

LONGEST_WINDOW = 92
"""Maximum of days that are read."""

HEADS_SCANNED, EXPERIMENTS_READ = 100, 10
_MEASURED = frozenset({"running", "paused", "completed"})
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Rate:
    """Visitors, and how many of them converted."""

    visitors: int = 0
    conversions: int = 0

    @property
    def is_known(self) -> bool:
        """True if both are enough to plan with: the minimum data of results."""
        # A rate of 0 or 1 has no variance, so no sample size follows from it.
        return self.visitors >= MIN_VISITORS and MIN_CONVERSIONS <= self.conversions < self.visitors

    @property
    def value(self) -> float:
        """Conversions per visitor."""
        return self.conversions / self.visitors if self.visitors else 0.0


class Measured:
    """Measured figures for the plan of one experiment. Days of the shop are read once."""

    def __init__(self, catalog: Catalog, store: RollupStore, experiment: Experiment, shop: Shop, now: datetime) -> None:
        self._catalog = catalog
        self._store = store
        self._experiment = experiment
        self._shop = shop
        self._now = now
        self._days: dict[int, Sequence[Document]] = {}

    def baseline(self, goal: Goal, window_days: int) -> Rate:
        """Return the goal's rate from the first source with enough data, else from the one with most visitors."""
        best = Rate()
        for source in self._baselines(goal, window_days):
            if source.is_known:
                return source
            best = max(best, source, key=lambda rate: rate.visitors)
        return best

    def daily_visitors(self, window_days: int) -> float | None:
        """Return eligible visitors per day; None before any were measured.

        A running experiment with enough visitors is extrapolated by its holdout and its share of traffic. Otherwise
        they are the shop's visitors per day, on whatever pages.
        """
        own = self._own_daily_visitors()
        if own is not None:
            return own
        days = self._shop_days(window_days)
        first = min((day["date"] for day in days), default=None)
        if first is None:
            return None
        # Days without visitors have no document, so dates are subtracted and documents are not counted.
        number = (parse_timestamp(f"{self._today}T00:00:00.000Z") - parse_timestamp(f"{first}T00:00:00.000Z")).days
        return sum(int(day["steps"].get("visited", 0)) for day in days) / max(number, 1)

    @property
    def holdout(self) -> float:
        """Share of the shop's visitors who are in no experiment."""
        return self._shop.holdout_pct / 100 if self._shop.holdout_v1_enabled else 0.0

    @property
    def _today(self) -> str:
        return f"{self._now:%Y-%m-%d}"

    def _baselines(self, goal: Goal, window_days: int) -> Iterator[Rate]:
        yield self._in_control(self._experiment, goal)
        step = funnel_step(goal)
        if step is not None:
            days = [day["steps"] for day in self._shop_days(window_days)]
            yield Rate(*(sum(int(day.get(name, 0)) for day in days) for name in (STEPS[0], step)))
        for other in self._others_with(goal):
            yield self._in_control(other, goal)

    def _in_control(self, experiment: Experiment, goal: Goal) -> Rate:
        control = next((arm.id for arm in experiment.variations if arm.is_control), "")
        totals = self._totals(experiment)
        visitors = totals.get("variations", {}).get(control, {}).get("visitors", 0)
        converters = totals.get("goals", {}).get(goal.id, {}).get(control, {}).get("converters", 0)
        return Rate(visitors, converters)

    def _totals(self, experiment: Experiment) -> Document:
        if experiment.measurement_started_at is None:
            return {}
        return self._store.totals(experiment.id, experiment.measurement_epoch) or {}

    def _own_daily_visitors(self) -> float | None:
        experiment = self._experiment
        visitors = sum(arm["visitors"] for arm in self._totals(experiment).get("variations", {}).values())
        # Visitors of the experiment are a part of the eligible ones: those in its share and not in the holdout.
        let_in = experiment.traffic_allocation * (1 - self.holdout)
        if experiment.measurement_started_at is None or visitors < MIN_VISITORS or let_in <= 0:
            return None
        until = min(parse_timestamp(experiment.ended_at), self._now) if experiment.ended_at else self._now
        days = (until - parse_timestamp(experiment.measurement_started_at)) / _DAY
        # Less than a day would take one time of day for all of them.
        return visitors / days / let_in if days >= 1 else None

    def _shop_days(self, window_days: int) -> Sequence[Document]:
        """Return the whole days of the window; on a shop's first day its beginning."""
        window = min(window_days, LONGEST_WINDOW)
        if window not in self._days:
            first = f"{self._now - window * _DAY:%Y-%m-%d}"
            days = self._store.shop_days(self._shop.id, first, self._today)
            self._days[window] = [day for day in days if day["date"] < self._today] or days
        return self._days[window]

    def _others_with(self, goal: Goal) -> Iterator[Experiment]:
        """Yield the newest experiments with the same goal, if it is one of the shop's reusable goals."""
        shop_id = self._shop.id
        if self._catalog.get(shop_id, "GOAL", goal.id) is None:
            return
        heads = self._catalog.list(shop_id, "EXP", limit=HEADS_SCANNED).heads
        others = [head.id for head in heads if head.status in _MEASURED and head.id != self._experiment.id]
        for record in self._catalog.get_many(shop_id, "EXP", others[:EXPERIMENTS_READ]):
            other = decode(Experiment, record.body)
            # A cap on values does not change the number of converters.
            copies = [replace(copy, winsorize_pct=goal.winsorize_pct) for copy in other.goals if copy.id == goal.id]
            if any(counted(copy) == counted(goal) for copy in copies):
                yield other


def funnel_step(goal: Goal) -> str | None:
    """Return the step of the shop's funnel that the goal counts; None for a narrower goal or another one."""
    if goal.filter is not None or goal.page_id is not None or goal.url_pattern is not None:
        return None
    if goal.type == "revenue":
        return STEPS[-1]
    place = STEP_EVENTS.get(goal.event_name or "") if goal.type == "custom" else None
    return None if place is None else STEPS[place]
