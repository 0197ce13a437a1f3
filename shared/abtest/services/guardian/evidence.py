"""Evidence for Guardian's rules, out of the documents of roll-ups. Fields that a document lacks stay unknown."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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
from abtest.domain.ledger.cells import QUARTER_MS, GoalCount
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY, day_of
from abtest.domain.ledger.rollup_documents import shop_day_of
from abtest.domain.ledger.shop_days import distinct_visitors
from abtest.kit.clock import Timestamp, from_milliseconds, parse_milliseconds, parse_timestamp, to_milliseconds
from abtest.ports.rollup_store import Document, Reach
from abtest.services.results import RollupReader
from abtest.services.results.counts import Counts, counts_of_totals
from abtest.services.results.curves import DayCurves
from abtest.services.results.question import unit_of
from abtest.services.results.shop_rules import COVERAGE_DAYS, ShopRules, stitches_in
from abtest.services.results.snapshots import Snapshot

DAYS_BACK = 14
"""Changes are looked for in so many days; a day may also be compared with the same weekday of the week before."""


ReachOf = Callable[[str], Reach | None]
"""Returns how far the counts of a shop reach; None if that is unknown."""


class ShopSight:
    """Rules, reach and days of one shop, each read once for all of its experiments.

    The reach is read at once, before any count, so every count read later reaches at least as far.
    """

    def __init__(self, shop_id: str, rules: ShopRules, reader: RollupReader, reach_of: ReachOf) -> None:
        self.rules = rules
        self.reader = reader
        self._shop_id = shop_id
        self._reach = reach_of(shop_id)
        self._days: dict[tuple[str, str], Sequence[Document]] = {}

    def counted_until(self, experiment: Experiment) -> int:
        """Return how far the experiment's counts reach at least, in Unix milliseconds; 0 if unknown."""
        if self._reach is None or self._reach.missing & {experiment.id, self._shop_id}:
            return 0
        return parse_milliseconds(self._reach.until)

    def days(self, until: datetime) -> Sequence[Document]:
        """Return the shop's newest UTC days, by date."""
        key = f"{until - timedelta(days=COVERAGE_DAYS - 1):%Y-%m-%d}", f"{until:%Y-%m-%d}"
        if key not in self._days:
            self._days[key] = self.reader.store.shop_days(self._shop_id, *key)
        return self._days[key]


def evidence_of(
    sight: ShopSight,
    experiment: Experiment,
    *,
    now: Timestamp,
    watched_since: Timestamp,
    totals: Document | None = None,
) -> Evidence | None:
    """Return the evidence of the present measurement, all of one generation; None before the first count.

    `totals` are those of the measurement where they were read a moment ago. Raises DatabaseBusyError.
    """

    def compute(snapshot: Snapshot) -> Evidence | None:
        if snapshot.totals is None:
            return None
        return _evidence(sight, experiment, snapshot, snapshot.totals, now, watched_since)

    return sight.reader.read(experiment.id, experiment.measurement_epoch, compute, totals)


def _evidence(
    sight: ShopSight,
    experiment: Experiment,
    snapshot: Snapshot,
    totals: Document,
    now: Timestamp,
    watched_since: Timestamp,
) -> Evidence:
    moment, rules = parse_timestamp(now), sight.rules
    began = parse_milliseconds(experiment.measurement_started_at or totals["computed_at"])
    days, counts = sight.days(moment), counts_of_totals(totals)
    currency = totals.get("currency") or rules.shop.currency
    today = day_of(f"{moment:%Y-%m-%d}")
    # Whole quarters only: the one in which the measurement began is partial.
    known_since = max(-(-began // QUARTER_MS), (today - DAYS_BACK) * QUARTERS_A_DAY)
    recent = snapshot.days(known_since // QUARTERS_A_DAY, today)
    measured = [day for day in days if day["date"] >= f"{from_milliseconds(began):%Y-%m-%d}"]
    variations = [variation for variation in experiment.variations if variation.archived_at is None]
    evidence = Evidence(
        measurement_epoch=experiment.measurement_epoch,
        generation=totals["generation"],
        began=began,
        through=parse_milliseconds(totals.get("through") or totals["computed_at"]),
        now=to_milliseconds(moment),
        # `through` is the newest event and stays behind in quiet hours; only the reach shows how far counting came.
        counted_until=sight.counted_until(experiment),
        watched_since=parse_milliseconds(watched_since),
        currency=currency,
        arms=arms_of(variations, totals, counts, recent),
        goals=[watched_goal(goal, variations, counts, currency, recent) for goal in watched_goals(experiment)],
        multiple_exposure=totals.get("multiple_exposure", 0),
        arrivals_since=known_since,
        order_arrivals=order_arrivals(days),
        orders_since=min((_first_quarter(day) for day in days), default=to_milliseconds(moment) // QUARTER_MS),
        orders=shop_orders(measured),
        stitching=Stitching(*stitches_in(measured), asks_consent=rules.asks_consent),
    )
    return evidence if evidence.silent_since is None else replace(evidence, shop_visitors=shop_visitors(evidence, days))


def shop_visitors(evidence: Evidence, days: Sequence[Document]) -> int:
    """Return the shop's visitors, in whole quarters, while none were seen in the experiment."""
    last = evidence.counted_until // QUARTER_MS
    # At most one day back: distinct visitors of a longer time cannot be counted from day items.
    first = max((evidence.silent_since or 0) // QUARTER_MS, last - QUARTERS_A_DAY)
    if first >= last:
        return 0
    overlapping = [shop_day_of(day) for day in days if _first_quarter(day) + QUARTERS_A_DAY > first]
    return distinct_visitors(overlapping, first * QUARTER_MS, last * QUARTER_MS)


def watched_goals(experiment: Experiment) -> Sequence[Goal]:
    """Return goals in use whose loss is harm: the primary one, guardrails, revenue. Others may fall on purpose.

    No ratio: the rules are about visitors who convert and about money per visitor.
    """
    in_use = [goal for goal in experiment.goals if goal.archived_at is None and not goal.is_ratio]
    return [goal for goal in in_use if (goal.is_primary or goal.role != "secondary" or goal.type == "revenue")]


def arms_of(
    variations: Sequence[Variation], totals: Document, counts: Counts, recent: Mapping[int, DayCurves]
) -> Sequence[Arm]:
    """Return each variation with its expected share, its visitors, sessions and recent arrivals."""
    shares = shares_of([variation.weight for variation in variations])
    arms = []
    for variation, share in zip(variations, shares, strict=True):
        stored = totals["sessions"].get(variation.id, {}) if "sessions" in totals else None
        arms.append(
            Arm(
                variation_id=variation.id,
                share=share,
                is_control=variation.is_control,
                visitors=counts.visitors.get(variation.id, 0),
                # Roll-ups of older releases have no sessions: these are unknown, not zero.
                sessions=None if stored is None else Sessions(*(stored.get(name, 0) for name in Sessions._fields)),
                arrivals=arrivals_of(variation.id, recent),
            )
        )
    return arms


def arrivals_of(variation_id: str, recent: Mapping[int, DayCurves]) -> Arrivals:
    """Return first exposures by quarter of an hour since 1970, without empty quarters."""
    curves = [each.visitors[variation_id] for each in recent.values() if variation_id in each.visitors]
    points = (point for curve in curves for point in curve.points)
    return {quarter: number for quarter, (number,) in points if number}


def watched_goal(
    goal: Goal, variations: Sequence[Variation], counts: Counts, currency: str, recent: Mapping[int, DayCurves]
) -> WatchedGoal:
    """Return the goal's sums by variation, and by quarter; none before the goal is counted."""
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
        recent={variation_id: goal_counts_of(goal.id, variation_id, recent) for variation_id in ids},
    )


def goal_counts_of(goal_id: str, variation_id: str, recent: Mapping[int, DayCurves]) -> Mapping[int, GoalCount]:
    """Return a goal's sums by quarter of the first exposure, without empty quarters."""
    curves = [day.goals[goal_id, variation_id] for day in recent.values() if (goal_id, variation_id) in day.goals]
    return {quarter: GoalCount(*numbers) for curve in curves for quarter, numbers in curve.points}


def order_arrivals(days: Sequence[Document]) -> Arrivals:
    """Return the shop's orders by quarter of an hour since 1970."""
    sums: defaultdict[int, int] = defaultdict(int)
    for day in days:
        for quarter, _, _, orders, _ in day["orders"]:
            sums[_first_quarter(day) + quarter] += orders
    return sums


def shop_orders(days: Sequence[Document]) -> ShopOrders:
    """Return orders and repeated ones, of days that record repetitions; None repeated where no day does."""
    # Days of older releases do not record repetitions: they are unknown, not zero.
    recorded = [day for day in days if "repeated_orders" in day]
    repeated = sum(day["repeated_orders"] for day in recorded) if recorded else None
    return ShopOrders(stitches_in(recorded)[0], repeated)


def _first_quarter(day: Document) -> int:
    return day_of(day["date"]) * QUARTERS_A_DAY
