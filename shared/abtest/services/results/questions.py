"""Of which experiment results are asked, and by which rules of the shop they are read."""

from collections.abc import Iterable, Sequence
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
from abtest.domain.settings import consent
from abtest.domain.settings.runtime import CONSENT
from abtest.domain.settings.shop import Shop
from abtest.kit.clock import parse_timestamp
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Catalog
from abtest.ports.rollup_store import Document, RollupStore
from abtest.services.context import World
from abtest.services.results.comparing import MinimumData, Question
from abtest.services.shop_records import read_shop
from abtest.services.shops import defaults_in

COVERAGE_DAYS = 28
COVERAGE_KEPT = timedelta(minutes=5)
_SHOPS_KEPT = 100


class ShopRules:
    """What the shop decides about reading, each read when first asked for."""

    def __init__(self, catalog: Catalog, shop_id: str) -> None:
        self._catalog = catalog
        self._shop_id = shop_id

    @cached_property
    def shop(self) -> Shop:
        """The shop. Raises NotFoundError."""
        return read_shop(self._catalog, self._shop_id)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Alpha, correction and more."""
        return defaults_in(self._catalog, self.shop)

    @cached_property
    def asks_consent(self) -> bool:
        """Whether visitors who do not consent are not seen."""
        record = self._catalog.get(self._shop_id, "SET", CONSENT)
        return record is not None and consent.from_document(record.body).enabled

    def auto_stop(self, experiment: Experiment) -> AutoStop:
        """How the experiment stops by itself, and from how much data on anything is decided."""
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
        """By the shop's rules, alpha by the plan's while its goal is in use; money in the currency counted in.

        Posteriors are not corrected.
        """
        stops = self.auto_stop(experiment)
        plan = experiment.planned_test if planned_goal(experiment) else None
        return Question(
            experiment=experiment,
            currency=(totals or {}).get("currency") or self.shop.currency,
            alpha=float((plan or {}).get("alpha", self.defaults["alpha"])),
            correction="none" if engine == "bayesian" else correction or self.defaults["correction_method"],
            engine=engine,
            minimum=MinimumData(stops.min_visitors, stops.min_conversions),
            looks=looks,
        )


def chosen_goals(experiment: Experiment, goal_ids: Sequence[str]) -> Sequence[Goal]:
    """Goals in use, or exactly the named ones, archived or not. Raises NotFoundError."""
    if not goal_ids:
        return [goal for goal in experiment.goals if goal.archived_at is None]
    if not set(goal_ids) <= {goal.id for goal in experiment.goals}:
        raise NotFoundError("the experiment has no such goal")
    return [goal for goal in experiment.goals if goal.id in goal_ids]


def stitches_in(days: Iterable[Document]) -> tuple[int, int]:
    """Orders of the shop's days, and how many of them are of visitors who were seen before."""
    found = [day["stitch"] for day in days]
    return sum(orders for orders, _ in found), sum(stitched for _, stitched in found)


def coverage_of(asks_consent: bool, orders: int, stitched: int) -> contract.Coverage:
    """What keeps parts of the traffic out: consent that is asked for, orders whose visitors were not seen before."""
    reasons: list[Gap] = ["consent_gated_sdk"] if asks_consent else []
    if is_stitching_low(orders, stitched):
        reasons.append("low_order_stitch_rate")
    return contract.Coverage(mixed_populations=bool(reasons), reasons=reasons)


@dataclass(frozen=True, slots=True)
class _Stitches:
    read_at: datetime
    orders: int
    stitched: int


class Coverage:
    """Coverage of a measurement, from the shop's days: at most the newest 28 of it, read once in five minutes."""

    def __init__(self, world: World, store: RollupStore) -> None:
        self._world = world
        self._store = store
        self._known: dict[tuple[str, str, str], _Stitches] = {}

    def of(self, experiment: Experiment, rules: ShopRules) -> contract.Coverage:
        """Of the experiment's present measurement."""
        began = experiment.measurement_started_at
        if began is None:
            return coverage_of(rules.asks_consent, 0, 0)
        now = self._world.clock.now()
        until = min(parse_timestamp(experiment.ended_at), now) if experiment.ended_at else now
        first = max(parse_timestamp(began), until - timedelta(days=COVERAGE_DAYS - 1))
        found = self._stitches(experiment.shop_id, f"{first:%Y-%m-%d}", f"{until:%Y-%m-%d}", now)
        return coverage_of(rules.asks_consent, found.orders, found.stitched)

    def _stitches(self, shop_id: str, first: str, last: str, now: datetime) -> _Stitches:
        key = (shop_id, first, last)
        known = self._known.get(key)
        if known is None or now - known.read_at >= COVERAGE_KEPT:
            days = self._store.shop_days(shop_id, first, last)
            known = _Stitches(now, *stitches_in(days))
            if len(self._known) >= _SHOPS_KEPT:
                self._known.clear()
            self._known[key] = known
        return known
