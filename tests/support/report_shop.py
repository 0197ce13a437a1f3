"""An experiment as it would be counted, with numbers that fit each other. Nothing is drawn at random."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from abtest.contract import report as contract
from abtest.contract import results, trust
from abtest.kit.clock import timestamp
from tests.support.report_advice import advised
from tests.support.report_facts import ALPHA, BEGAN, at, draft, entry, ident

WIDE = 2.9
"""Standard errors that an always-valid interval takes to either side, about."""


class Shop:
    """A running experiment as it would be counted: rates by variation, the same visitors every day."""

    def __init__(self, names: Sequence[str], *, days: int, daily: int, plan: int | None = None) -> None:
        self.names, self.days, self.daily, self.plan = names, days, daily, plan

    def visitors(self, number: int, days: float) -> int:
        """Of one variation."""
        return int(self.daily * days / len(self.names) * (1 + 0.004 * math.sin(number + days)))

    def rate(self, base: float, lift: float, number: int, days: float) -> float:
        """It swings in the beginning, and settles."""
        turns = math.log1p(9 * days)
        noise = 0.2 * base * (math.sin(2.2 * number + 3 * turns) + 0.3 * math.sin(number + 13 * turns)) / (1 + 2 * days)
        return base * (1 + lift) + noise

    def report(self, goals: Sequence[Mapping[str, Any]], **fields: Any) -> contract.Report:
        """The whole; `fields` replace what is worked out here."""
        base = draft(self.names, verdict="undecided", sentence="")
        now = at(self.days)
        shown = [self.goal(number, **goal) for number, goal in enumerate(goals)]
        total = sum(self.visitors(number, self.days) for number in range(len(self.names)))
        experiment = base.experiment.model_copy(
            update={
                "status": "running",
                "started_at": at(0),
                "variations": [
                    one.model_copy(update={"visitors": self.visitors(number, self.days)})
                    for number, one in enumerate(base.experiment.variations)
                ],
            }
        )
        found = {
            "experiment": experiment.model_copy(update=fields.pop("experiment", {})),
            "generated_at": at(self.days + 0.01),
            "computed_at": now,
            "through": at(self.days - 0.002),
            "generation": 1208,
            "checked_at": at(self.days - 0.004),
            "measurement": trust.Measurement(
                epoch=1, began_at=at(0), because="launched", message="Counted since the launch, 2026-10-05 08:30 UTC."
            ),
            "goals": shown,
            "interval_over_time": self.course(goals[0], shown[0]),
            "curves": self.series(goals[:3]),
            "srm": self.srm(),
            "segments": self.segments(goals[0], shown[0]),
            "plan": self.progress(shown[0], total),
            "timeline": [
                entry(-6, "created", "Created."),
                entry(-1, "approval", "Approve: looks right on all phones"),
                entry(0, "launched", "Launched.", epoch=1),
            ],
        }
        return advised(contract.Report.model_validate({**dict(base), **found, **fields}))

    def srm(self) -> trust.SampleRatio:
        observed = {ident(1, number): self.visitors(number, self.days) for number in range(len(self.names))}
        expected = dict.fromkeys(observed, sum(observed.values()) / len(observed))
        return trust.SampleRatio(
            p_value=0.62, status="ok", expected=expected, observed=observed, sequential_p_value=1.0
        )

    def goal(
        self, number: int, *, name: str, base: float, lifts: Sequence[float], money: float = 0, **more: Any
    ) -> results.GoalResult:
        """A goal of rates, or where `money` is what an order brings, of revenue."""
        rows = [self.row(index, name, base, lifts, money, more.get("direction")) for index in range(len(self.names))]
        return results.GoalResult(
            adjustment=None,
            engine="sequential",
            goal_id=ident(2, number),
            name=name,
            type="revenue" if money else "custom",
            role="primary" if number == 0 else more.get("role", "secondary"),
            direction=more.get("direction", "increase"),
            aggregation="sum" if money else "conversion",
            numerator=None,
            denominator=None,
            metric="mean" if money else "rate",
            is_archived=False,
            not_evaluable=None,
            rows=rows,
        )

    def row(
        self,
        index: int,
        goal: str,
        base: float,
        lifts: Sequence[float],
        money: float,
        direction: str | None,
        **more: Any,
    ) -> results.ResultRow:
        visitors = more.get("visitors", self.visitors(index, self.days))
        rates = [self.rate(base, lifts[arm], arm, self.days) for arm in (0, index)]
        deviation = money * 1.6 if money else 1
        error = deviation * math.sqrt(sum(rate * (1 - rate) / max(1, visitors) for rate in rates))
        values = [rate * (money or 1) for rate in rates]
        difference = values[1] - values[0]
        converted = int(rates[1] * visitors)
        state, message = self.state(index, difference, error, converted, direction)
        compared = index > 0 and state not in ("too_few_conversions", "no_visitors")
        p = min(1.0, math.exp(-0.5 * (abs(difference) / error) ** 2 + 1.2)) if compared else None
        lift, room = difference / values[0], WIDE * error / values[0]
        return results.ResultRow(
            variation_id=ident(1, index),
            variation_name=self.names[index],
            is_control=index == 0,
            visitors=visitors,
            conversions=converted,
            count=int(converted * 1.04) if money else converted,
            rate=None if money else rates[1],
            mean=values[1] if money else None,
            ratio=None,
            numerator_sum=None,
            denominator_sum=None,
            sd=None,
            revenue=round(values[1] * visitors, 2) if money else None,
            value=None,
            currency="EUR" if money else None,
            excluded=None,
            is_winsorized=None,
            winsorized_at=None,
            lift=lift if index else None,
            ci=results.Interval(lower=lift - room, upper=lift + room) if compared else None,
            difference=difference if index else None,
            difference_ci=results.Interval(lower=difference - WIDE * error, upper=difference + WIDE * error)
            if compared
            else None,
            p_value=None,
            adjusted_p_value=p,
            always_valid_p=p,
            prob_to_beat_control=None,
            expected_loss=None,
            is_significant=p < ALPHA if p is not None else None,
            state=state,
            message=message,
            cuped=None,
            **dict.fromkeys(results.ForeignMoney.model_fields),
        )

    def state(self, index: int, difference: float, error: float, converted: int, direction: str | None) -> Any:
        if index == 0:
            return "baseline", "what the others are compared with"
        if converted < 25:
            return "too_few_conversions", f"too few conversions yet: {converted} of 25 in {self.names[index]}"
        if abs(difference) < WIDE * error:
            return "undecided", "no significant difference so far"
        side = "better" if (difference > 0) != (direction == "decrease") else "worse"
        return side, f"significantly {side}"

    def course(self, goal: Mapping[str, Any], shown: results.GoalResult) -> contract.IntervalCourse:
        """Twelve looks a day at first, then fewer."""
        steps = min(120, self.days * 12)
        looks = [self.look(goal, self.days * (step + 1) / steps, step) for step in range(steps)]
        money = goal.get("money")
        return contract.IntervalCourse(
            goal_id=shown.goal_id,
            metric=shown.metric,
            currency="EUR" if money else None,
            alpha=ALPHA / (len(self.names) - 1),
            looks=looks,
        )

    def look(self, goal: Mapping[str, Any], days: float, step: int) -> contract.IntervalLook:
        treatments = []
        money = goal.get("money") or 1
        for index in range(1, len(self.names)):
            rates = [self.rate(goal["base"], goal["lifts"][arm], arm, days) for arm in (0, index)]
            visitors = max(1, self.visitors(index, days))
            error = money * math.sqrt(2 * max(1e-5, rates[0] * (1 - rates[0])) / visitors)
            difference, wide = (rates[1] - rates[0]) * money, WIDE + 2 / (1 + days)
            treatments.append(
                contract.IntervalPoint(
                    variation_id=ident(1, index),
                    difference=difference,
                    lower=difference - wide * error if visitors > 60 else None,
                    upper=difference + wide * error if visitors > 60 else None,
                    always_valid_p=1.0,
                )
            )
        return contract.IntervalLook(
            moment=at(days), generation=step + 1, visitors=int(self.daily * days), treatments=treatments
        )

    def series(self, goals: Sequence[Mapping[str, Any]]) -> results.Timeseries:
        midnight = BEGAN.replace(hour=0, minute=0)
        data = [
            results.Bucket(
                start=timestamp(midnight + timedelta(days=day)),
                end=timestamp(midnight + timedelta(days=day + 1)),
                date=f"{midnight + timedelta(days=day):%Y-%m-%d}",
                goals=[self.bucket(number, goal, day + 1) for number, goal in enumerate(goals)],
            )
            for day in range(self.days)
        ]
        return results.Timeseries(
            experiment_id=ident(9, 1),
            measurement_epoch=1,
            computed_at=at(self.days),
            generation=1208,
            timezone="UTC",
            granularity="day",
            mode="cumulative",
            currency="EUR",
            narrowed_to=None,
            data=data,
        )

    def bucket(self, number: int, goal: Mapping[str, Any], days: float) -> results.SeriesGoal:
        money = goal.get("money")
        rows = []
        for index in range(len(self.names)):
            visitors, rate = self.visitors(index, days), self.rate(goal["base"], goal["lifts"][index], index, days)
            rows.append(
                results.SeriesRow(
                    variation_id=ident(1, index),
                    visitors=visitors,
                    conversions=int(rate * visitors),
                    count=int(rate * visitors),
                    rate=None if money else rate,
                    mean=rate * money if money else None,
                    ratio=None,
                    revenue=rate * money * visitors if money else None,
                )
            )
        return results.SeriesGoal(goal_id=ident(2, number), metric="mean" if money else "rate", rows=rows)

    def segments(self, goal: Mapping[str, Any], shown: results.GoalResult) -> list[contract.ReportSegments]:
        splits: dict[Any, dict[str, float]] = {
            "device": {"mobile": 0.66, "desktop": 0.29, "tablet": 0.05},
            "new_returning": {"new": 0.71, "returning": 0.29},
        }
        return [
            contract.ReportSegments(
                dimension=dimension,
                segments=[self.segment(goal, shown, dimension, value, share) for value, share in values.items()],
                left_out=0,
            )
            for dimension, values in splits.items()
        ]

    def segment(
        self, goal: Mapping[str, Any], shown: results.GoalResult, dimension: Any, value: str, share: float
    ) -> results.SegmentResults:
        rows = [
            self.row(
                index,
                shown.name,
                goal["base"] * (1.3 - share / 2),
                goal["lifts"],
                goal.get("money") or 0,
                None,
                visitors=int(share * self.visitors(index, self.days)),
            )
            for index in range(len(self.names))
        ]
        return results.SegmentResults(
            values={dimension: value},
            visitors=sum(row.visitors for row in rows),
            goals=[shown.model_copy(update={"rows": rows})],
        )

    def progress(self, goal: results.GoalResult, total: int) -> trust.PlanProgress | None:
        if self.plan is None:
            return None
        left = max(0.0, (self.plan - total) / self.daily)
        return trust.PlanProgress(
            goal_id=goal.goal_id,
            goal_name=goal.name,
            goal_state="in_use",
            mode="sequential_significance",
            engine="sequential",
            baseline_rate=0.031,
            mde=0.08,
            power=0.8,
            required_total_visitors=self.plan,
            required_sample_per_variant=self.plan // len(self.names),
            reached_visitors=total,
            reached=total / self.plan,
            days_left=left,
            endpoint_reached_at=None,
            outcome=None,
            blocked_reason=None,
            message=f"{total:,} of {self.plan:,} planned visitors"
            + (f"; about {math.ceil(left)} days to go" if left else ""),
        )
