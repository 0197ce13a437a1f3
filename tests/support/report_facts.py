"""What every report in tests is made of: ids, moments, and all that stands in one before anything is counted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from abtest.contract import report as contract
from abtest.contract import report_advice, trust
from abtest.domain.autostop.default_engine import REASONS
from abtest.kit.clock import timestamp
from abtest.services.results.worth import worth_of

BEGAN = datetime(2026, 10, 5, 8, 30, tzinfo=UTC)
ALPHA = 0.05


def ident(kind: int, number: int) -> str:
    """A UUID that tells what it is of."""
    return f"{kind:08d}-0000-4000-8000-{number:012d}"


def at(days: float) -> str:
    """A moment so many days after the beginning."""
    return timestamp(BEGAN + timedelta(days=days))


def draft(
    names: Sequence[str], *, verdict: Any, sentence: str, name: str = "Product page: short headline"
) -> contract.Report:
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
            scheduled_end_at=None,
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
        engine_reason="running",
        engine_message=REASONS["running"],
        planned_looks=None,
        correction="holm",
        correction_family="treatments",
        correction_message="Holm, across the treatments of a goal",
        alpha=ALPHA,
        currency="EUR",
        measurement=trust.Measurement(
            epoch=1, began_at=None, because=None, message="Nothing is counted before the first start."
        ),
        verdict=contract.Verdict(
            status=verdict, sentence=sentence, details=[], goal_id=None, variation_id=None, days_left=None
        ),
        next_step=report_advice.NextStep(
            code="launch", sentence="Launch it when it is ready: nothing is measured before the start."
        ),
        measured_time=None,
        worth=worth_of(None, None, "EUR"),
        implausible_lifts=[],
        early_stop=None,
        goals=[],
        guardrails=[],
        interval_over_time=None,
        curves=None,
        srm=trust.SampleRatio(p_value=None, status="not_evaluable", expected={}, observed={}, sequential_p_value=None),
        multiple_exposure=0,
        health=[],
        checked_at=None,
        coverage=trust.Coverage(mixed_populations=False, reasons=[]),
        money_set_aside=None,
        segments=[],
        segment_note="Segments are not corrected for how many there are: take them as hints for the next test",
        plan=None,
        pictures=[],
        timeline=[entry(-6, "created", "Created.", "person")],
        detectable_effects=[],
        timeline_left_out=0,
    )


def entry(days: float, kind: Any, sentence: str, by: Any = "person", epoch: int | None = None) -> Any:
    """Of the timeline."""
    user = ident(7, 1) if by == "person" else None
    return contract.TimelineEntry(
        moment=at(days), kind=kind, sentence=sentence, by=by, user_id=user, measurement_epoch=epoch
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
