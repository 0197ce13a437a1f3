"""Evidence for Guardian's rules, out of the documents of roll-ups; what a document lacks stays unknown."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.definition import definition_digest
from abtest.domain.goals.model import Goal
from abtest.domain.guardian.evidence import (
    Arm,
    Arrivals,
    Evidence,
    Sessions,
    ShopOrders,
    Stitching,
    WatchedGoal,
    shares_of,
)
from abtest.domain.ledger.cells import QUARTER_MS
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY, day_of
from abtest.domain.ledger.rollup_documents import shop_day_of
from abtest.domain.ledger.shop_days import distinct_visitors
from abtest.kit.clock import Timestamp, from_milliseconds, parse_milliseconds, parse_timestamp, to_milliseconds
from abtest.ports.catalog import Catalog
from abtest.ports.rollup_store import Document, Reach
from abtest.services.results import RollupReader
from abtest.services.results.counts import Counts, counts_of_totals
from abtest.services.results.curves import DayCurves, Span
from abtest.services.results.question import unit_of
from abtest.services.results.shop_rules import COVERAGE_DAYS, ShopRules, stitches_in
from abtest.services.results.snapshots import Snapshot

DAYS_BACK = 8
"""A day may be compared with the same weekday of the week before."""


@dataclass(frozen=True, slots=True)
class ShopSight:
    """What one run knows of shops: their rules and days, each read once.

    `reach` was read before any count: what is read later holds what it promises.
    """

    catalog: Catalog
    reader: RollupReader
    reach: Reach | None
    _rules: dict[str, ShopRules] = field(default_factory=dict)
    _days: dict[tuple[str, str, str], Sequence[Document]] = field(default_factory=dict)

    def rules(self, shop_id: str) -> ShopRules:
        """The shop's settings."""
        if shop_id not in self._rules:
            self._rules[shop_id] = ShopRules(self.catalog, shop_id)
        return self._rules[shop_id]

    def counted_until(self, experiment: Experiment) -> int:
        """How far the experiment's counts reach at least, in Unix milliseconds; 0 where nobody knows."""
        if self.reach is None or self.reach.missing & {experiment.id, experiment.shop_id}:
            return 0
        return parse_milliseconds(self.reach.until)

    def days(self, shop_id: str, until: datetime) -> Sequence[Document]:
        """The shop's newest UTC days, by date."""
        first, last = f"{until - timedelta(days=COVERAGE_DAYS - 1):%Y-%m-%d}", f"{until:%Y-%m-%d}"
        key = (shop_id, first, last)
        if key not in self._days:
            self._days[key] = self.reader.store.shop_days(*key)
        return self._days[key]


def evidence_of(
    sight: ShopSight, experiment: Experiment, *, now: Timestamp, watched_since: Timestamp
) -> Evidence | None:
    """What stands of the experiment's present measurement, all of one generation; None where nothing was counted.

    Raises DatabaseBusyError.
    """

    def ask(snapshot: Snapshot) -> Evidence | None:
        if snapshot.totals is None:
            return None
        return _evidence(sight, experiment, snapshot, snapshot.totals, now, watched_since)

    return sight.reader.read(experiment.id, experiment.measurement_epoch, ask)


def _evidence(
    sight: ShopSight,
    experiment: Experiment,
    snapshot: Snapshot,
    totals: Document,
    now: Timestamp,
    watched_since: Timestamp,
) -> Evidence:
    moment, rules = parse_timestamp(now), sight.rules(experiment.shop_id)
    began = parse_milliseconds(experiment.measurement_started_at or totals["computed_at"])
    days, counts = sight.days(experiment.shop_id, moment), counts_of_totals(totals)
    currency = totals.get("currency") or rules.shop.currency
    known_since = max(-(-began // QUARTER_MS), _midnight(moment) - DAYS_BACK * QUARTERS_A_DAY)
    recent = snapshot.days(known_since // QUARTERS_A_DAY, _midnight(moment) // QUARTERS_A_DAY)
    measured = [day for day in days if day["date"] >= f"{from_milliseconds(began):%Y-%m-%d}"]
    variations = [variation for variation in experiment.variations if variation.archived_at is None]
    found = Evidence(
        measurement_epoch=experiment.measurement_epoch,
        generation=totals["generation"],
        began=began,
        through=parse_milliseconds(totals.get("through") or totals["computed_at"]),
        now=to_milliseconds(moment),
        counted_until=sight.counted_until(experiment),
        watched_since=parse_milliseconds(watched_since),
        currency=currency,
        arms=_arms(variations, totals, counts, recent),
        goals=[_goal(goal, variations, counts, currency) for goal in watched_goals(experiment)],
        multiple_exposure=totals.get("multiple_exposure", 0),
        arrivals_since=known_since,
        order_arrivals=_order_arrivals(days),
        orders_since=min((_first_quarter(day) for day in days), default=to_milliseconds(moment) // QUARTER_MS),
        orders=_orders(measured),
        stitching=_stitching(measured, rules),
    )
    return found if found.silent_since is None else replace(found, shop_visitors=_shop_visitors(found, days))


def _shop_visitors(evidence: Evidence, days: Sequence[Document]) -> int:
    """Who was on the shop's pages while nobody was seen in the experiment, in whole quarters."""
    last = evidence.counted_until // QUARTER_MS
    first = max((evidence.silent_since or 0) // QUARTER_MS, last - QUARTERS_A_DAY)
    if first >= last:
        return 0
    touched = [shop_day_of(day) for day in days if _first_quarter(day) + QUARTERS_A_DAY > first]
    return distinct_visitors(touched, first * QUARTER_MS, last * QUARTER_MS)


def watched_goals(experiment: Experiment) -> Sequence[Goal]:
    """Goals in use whose loss would be harm: the primary one, guardrails, revenue. Others may fall on purpose."""
    return [
        goal
        for goal in experiment.goals
        if goal.archived_at is None and (goal.is_primary or goal.role != "secondary" or goal.type == "revenue")
    ]


def _arms(
    variations: Sequence[Variation], totals: Document, counts: Counts, recent: Mapping[int, DayCurves]
) -> Sequence[Arm]:
    shares = shares_of([variation.weight for variation in variations])
    return [
        Arm(
            variation_id=variation.id,
            share=share,
            is_control=variation.is_control,
            visitors=counts.visitors.get(variation.id, 0),
            sessions=_sessions(totals, variation.id),
            arrivals=_arrivals(variation.id, recent),
        )
        for variation, share in zip(variations, shares, strict=True)
    ]


def _sessions(totals: Document, variation_id: str) -> Sessions | None:
    if "sessions" not in totals:
        return None
    found = totals["sessions"].get(variation_id, {})
    return Sessions(found.get("seen", 0), found.get("failed", 0), found.get("missed", 0))


def _arrivals(variation_id: str, recent: Mapping[int, DayCurves]) -> Arrivals:
    found = {}
    for day, curves in recent.items():
        curve = curves.visitors.get(variation_id)
        for quarter in range(day * QUARTERS_A_DAY, (day + 1) * QUARTERS_A_DAY) if curve else ():
            number = curve.between(Span(quarter, quarter + 1))[0] if curve else 0
            if number:
                found[quarter] = number
    return found


def _goal(goal: Goal, variations: Sequence[Variation], counts: Counts, currency: str) -> WatchedGoal:
    is_counted = counts.counted is None or goal.id in counts.counted
    ids = [variation.id for variation in variations] if is_counted else []
    return WatchedGoal(
        goal_id=goal.id,
        direction=goal.direction,
        is_revenue=goal.type == "revenue",
        unit=unit_of(goal, currency),
        counts={variation_id: counts.goal(goal.id, variation_id) for variation_id in ids},
        source=definition_digest(goal, currency),
        excluded={variation_id: counts.excluded(goal.id, variation_id) or 0 for variation_id in ids},
    )


def _order_arrivals(days: Sequence[Document]) -> Arrivals:
    found: defaultdict[int, int] = defaultdict(int)
    for day in days:
        for quarter, _, _, orders, _ in day["orders"]:
            found[_first_quarter(day) + quarter] += orders
    return found


def _orders(days: Sequence[Document]) -> ShopOrders:
    """Of the days that tell of repetitions; None where none does."""
    telling = [day for day in days if "repeated_orders" in day]
    repeated = sum(day["repeated_orders"] for day in telling) if telling else None
    return ShopOrders(stitches_in(telling)[0], repeated)


def _stitching(days: Sequence[Document], rules: ShopRules) -> Stitching:
    return Stitching(*stitches_in(days), asks_consent=rules.asks_consent)


def _first_quarter(day: Document) -> int:
    return day_of(day["date"]) * QUARTERS_A_DAY


def _midnight(moment: datetime) -> int:
    """The first quarter of the moment's UTC day."""
    return day_of(f"{moment:%Y-%m-%d}") * QUARTERS_A_DAY
