"""Codec of counts: the documents of docs/data-model.md section 5, which are totals, days, segments and shop days."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from abtest.domain.ledger.cells import Counts, Covariate, GoalCount, Money, SessionCount, Step
from abtest.domain.ledger.daily_counts import DailyCounts, Document, Slice, counted_from
from abtest.domain.ledger.plans import CountingPlan, digested
from abtest.domain.ledger.rows import LEFT_OUT
from abtest.domain.ledger.shop_days import Activity, OrderCell, SegmentCount, ShopDay, Stitch
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp, from_milliseconds, parse_milliseconds, timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class RollupDocuments:
    """One write: the totals, and by date (`YYYY-MM-DD`) the day and segment items that differ from the stored ones."""

    totals: Document
    days: Mapping[str, Document]
    segments: Mapping[str, Document]


def rollup_documents(
    plan: CountingPlan, counts: DailyCounts, *, generation: int, computed_at: Timestamp, stored: Document | None
) -> RollupDocuments:
    """Return the documents of a new generation.

    `stored` is the totals document whose items are all stored, None without one or when its write was cut short: then
    every item is written. Days whose counts all became zero are written empty.
    """
    digests = {slice_: piece.digest for slice_, piece in counts.pieces.items()}
    totals = _totals(plan, counts, digests) | {"generation": generation, "computed_at": computed_at}
    identity = {"experiment_id": plan.experiment_id, "measurement_epoch": plan.measurement_epoch}
    stamp = {**identity, "generation": generation, "computed_at": computed_at}
    bodies: dict[str, dict[str, Document]] = {"DAY": {}, "SEG": {}}
    # Keys are `DAY#YYYY-MM-DD` and `SEG#YYYY-MM-DD`.
    before: Mapping[Slice, str] = {
        Slice("DAY" if name.startswith("DAY#") else "SEG", name.partition("#")[2]): digest
        for name, digest in (stored or {}).get("digests", {}).items()
    }
    for slice_ in (slice_ for slice_ in {**digests, **before} if digests.get(slice_) != before.get(slice_)):
        body = counts.pieces[slice_].body if slice_ in counts.pieces else EMPTY
        bodies[slice_.kind][slice_.date] = {**stamp, "date": slice_.date, **body}
    return RollupDocuments(totals=totals, days=bodies["DAY"], segments=bodies["SEG"])


EMPTY: Document = {"cells": [], "goals": {}, "money": {}}


def source_of(plan: CountingPlan, counts: DailyCounts) -> str:
    """Return the digest of plan and counts: while the stored totals have the same, no content has to be written."""
    rest = counts.rest
    spread = {goal_id: _spread(steps) for goal_id, steps in rest.spread.items() if steps}
    pieces = sorted([*slice_, piece.digest] for slice_, piece in counts.pieces.items())
    sessions = sorted([name, *count] for name, count in rest.sessions.items())
    covariates = {goal_id: _covariates(plan, by_variation) for goal_id, by_variation in rest.covariates.items()}
    steps = {goal_id: _covariate_steps(each) for goal_id, each in rest.covariate_steps.items() if each}
    # `through` is left out: it moves with every row received, also with those that change no count.
    parts = [digested(plan), pieces, spread, rest.multiple_exposure, sessions, covariates]
    # Only where there are any, so that a release that began to count them rewrites no other totals.
    return canonical_json.sha256([*parts, steps] if steps else parts)


def counts_of(totals: Document, days: Iterable[Document] = (), segments: Iterable[Document] = ()) -> Counts:
    """Return the counts in the documents: complete with all day and segment items, else those of the given days."""
    counts = counted_from([*days, *segments])
    through = totals.get("through")
    # An older release did not count sessions.
    sessions = {name: SessionCount(**count) for name, count in totals.get("sessions", {}).items()}
    return replace(
        counts,
        goals={goal_id: counts.goals.get(goal_id, {}) for goal_id in {**totals["goals"], **counts.goals}},
        spread=spread_in(totals),
        covariates={
            goal_id: {name: covariate for name, covariate in by_variation.items() if any(covariate)}
            for goal_id, by_variation in covariates_in(totals).items()
        },
        covariate_steps=covariate_steps_in(totals),
        sessions={name: count for name, count in sessions.items() if any(count)},
        multiple_exposure=totals["multiple_exposure"],
        through=None if through is None else parse_milliseconds(through),
    )


def goal_count(document: Document) -> GoalCount:
    """Return a goal's statistics in a variation, from its entry in the totals."""
    return GoalCount(
        converters=document["converters"],
        hits=document["count"],
        total=document["sum_minor"],
        squares=int(document["sum_squares_minor"]),
    )


def spread_in(totals: Document) -> Mapping[str, Mapping[Step, GoalCount]]:
    """Return the steps in the totals, by goal."""
    return {
        goal_id: {
            Step(variation_id, ceiling): GoalCount(converters, hits, total, int(squares))
            for variation_id, entries in by_variation.items()
            for ceiling, converters, hits, total, squares in entries
        }
        for goal_id, by_variation in totals.get("spread", {}).items()
    }


def covariates_in(totals: Document) -> Mapping[str, Mapping[str, Covariate]]:
    """Return the covariates in the totals by goal and variation, with zeros; none in those of an older release."""
    return {
        goal_id: {
            variation_id: Covariate(total, int(squares), int(products))
            for variation_id, (total, squares, products) in by_variation.items()
        }
        for goal_id, by_variation in totals.get("covariates", {}).items()
    }


def covariate_steps_in(totals: Document) -> Mapping[str, Mapping[Step, Covariate]]:
    """Return the covariates of the steps in the totals, by goal; no goal in those of an older release."""
    return {
        goal_id: {
            Step(variation_id, ceiling): Covariate(total, int(squares), int(products))
            for variation_id, entries in by_variation.items()
            for ceiling, total, squares, products in entries
        }
        for goal_id, by_variation in totals.get("covariate_steps", {}).items()
    }


def _totals(plan: CountingPlan, counts: DailyCounts, digests: Mapping[Slice, str]) -> dict[str, Any]:
    visitors, goals, money = _sums(counts)
    through, counted = counts.rest.through, counts.rest.sessions
    sessions = {name: counted.get(name, SessionCount())._asdict() for name in plan.variation_ids}
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
                variation_id: [[*key, *hits] for key, hits in sorted(kinds.items())]
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
        **_of_steps(plan, counts.rest.covariate_steps),
        **({"sessions": sessions} if plan.has_sessions else {}),
        "multiple_exposure": counts.rest.multiple_exposure,
        "days": sorted({slice_.date for slice_ in digests}),
        "digests": {f"{slice_.kind}#{slice_.date}": digest for slice_, digest in sorted(digests.items())},
        "source": source_of(plan, counts),
    }


def _sums(
    counts: DailyCounts,
) -> tuple[
    Mapping[str, int], Mapping[tuple[str, str], GoalCount], Mapping[str, Mapping[str, dict[tuple[str, str], Money]]]
]:
    """Sum visitors, goals and money of all days; missing entries are zero."""
    visitors: defaultdict[str, int] = defaultdict(int)
    goals: defaultdict[tuple[str, str], GoalCount] = defaultdict(GoalCount)
    money: defaultdict[str, defaultdict[str, dict[tuple[str, str], Money]]] = defaultdict(lambda: defaultdict(dict))
    # Days only: each visitor is in one of their cells, but also in ten cells of segments.
    for piece in (piece for slice_, piece in counts.pieces.items() if slice_.kind == "DAY"):
        for variation_id, number in piece.visitors.items():
            visitors[variation_id] += number
        for key, count in piece.goals.items():
            goals[key] = goals[key].plus(count)
        for (goal_id, variation_id, kind, currency), hits in piece.money.items():
            kinds = money[goal_id][variation_id]
            kinds[kind, currency] = kinds.get((kind, currency), Money()).plus(hits)
    return visitors, goals, money


def _goal_document(count: GoalCount, money: Mapping[tuple[str, str], Money]) -> Document:
    return {
        "converters": count.converters,
        "count": count.hits,
        "sum_minor": count.total,
        "sum_squares_minor": str(count.squares),
        "excluded": sum(hits.orders for (kind, _), hits in money.items() if kind in LEFT_OUT),
    }


def _covariates(plan: CountingPlan, counted: Mapping[str, Covariate]) -> Document:
    # Squares are texts: they may be larger than the integers of databases and of JavaScript.
    sums = {variation_id: counted.get(variation_id, Covariate()) for variation_id in plan.variation_ids}
    return {
        variation_id: [total, str(squares), str(products)] for variation_id, (total, squares, products) in sums.items()
    }


def _of_steps(plan: CountingPlan, counted: Mapping[str, Mapping[Step, Covariate]]) -> Document:
    goals = [goal.goal_id for goal in plan.goals if goal.has_covariate_steps and goal.goal_id in counted]
    return {"covariate_steps": {goal_id: _covariate_steps(counted[goal_id]) for goal_id in goals}} if goals else {}


def _covariate_steps(steps: Mapping[Step, Covariate]) -> Document:
    entries: defaultdict[str, list[Any]] = defaultdict(list)
    for step, (total, squares, products) in sorted(steps.items()):
        entries[step.variation_id].append([step.ceiling, total, str(squares), str(products)])
    return dict(entries)


def _spread(steps: Mapping[Step, GoalCount]) -> Document:
    entries: defaultdict[str, list[Any]] = defaultdict(list)
    for step, count in sorted(steps.items()):
        entries[step.variation_id].append([step.ceiling, count.converters, count.hits, count.total, str(count.squares)])
    return dict(entries)


def shop_day_document(day: ShopDay, *, generation: int, computed_at: Timestamp) -> Document:
    """Return the stored form of a shop's day."""
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
    """Read the stored form of a shop's day."""
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
