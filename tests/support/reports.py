"""Facts of reports in every state that the page knows, with numbers that fit each other. Nothing is drawn at random."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from abtest.contract import report as contract
from abtest.contract import results, trust
from abtest.kit.clock import timestamp

BEGAN = datetime(2026, 10, 5, 8, 30, tzinfo=UTC)
ALPHA, WIDE = 0.05, 2.9
"""`WIDE`: standard errors that an always-valid interval takes to either side, about."""

HOSTILE = '</script><img src=x onerror="document.title=1">'
HOSTILE_SVG = '"><svg onload="document.title=1"></svg></title></desc>'
HOSTILE_STYLE = "</style><style>*{display:none}</style><!-- "
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2
ARABIC = "عنوان الصفحة الرئيسية \u202eمع عرض الشحن المجاني"
HEBREW = "כותרת קצרה יותר"


def ident(kind: int, number: int) -> str:
    """A UUID that tells what it is of."""
    return f"{kind:08d}-0000-4000-8000-{number:012d}"


def at(days: float) -> str:
    """A moment so many days after the beginning."""
    return timestamp(BEGAN + timedelta(days=days))


def empty() -> contract.Report:
    """A draft that never ran."""
    return draft(["Control", "Short headline"], verdict="not_started", sentence="This experiment has not started yet")


def draft(names: Sequence[str], *, verdict: Any, sentence: str, name: str = "Product page: short headline") -> Any:
    """Everything that stands in a report before anything is counted."""
    share = 1 / len(names)
    variations = [
        contract.ReportVariation(id=ident(1, number), name=one, is_control=number == 0, weight=share, visitors=0)
        for number, one in enumerate(names)
    ]
    return contract.Report(
        experiment=contract.ReportExperiment(
            id=ident(9, 1),
            public_id="4711081547",
            name=name,
            description="Visitors who see the benefit in one line should find the size guide and buy more often.",
            status="draft",
            counting_type="standard",
            started_at=None,
            ended_at=None,
            archived_at=None,
            outcome=None,
            winning_variation_id=None,
            learning=None,
            variations=variations,
        ),
        generated_at=at(-2),
        computed_at=None,
        through=None,
        generation=None,
        engine="sequential",
        correction="holm",
        alpha=ALPHA,
        currency="EUR",
        measurement=trust.Measurement(
            epoch=1, began_at=None, because=None, message="Nothing is counted before the first start."
        ),
        verdict=contract.Verdict(
            status=verdict, sentence=sentence, details=[], goal_id=None, variation_id=None, days_left=None
        ),
        goals=[],
        interval_over_time=None,
        curves=None,
        srm=trust.SampleRatio(p_value=None, status="not_evaluable", expected={}, observed={}, sequential_p_value=None),
        multiple_exposure=0,
        health=[],
        coverage=trust.Coverage(mixed_populations=False, reasons=[]),
        money_set_aside=None,
        segments=[],
        segment_note="Segments are not corrected for how many there are: take them as hints for the next test",
        plan=None,
        timeline=[entry(-6, "created", "Created.", "person")],
        timeline_left_out=0,
    )


def entry(days: float, kind: Any, sentence: str, by: Any = "person", epoch: int | None = None) -> Any:
    """Of the timeline."""
    user = ident(7, 1) if by == "person" else None
    return contract.TimelineEntry(
        moment=at(days), kind=kind, sentence=sentence, by=by, user_id=user, measurement_epoch=epoch
    )


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
        return contract.Report.model_validate({**dict(base), **found, **fields})

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
            goal_id=ident(2, number),
            name=name,
            type="revenue" if money else "custom",
            role="primary" if number == 0 else more.get("role", "secondary"),
            direction=more.get("direction", "increase"),
            aggregation="sum" if money else "conversion",
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


def verdict(status: Any, sentence: str, *details: str, variation: int | None = None, days: float | None = None) -> Any:
    """About the first goal."""
    return contract.Verdict(
        status=status,
        sentence=sentence,
        details=list(details),
        goal_id=ident(2, 0),
        variation_id=None if variation is None else ident(1, variation),
        days_left=days,
    )


def little() -> contract.Report:
    """The first hours."""
    goals = [{"name": "Purchase", "base": 0.031, "lifts": [0, 0.06]}]
    return Shop(["Control", "Short headline"], days=1, daily=640, plan=62_000).report(
        goals, verdict=verdict("too_early", "Too early to say: 9 of 25 conversions in Control"), generation=14
    )


def undecided() -> contract.Report:
    """In its third week, with three goals."""
    goals = [
        {"name": "Purchase", "base": 0.031, "lifts": [0, 0.035]},
        {"name": "Revenue", "base": 0.031, "lifts": [0, 0.05], "money": 74.0},
        {"name": "Size guide opened", "base": 0.21, "lifts": [0, 0.09]},
        {"name": "Order returned", "base": 0.012, "lifts": [0, -0.04], "direction": "decrease", "role": "guardrail"},
    ]
    return Shop(["Control", "Short headline"], days=18, daily=2150, plan=64_000).report(
        goals,
        verdict=verdict(
            "undecided",
            "No decision yet: about 12 more days",
            "“Short headline”: no significant difference so far",
            days=12,
        ),
    )


def winner() -> contract.Report:
    """Paused by auto-stop with a winner; four weeks, three arms."""
    goals = [
        {"name": "Purchase", "base": 0.034, "lifts": [0, 0.182, 0.02]},
        {"name": "Revenue", "base": 0.034, "lifts": [0, 0.19, 0.01], "money": 81.5},
        {"name": "Added to cart", "base": 0.118, "lifts": [0, 0.09, -0.01]},
    ]
    shop = Shop(
        ["Control", "Variant B: reviews above the fold", "Variant C: reviews in a tab"],
        days=28,
        daily=3900,
        plan=96_000,
    )
    found = shop.report(
        goals,
        verdict=verdict(
            "winner",
            "“Variant B: reviews above the fold” wins: Purchase rises by 18.4% (between +6.4% and +30.4%)",
            "“Variant C: reviews in a tab” shows no difference",
            "The planned sample is reached, and visitors are split as planned",
            variation=1,
        ),
        experiment={
            "status": "completed",
            "ended_at": at(28),
            "outcome": "won",
            "winning_variation_id": ident(1, 1),
            "learning": "Reviews sell when they are seen without scrolling. Next: reviews on category pages.",
            "name": "Product page: where reviews stand",
        },
    )
    story = [
        *found.timeline,
        entry(9.3, "changed", "Edited: description."),
        entry(27.4, "paused", "Paused by auto-stop: “Variant B: reviews above the fold” won.", "auto_stop"),
        entry(28, "completed", "Completed as won, winner “Variant B: reviews above the fold”."),
        entry(28.1, "shipped", "“Variant B: reviews above the fold” was shipped to everybody as a personalization."),
    ]
    return found.model_copy(update={"timeline": story})


def harmed() -> contract.Report:
    """Paused by Guardian."""
    goals = [
        {"name": "Purchase", "base": 0.036, "lifts": [0, -0.31]},
        {"name": "Checkout begun", "base": 0.088, "lifts": [0, -0.24]},
    ]
    finding = trust.HealthFinding(
        kind="conversion_harm",
        severity="critical",
        message="Purchase in “One-page checkout” is 29% below the control",
        action="pause",
        detected_at=at(4.1),
        variation_id=ident(1, 1),
        goal_id=ident(2, 0),
    )
    found = Shop(["Control", "One-page checkout"], days=4, daily=5200, plan=64_000).report(
        goals,
        verdict=verdict(
            "stopped_for_harm",
            "Guardian stopped this test: “One-page checkout” costs orders",
            "Purchase falls by 29.0% (between −48.5% and −9.5%)",
            variation=1,
        ),
        health=[finding],
        experiment={"status": "paused", "name": "Checkout on one page"},
    )
    pause = entry(4.1, "paused", "Paused by Guardian. Purchase in “One-page checkout” is far below.", "guardian")
    return found.model_copy(update={"timeline": [*found.timeline, pause]})


def inconclusive() -> contract.Report:
    """At the planned end without a difference."""
    goals = [{"name": "Purchase", "base": 0.031, "lifts": [0, 0.004]}]
    return Shop(["Control", "Green button"], days=30, daily=2200, plan=64_000).report(
        goals,
        verdict=verdict(
            "no_winner",
            "No winner: the planned sample is reached, and no difference of 8% or more was found",
            "If there is a difference at all, it is between −12.0% and +13.4%",
        ),
        experiment={"status": "paused", "name": "Colour of the button"},
    )


def foreign() -> contract.Report:
    """Revenue decides, and part of it came in other currencies."""
    goals = [
        {"name": "Revenue", "base": 0.029, "lifts": [0, 0.07, 0.01], "money": 92.4},
        {"name": "Purchase", "base": 0.029, "lifts": [0, 0.05, 0.02]},
    ]
    ids = [ident(1, number) for number in range(3)]

    def amount(kind: Any, currency: str | None, orders: Sequence[int], value: float) -> Any:
        return contract.AmountSetAside(
            goal_id=ident(2, 0),
            goal_name="Revenue",
            kind=kind,
            currency=currency,
            orders=sum(orders),
            amount=value,
            by_variation=dict(zip(ids, orders, strict=True)),
        )

    return Shop(["Control", "Free shipping from 50", "Free shipping from 80"], days=15, daily=2600).report(
        goals,
        verdict=verdict("undecided", "No decision yet, and nobody planned how long to wait", days=None),
        money_set_aside=contract.MoneySetAside(
            currency="EUR",
            share_of_orders=0.043,
            amounts=[
                amount("foreign", "USD", [14, 11, 12], 3120.45),
                amount("foreign", "JPY", [3, 2, 1], 84_200),
                amount("unknown", None, [2, 0, 1], 251.9),
            ],
            message="46 orders are in other currencies than EUR or in none that was told, and are in no sum",
        ),
        health=[
            trust.HealthFinding(
                kind="currency_residue",
                severity="warning",
                message="4.3% of the orders are in other currencies: revenue is not judged until that is below 2%",
                action="alert",
                detected_at=at(11.4),
                variation_id=None,
                goal_id=ident(2, 0),
            )
        ],
        multiple_exposure=12,
    )


def crowded() -> contract.Report:
    """Ten variations, twenty goals."""
    names = ["Control", *(f"Recommendation list {number}" for number in range(1, 10))]
    goals = [
        {
            "name": f"Goal {number + 1}: {'revenue' if number == 1 else 'step'} of the funnel",
            "base": 0.02 + 0.012 * number,
            "lifts": [0, *(0.09 * math.sin(3 * number + 2 * arm) for arm in range(1, 10))],
            **({"money": 63.0} if number == 1 else {}),
        }
        for number in range(20)
    ]
    return Shop(names, days=24, daily=21_000, plan=700_000).report(
        goals, verdict=verdict("undecided", "No decision yet: about 10 more days", days=10)
    )


def mismatched() -> contract.Report:
    """The split is off."""
    goals = [{"name": "Purchase", "base": 0.031, "lifts": [0, 0.22]}]
    shop = Shop(["Control", "Redirect to the new page"], days=9, daily=3000, plan=64_000)
    observed = {ident(1, 0): 14_120, ident(1, 1): 12_880}
    finding = trust.HealthFinding(
        kind="sample_ratio_mismatch",
        severity="critical",
        message="visitors are not split as the weights say; do not trust the comparison before you know why",
        action="alert",
        detected_at=at(1.2),
        variation_id=None,
        goal_id=None,
    )
    return shop.report(
        goals,
        verdict=verdict(
            "not_trusted",
            "Do not decide by these numbers: visitors are not split as planned",
            "Whoever is missing from “Redirect to the new page” may be the reason of the difference",
        ),
        srm=trust.SampleRatio(
            p_value=4e-14,
            status="mismatch",
            expected=dict.fromkeys(observed, 13_500.0),
            observed=observed,
            sequential_p_value=1e-12,
        ),
        health=[finding],
        coverage=trust.Coverage(mixed_populations=True, reasons=["consent_gated_sdk"]),
        experiment={"name": "New landing page"},
    )


def hostile() -> contract.Report:
    """Names that would be markup, that never end, that run from right to left."""
    names = [HOSTILE, HOSTILE_SVG, LONG, ARABIC]
    goals = [
        {"name": HOSTILE_STYLE, "base": 0.03, "lifts": [0, 0.05, 0.2, -0.3]},
        {"name": LONG, "base": 0.03, "lifts": [0, 0.05, 0.2, -0.3], "money": 1_234_567.0},
        {"name": HEBREW, "base": 0.03, "lifts": [0, 0.05, 0.2, -0.3]},
    ]
    found = Shop(names, days=12, daily=3000, plan=64_000).report(
        goals,
        verdict=verdict("undecided", f"No decision yet: {HOSTILE} against {ARABIC}", HOSTILE_STYLE, LONG),
        experiment={"name": f"{ARABIC} {HOSTILE}", "description": f"{HOSTILE_STYLE}\n{LONG}", "learning": HOSTILE},
        segment_note=HOSTILE,
        health=[
            trust.HealthFinding(
                kind="event_gap",
                severity="notice",
                message=f"nothing since yesterday \x00\ud800 {HOSTILE_SVG}",
                action=None,
                detected_at=None,
                variation_id=None,
                goal_id=None,
            )
        ],
    )
    return found.model_copy(update={"timeline": [entry(1, "paused", f"Paused: {HOSTILE} {LONG}")]})


STATES: Mapping[str, Callable[[], contract.Report]] = {
    "empty": empty,
    "little": little,
    "undecided": undecided,
    "winner": winner,
    "harmed": harmed,
    "inconclusive": inconclusive,
    "foreign": foreign,
    "crowded": crowded,
    "mismatched": mismatched,
    "hostile": hostile,
}
