"""Rules of the shop by which results are read: defaults, auto-stop, consent, and coverage of the traffic."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from abtest.contract import results as contract
from abtest.domain.autostop.settings import AutoStop, resolved
from abtest.domain.autostop.shapes import LookState
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.planned_test import planned_goal
from abtest.domain.goals.coverage import Gap, is_stitching_low
from abtest.domain.goals.model import Goal
from abtest.domain.planning.shapes import Snapshot
from abtest.domain.settings import consent
from abtest.domain.settings.runtime import CONSENT
from abtest.domain.settings.shop import Shop
from abtest.kit.clock import parse_timestamp
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Catalog
from abtest.ports.rollup_store import Document, RollupStore
from abtest.services.context import World
from abtest.services.results.question import MinimumData, Question
from abtest.services.shop_records import read_shop
from abtest.services.shops import defaults_in

COVERAGE_DAYS = 28
COVERAGE_KEPT = timedelta(minutes=5)
_SHOPS_KEPT = 100


class ShopRules:
    """Settings of the shop that decide how results are read; each is loaded on first use."""

    def __init__(self, catalog: Catalog, shop_id: str) -> None:
        self._catalog = catalog
        self._shop_id = shop_id

    @cached_property
    def shop(self) -> Shop:
        """Shop. Raises NotFoundError."""
        return read_shop(self._catalog, self._shop_id)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Alpha, correction and the shop's other defaults."""
        return defaults_in(self._catalog, self.shop)

    @cached_property
    def asks_consent(self) -> bool:
        """True if visitors without consent are not measured."""
        record = self._catalog.get(self._shop_id, "SET", CONSENT)
        return record is not None and consent.from_document(record.body).enabled

    def auto_stop(self, experiment: Experiment) -> AutoStop:
        """Return the experiment's auto-stop settings, with the minimum data of every decision."""
        return resolved(experiment.auto_stop_override, self.defaults.get("auto_stop"))

    def question(
        self,
        experiment: Experiment,
        totals: Document | None,
        correction: contract.Correction | None = None,
        *,
        engine: contract.Engine = "frequentist",
        looks: LookState | None = None,
    ) -> Question:
        """Return the settings of an analysis by the shop's rules.

        Alpha is the plan's while its goal is in use, and for planned looks and the single one the correction is, too:
        auto-stop decides by it. Money is in the currency of the counts. Posteriors are not corrected.
        """
        stops = self.auto_stop(experiment)
        plan = experiment.planned_test if planned_goal(experiment) else None
        return Question(
            experiment=experiment,
            # Stored sums are in the currency of their count, whatever the shop has changed to since.
            currency=(totals or {}).get("currency") or self.shop.currency,
            alpha=float((plan or {}).get("alpha", self.defaults["alpha"])),
            correction="none" if engine == "bayesian" else correction or self._correction(plan, engine),
            engine=engine,
            minimum=MinimumData(stops.min_visitors, stops.min_conversions),
            looks=looks,
        )

    def _correction(self, plan: Snapshot | None, engine: contract.Engine) -> contract.Correction:
        if engine in ("frequentist", "group_sequential") and plan is not None:
            # Plans of older releases name none, and are decided without one.
            return plan.get("correction_method", "none")
        correction: contract.Correction = self.defaults["correction_method"]
        return correction


def chosen_goals(experiment: Experiment, goal_ids: Sequence[str]) -> Sequence[Goal]:
    """Return the goals in use, or exactly the named ones, archived or not. Raises NotFoundError."""
    if not goal_ids:
        return [goal for goal in experiment.goals if goal.archived_at is None]
    if not set(goal_ids) <= {goal.id for goal in experiment.goals}:
        raise NotFoundError("the experiment has no such goal")
    return [goal for goal in experiment.goals if goal.id in goal_ids]


def stitches_in(days: Iterable[Document]) -> tuple[int, int]:
    """Return the orders of the shop's days, and how many of their visitors were seen before."""
    stitches = [day["stitch"] for day in days]
    return sum(orders for orders, _ in stitches), sum(stitched for _, stitched in stitches)


def coverage_of(asks_consent: bool, orders: int, stitched: int) -> contract.Coverage:
    """Return why parts of the traffic are missing: consent is required, or buyers were not seen before their order."""
    reasons: list[Gap] = ["consent_gated_sdk"] if asks_consent else []
    if is_stitching_low(orders, stitched):
        reasons.append("low_order_stitch_rate")
    return contract.Coverage(mixed_populations=bool(reasons), reasons=reasons)


@dataclass(frozen=True, slots=True)
class _Stitches:
    """Orders by date, and how many of their visitors were seen before; and when they were read."""

    read_at: datetime
    days: Mapping[str, tuple[int, int]]


class Coverage:
    """Coverage of measurements, from at most their newest 28 shop days; read once in five minutes, for all of them."""

    def __init__(self, world: World, store: RollupStore) -> None:
        self._world = world
        self._store = store
        self._cache: dict[tuple[str, str, str], _Stitches] = {}

    def of(self, experiment: Experiment, rules: ShopRules) -> contract.Coverage:
        """Return the coverage of the experiment's present measurement."""
        began = experiment.measurement_started_at
        if began is None:
            return coverage_of(rules.asks_consent, 0, 0)
        now = self._world.clock.now()
        until = min(parse_timestamp(experiment.ended_at), now) if experiment.ended_at else now
        days = self._days(experiment.shop_id, until, now)
        # Dates compare as text.
        counted = [pair for date, pair in days.items() if date >= f"{parse_timestamp(began):%Y-%m-%d}"]
        return coverage_of(rules.asks_consent, sum(pair[0] for pair in counted), sum(pair[1] for pair in counted))

    def _days(self, shop_id: str, until: datetime, now: datetime) -> Mapping[str, tuple[int, int]]:
        # The same days for every measurement, so that many of one shop are read at once.
        first = until - timedelta(days=COVERAGE_DAYS - 1)
        key = (shop_id, f"{first:%Y-%m-%d}", f"{until:%Y-%m-%d}")
        stitches = self._cache.get(key)
        if stitches is None or now - stitches.read_at >= COVERAGE_KEPT:
            days = {day["date"]: (day["stitch"][0], day["stitch"][1]) for day in self._store.shop_days(*key)}
            stitches = _Stitches(now, days)
            # A warm process serves many shops: the cache must not grow with them.
            if len(self._cache) >= _SHOPS_KEPT:
                self._cache.clear()
            self._cache[key] = stitches
        return stitches.days
