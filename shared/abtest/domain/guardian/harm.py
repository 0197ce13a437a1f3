"""Does the treatment cost something: errors, conversions, money. Tests that hold at every look."""

from collections.abc import Iterator
from math import log

from abtest.domain.goals.model import Direction
from abtest.domain.guardian.evidence import Answer, Evidence, Finding, NotEvaluated, Pair, Peaks, WatchedGoal
from abtest.domain.guardian.kinds import Kind
from abtest.domain.guardian.settings import LossSettings, Settings
from abtest.domain.stats.exact_counts import excess_evidence, harm_evidence
from abtest.domain.stats.sequential import Direction as Towards
from abtest.domain.stats.sequential import Mixture, one_sided_mixture_test

BROKEN_LEVEL, HARM_LEVEL, LOSS_LEVEL = 0.001, 0.01, 0.02
"""Of one treatment; divided by the number of treatments."""

RUNTIME_FACTOR, RUNTIME_RATE, RUNTIME_SESSIONS = 2, 0.01, 10
CONVERSION_FACTOR = 0.25
PRIOR_COUNTS = 20
"""conversion_harm expects moderate harm: Beta(20 w, 20 (1 - w)) of the treatment's part."""

EXPECTED_REVENUE_HARM = 0.2
"""τ as a part of the control's mean."""

ORDERS_AT_LEAST = 25
"""In each arm, before means of money are compared."""

AGAINST: dict[Direction, Towards] = {"increase": "decrease", "decrease": "increase"}


def broken_runtime(evidence: Evidence, _settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """Sessions with errors of the SDK: more than the treatment's part of them, twice the control's rate, 1 % and 10."""
    for pair in evidence.pairs():
        control, treatment = pair.control.sessions, pair.treatment.sessions
        if control is None or treatment is None:
            variation_id = pair.treatment.variation_id
            yield NotEvaluated(kind="broken_runtime", reason="not_in_rollups", variation_id=variation_id)
            continue
        found = excess_evidence(control.failed, treatment.failed, share=pair.share)
        peak = peaks.at_least(found.log_e, "broken_runtime", pair.treatment.variation_id)
        rate, usual = _rate(treatment.failed, treatment.seen), _rate(control.failed, control.seen)
        limit = max(RUNTIME_FACTOR * usual, RUNTIME_RATE)
        if treatment.failed >= RUNTIME_SESSIONS and rate >= limit and _is_proven(peak, BROKEN_LEVEL, pair):
            yield Finding(
                kind="broken_runtime",
                metric="error_rate",
                observed=rate,
                expected=usual,
                threshold=limit,
                sample=control.seen + treatment.seen,
                variation_id=pair.treatment.variation_id,
            )


def broken_conversion(evidence: Evidence, _settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """A goal that is to rise falls to a quarter of the control's rate or less."""
    for goal, pair in _compared(evidence):
        if goal.direction != "increase":
            continue
        counts = _converters(goal, pair)
        peak = peaks.at_least(
            harm_evidence(*counts, share=pair.share).log_e,
            "broken_conversion",
            goal.identity,
            pair.treatment.variation_id,
        )
        rate, usual = _rates(goal, pair)
        if rate <= CONVERSION_FACTOR * usual and _is_proven(peak, BROKEN_LEVEL, pair):
            yield _of_rates("broken_conversion", goal, pair, threshold=CONVERSION_FACTOR * usual)
    yield from _without_goals("broken_conversion", evidence)


def conversion_harm(evidence: Evidence, _settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """A goal's conversions go in the wrong direction."""
    for goal, pair in _compared(evidence):
        test = harm_evidence if goal.direction == "increase" else excess_evidence
        control, treatment = _converters(goal, pair)
        prior_t, prior_c = PRIOR_COUNTS * pair.share, PRIOR_COUNTS * (1 - pair.share)
        found = test(control, treatment, share=pair.share, a=prior_t, b=prior_c)
        peak = peaks.at_least(found.log_e, "conversion_harm", goal.identity, pair.treatment.variation_id)
        if _is_proven(peak, HARM_LEVEL, pair):
            yield _of_rates("conversion_harm", goal, pair, threshold=HARM_LEVEL / pair.treatments)
    yield from _without_goals("conversion_harm", evidence)


def revenue_harm(evidence: Evidence, _settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """Money per visitor goes in the wrong direction."""
    for goal, pair, peak in _money(evidence, peaks):
        if _is_proven(peak, HARM_LEVEL, pair):
            yield Finding(
                kind="revenue_harm",
                metric="revenue_per_visitor",
                observed=goal.money(pair.treatment).mean,
                expected=goal.money(pair.control).mean,
                threshold=HARM_LEVEL / pair.treatments,
                sample=_visitors(pair),
                variation_id=pair.treatment.variation_id,
                goal_id=goal.goal_id,
            )
    yield from _without_money("revenue_harm", evidence)


def revenue_loss(evidence: Evidence, settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """The treatment's visitors brought less than the control's would have, by the shop's amount, and not by chance."""
    wanted = settings.revenue_loss
    if wanted.threshold_amount is None:
        yield NotEvaluated(kind="revenue_loss", reason="no_threshold")
    elif not _is_in(wanted, evidence.currency):
        yield NotEvaluated(kind="revenue_loss", reason="currency_not_convertible")
    else:
        yield from _lost(evidence, wanted.threshold_amount, peaks)
        yield from _without_money("revenue_loss", evidence)


def _is_in(wanted: LossSettings, currency: str) -> bool:
    """Roll-ups hold one currency and no rates: any other cannot be converted."""
    return wanted.currency is None or wanted.currency.upper() == currency


def _lost(evidence: Evidence, amount: float, peaks: Peaks) -> Iterator[Answer]:
    for goal, pair, peak in _money(evidence, peaks):
        if goal.direction != "increase":
            continue
        short = goal.money(pair.control).mean - goal.money(pair.treatment).mean
        if pair.treatment.visitors * short >= amount and _is_proven(peak, LOSS_LEVEL, pair):
            yield Finding(
                kind="revenue_loss",
                metric="lost_revenue",
                observed=pair.treatment.visitors * short,
                expected=0,
                threshold=amount,
                sample=_visitors(pair),
                variation_id=pair.treatment.variation_id,
                goal_id=goal.goal_id,
            )


def _money(evidence: Evidence, peaks: Peaks) -> Iterator[tuple[WatchedGoal, Pair, float]]:
    """Revenue goals with enough orders, and the greatest log E of harm so far."""
    for goal, pair in _compared(evidence):
        if not goal.is_revenue or min(_orders(goal, pair)) < ORDERS_AT_LEAST:
            continue
        control, treatment = goal.money(pair.control), goal.money(pair.treatment)
        if control.mean <= 0:
            continue
        found = one_sided_mixture_test(
            control,
            treatment,
            direction=AGAINST[goal.direction],
            alpha=HARM_LEVEL,
            mixture=Mixture(tau=EXPECTED_REVENUE_HARM * control.mean),
        )
        if found is not None:
            yield goal, pair, peaks.at_least(found.log_e, "revenue_harm", goal.identity, pair.treatment.variation_id)


def _is_proven(peak: float, level: float, pair: Pair) -> bool:
    """E >= 1 / level, the level divided by the number of treatments."""
    return peak >= log(pair.treatments / level)


def _compared(evidence: Evidence) -> Iterator[tuple[WatchedGoal, Pair]]:
    """Each goal in each pair that was counted. An arm without visitors has no rate: broken_delivery looks at it."""
    pairs = [pair for pair in evidence.pairs() if pair.control.visitors and pair.treatment.visitors]
    for goal in evidence.goals:
        for pair in pairs:
            if {pair.control.variation_id, pair.treatment.variation_id} <= goal.counts.keys():
                yield goal, pair


def _converters(goal: WatchedGoal, pair: Pair) -> tuple[int, int]:
    return goal.rate(pair.control).conversions, goal.rate(pair.treatment).conversions


def _orders(goal: WatchedGoal, pair: Pair) -> tuple[int, int]:
    return goal.counts[pair.control.variation_id].hits, goal.counts[pair.treatment.variation_id].hits


def _rates(goal: WatchedGoal, pair: Pair) -> tuple[float, float]:
    return goal.rate(pair.treatment).rate or 0.0, goal.rate(pair.control).rate or 0.0


def _of_rates(kind: Kind, goal: WatchedGoal, pair: Pair, *, threshold: float) -> Finding:
    rate, usual = _rates(goal, pair)
    return Finding(
        kind=kind,
        metric="conversion_rate",
        observed=rate,
        expected=usual,
        threshold=threshold,
        sample=_visitors(pair),
        variation_id=pair.treatment.variation_id,
        goal_id=goal.goal_id,
    )


def _visitors(pair: Pair) -> int:
    return pair.control.visitors + pair.treatment.visitors


def _rate(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _without_goals(kind: Kind, evidence: Evidence) -> Iterator[Answer]:
    if not evidence.goals:
        yield NotEvaluated(kind=kind, reason="no_goal")
    for goal in evidence.goals:
        if not goal.counts:
            yield NotEvaluated(kind=kind, reason="not_counted_yet", goal_id=goal.goal_id)


def _without_money(kind: Kind, evidence: Evidence) -> Iterator[Answer]:
    goals = [goal for goal in evidence.goals if goal.is_revenue]
    if not goals:
        yield NotEvaluated(kind=kind, reason="no_goal")
    for goal in goals:
        if not goal.counts:
            yield NotEvaluated(kind=kind, reason="not_counted_yet", goal_id=goal.goal_id)
