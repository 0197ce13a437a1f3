"""Counts of an experiment <-> the documents of docs/data-model.md section 5: totals, days, segments, shop days."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from abtest.domain.ledger.cells import Counts, Covariate, GoalCount, Money, SessionCount, Step
from abtest.domain.ledger.daily_counts import DailyCounts, Document, Slice, counted_from
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.rows import LEFT_OUT
from abtest.domain.ledger.shop_days import Activity, OrderCell, SegmentCount, ShopDay, Stitch
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp, from_milliseconds, parse_milliseconds, timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class RollupDocuments:
    """One write: the totals, and by date (`YYYY-MM-DD`) those day and segment items that differ from what stands."""

    totals: Document
    days: Mapping[str, Document]
    segments: Mapping[str, Document]


def rollup_documents(
    plan: CountingPlan, counts: DailyCounts, *, generation: int, computed_at: Timestamp, standing: Document | None
) -> RollupDocuments:
    """The documents of a new generation.

    `standing` is the totals document whose items all stand as it says, None when there is none or a write of it was cut
    short: then every item is written. Days from which everything went away are written empty.
    """
    digests = {slice_: piece.digest for slice_, piece in counts.pieces.items()}
    totals = _totals(plan, counts, digests) | {"generation": generation, "computed_at": computed_at}
    identity = {"experiment_id": plan.experiment_id, "measurement_epoch": plan.measurement_epoch}
    stamp = {**identity, "generation": generation, "computed_at": computed_at}
    bodies: dict[str, dict[str, Document]] = {"DAY": {}, "SEG": {}}
    for slice_ in _to_write(digests, standing):
        body = counts.pieces[slice_].body if slice_ in counts.pieces else EMPTY
        bodies[slice_.kind][slice_.date] = {**stamp, "date": slice_.date, **body}
    return RollupDocuments(totals=totals, days=bodies["DAY"], segments=bodies["SEG"])


EMPTY: Document = {"cells": [], "goals": {}, "money": {}}


def source_of(plan: CountingPlan, counts: DailyCounts) -> str:
    """Digest of the plan and of all counts: while it is that of the stored totals, no content has to be written."""
    return _source(plan, counts, {slice_: piece.digest for slice_, piece in counts.pieces.items()})


def counts_of(totals: Document, days: Iterable[Document] = (), segments: Iterable[Document] = ()) -> Counts:
    """The counts that the documents hold: all of them with all day and segment items, else those of the days given."""
    found = counted_from([*days, *segments])
    through = totals.get("through")
    return replace(
        found,
        goals={goal_id: found.goals.get(goal_id, {}) for goal_id in {**totals["goals"], **found.goals}},
        spread=spread_in(totals),
        covariates={
            goal_id: {name: found for name, found in by_variation.items() if any(found)}
            for goal_id, by_variation in covariates_in(totals).items()
        },
        sessions=_sessions_in(totals),
        multiple_exposure=totals["multiple_exposure"],
        through=None if through is None else parse_milliseconds(through),
    )


def goal_count(document: Document) -> GoalCount:
    """A goal's statistics in a variation, from its entry in the totals."""
    return GoalCount(
        converters=document["converters"],
        hits=document["count"],
        total=document["sum_minor"],
        squares=int(document["sum_squares_minor"]),
    )


def spread_in(totals: Document) -> Mapping[str, Mapping[Step, GoalCount]]:
    """By goal the steps that the totals hold."""
    return {goal_id: _steps(by_variation) for goal_id, by_variation in totals.get("spread", {}).items()}


def covariates_in(totals: Document) -> Mapping[str, Mapping[str, Covariate]]:
    """By goal and variation what the totals hold, zeros included; no goal where an older release did not count them."""
    return {
        goal_id: {
            variation_id: Covariate(total, int(squares), int(products))
            for variation_id, (total, squares, products) in by_variation.items()
        }
        for goal_id, by_variation in totals.get("covariates", {}).items()
    }


def _to_write(digests: Mapping[Slice, str], standing: Document | None) -> Iterable[Slice]:
    if standing is None:
        return digests
    before = {_slice(name): digest for name, digest in standing.get("digests", {}).items()}
    return [key for key in digests.keys() | before.keys() if digests.get(key) != before.get(key)]


def _slice(name: str) -> Slice:
    kind, _, date = name.partition("#")
    return Slice("DAY" if kind == "DAY" else "SEG", date)


def _totals(plan: CountingPlan, counts: DailyCounts, digests: Mapping[Slice, str]) -> dict[str, Any]:
    visitors, goals, money = _sums(counts)
    through = counts.rest.through
    return {
        "experiment_id": plan.experiment_id,
        "measurement_epoch": plan.measurement_epoch,
        "through": None if through is None else timestamp(from_milliseconds(through)),
        "currency": plan.currency,
        "variations": {variation_id: {"visitors": visitors[variation_id]} for variation_id in plan.variation_ids},
        "goals": {
            goal.goal_id: {
                variation_id: _goal_document(goals[goal.goal_id, variation_id], money[goal.goal_id][variation_id])
                for variation_id in plan.variation_ids
            }
            for goal in plan.goals
        },
        "money": {
            goal_id: {
                variation_id: [[*key, *found] for key, found in sorted(kinds.items())]
                for variation_id, kinds in by_variation.items()
                if kinds
            }
            for goal_id, by_variation in money.items()
        },
        "spread": {goal_id: _spread(steps) for goal_id, steps in counts.rest.spread.items() if steps},
        "covariates": {
            goal.goal_id: _covariates(plan, counts.rest.covariates[goal.goal_id])
            for goal in plan.goals
            if goal.goal_id in counts.rest.covariates
        },
        **_sessions(plan, counts),
        "multiple_exposure": counts.rest.multiple_exposure,
        "days": sorted({slice_.date for slice_ in digests}),
        "digests": {f"{slice_.kind}#{slice_.date}": digest for slice_, digest in sorted(digests.items())},
        "source": _source(plan, counts, digests),
    }


def _sums(
    counts: DailyCounts,
) -> tuple[
    Mapping[str, int], Mapping[tuple[str, str], GoalCount], Mapping[str, Mapping[str, dict[tuple[str, str], Money]]]
]:
    """Visitors, goals and money of all days together; what is not there is zero."""
    visitors: defaultdict[str, int] = defaultdict(int)
    goals: defaultdict[tuple[str, str], GoalCount] = defaultdict(GoalCount)
    money: defaultdict[str, defaultdict[str, dict[tuple[str, str], Money]]] = defaultdict(lambda: defaultdict(dict))
    for piece in (piece for slice_, piece in counts.pieces.items() if slice_.kind == "DAY"):
        for variation_id, number in piece.visitors.items():
            visitors[variation_id] += number
        for key, count in piece.goals.items():
            goals[key] = goals[key].plus(count)
        for (goal_id, variation_id, kind, currency), found in piece.money.items():
            kinds = money[goal_id][variation_id]
            kinds[kind, currency] = kinds.get((kind, currency), Money()).plus(found)
    return visitors, goals, money


def _goal_document(count: GoalCount, money: Mapping[tuple[str, str], Money]) -> Document:
    return {
        "converters": count.converters,
        "count": count.hits,
        "sum_minor": count.total,
        "sum_squares_minor": str(count.squares),
        "excluded": sum(found.orders for (kind, _), found in money.items() if kind in LEFT_OUT),
    }


def _covariates(plan: CountingPlan, found: Mapping[str, Covariate]) -> Document:
    sums = {variation_id: found.get(variation_id, Covariate()) for variation_id in plan.variation_ids}
    return {
        variation_id: [total, str(squares), str(products)] for variation_id, (total, squares, products) in sums.items()
    }


def _sessions(plan: CountingPlan, counts: DailyCounts) -> Document:
    if not plan.has_sessions:
        return {}
    sessions = counts.rest.sessions
    return {"sessions": {name: sessions.get(name, SessionCount())._asdict() for name in plan.variation_ids}}


def _sessions_in(totals: Document) -> Mapping[str, SessionCount]:
    """None where an older release did not count them."""
    found = {name: SessionCount(**told) for name, told in totals.get("sessions", {}).items()}
    return {name: sessions for name, sessions in found.items() if any(sessions)}


def _spread(steps: Mapping[Step, GoalCount]) -> Document:
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for step, count in sorted(steps.items()):
        found[step.variation_id].append([step.ceiling, count.converters, count.hits, count.total, str(count.squares)])
    return dict(found)


def _steps(by_variation: Mapping[str, Iterable[Any]]) -> Mapping[Step, GoalCount]:
    return {
        Step(variation_id, ceiling): GoalCount(converters, hits, total, int(squares))
        for variation_id, entries in by_variation.items()
        for ceiling, converters, hits, total, squares in entries
    }


def _source(plan: CountingPlan, counts: DailyCounts, digests: Mapping[Slice, str]) -> str:
    rest = counts.rest
    spread = {goal_id: _spread(steps) for goal_id, steps in rest.spread.items() if steps}
    pieces = sorted([*slice_, digest] for slice_, digest in digests.items())
    sessions = sorted([name, *found] for name, found in rest.sessions.items())
    covariates = {goal_id: _covariates(plan, found) for goal_id, found in rest.covariates.items()}
    return canonical_json.sha256([asdict(plan), pieces, spread, rest.multiple_exposure, sessions, covariates])


def shop_day_document(day: ShopDay, *, generation: int, computed_at: Timestamp) -> Document:
    """A shop's day as it is stored."""
    return {
        "shop_id": day.shop_id,
        "date": day.date,
        "generation": generation,
        "computed_at": computed_at,
        "currency": day.currency,
        "activity": [[*cell, visitors] for cell, visitors in sorted(day.activity.items())],
        "orders": [[*cell, *money] for cell, money in sorted(day.orders.items())],
        "repeated_orders": day.repeated_orders,
        "events": dict(day.events),
        "steps": dict(day.steps),
        "segments": {
            dimension: {value: list(count) for value, count in values.items()}
            for dimension, values in day.segments.items()
        },
        "stitch": list(day.stitch),
    }


def shop_day_of(document: Document) -> ShopDay:
    """The day that a document holds."""
    return ShopDay(
        shop_id=document["shop_id"],
        date=document["date"],
        currency=document["currency"],
        activity={Activity(*entry[:2]): entry[2] for entry in document["activity"]},
        orders={OrderCell(*entry[:3]): Money(*entry[3:]) for entry in document["orders"]},
        repeated_orders=document.get("repeated_orders"),
        events=document["events"],
        steps=document["steps"],
        segments={
            dimension: {value: SegmentCount(*count) for value, count in values.items()}
            for dimension, values in document["segments"].items()
        },
        stitch=Stitch(*document["stitch"]),
    )
