"""Rules of harm: errors, lost conversions, lost money. The tests are valid at every look."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from abtest.domain.goals.model import Direction
from abtest.domain.guardian.changes import (
    BROKEN_FACTORS,
    HARM_FACTORS,
    change_of_conversions,
    change_of_money,
    since,
)
from abtest.domain.guardian.evidence import Answer, Evidence, Finding, NotEvaluated, Pair, Peaks, WatchedGoal
from abtest.domain.guardian.kinds import Kind
from abtest.domain.guardian.settings import Settings
from abtest.domain.stats.exact_counts import excess_evidence, harm_evidence
from abtest.domain.stats.samples import Conversions
from abtest.domain.stats.sequential import Direction as Towards
from abtest.domain.stats.sequential import Mixture, one_sided_mixture_test

# Levels of one treatment; they are divided by the number of treatments.
# At 0.05 revenue_loss would raise false alarms in more than the promised 2 % (ADR 26).
BROKEN_LEVEL, HARM_LEVEL, LOSS_LEVEL = 0.001, 0.01, 0.02
# Of conversion_harm, 0.015 together with its changes, which need more of it (ADR 65).
CONVERSION_HARM_LEVEL = 0.005

# Levels of changes in 28 days, in addition to those above (ADR 58).
BROKEN_CHANGE_LEVEL, HARM_CHANGE_LEVEL, MONEY_CHANGE_LEVEL = 0.001, 0.01, 0.005

RUNTIME_FACTOR, RUNTIME_RATE, RUNTIME_SESSIONS = 2, 0.01, 10
CONVERSION_FACTOR = 0.25
# conversion_harm expects moderate harm: Beta(20 w, 20 (1 - w)) of the treatment's part.
PRIOR_COUNTS = 20

# τ as a part of the control's mean.
EXPECTED_REVENUE_HARM = 0.2

# In each arm, before means of money are compared.
ORDERS_AT_LEAST = 25

AGAINST: dict[Direction, Towards] = {"increase": "decrease", "decrease": "increase"}


def broken_runtime(evidence: Evidence, _settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """Report errors of the SDK: more sessions than the treatment's share, twice the control's rate, 1 % and 10."""
    for pair in evidence.pairs():
        control, treatment = pair.control.sessions, pair.treatment.sessions
        if control is None or treatment is None:
            variation_id = pair.treatment.variation_id
            yield NotEvaluated(kind="broken_runtime", reason="not_in_rollups", variation_id=variation_id)
            continue
        test = excess_evidence(control.failed, treatment.failed, share=pair.share)
        # Kept at every look, whether or not the limits below are reached: the p-value is a running minimum.
        peak = peaks.at_least(test.log_e, "broken_runtime", pair.treatment.variation_id)
        rate, usual = treatment.error_rate, control.error_rate
        limit = max(RUNTIME_FACTOR * usual, RUNTIME_RATE)
        if treatment.failed >= RUNTIME_SESSIONS and rate >= limit and pair.is_proven(peak, BROKEN_LEVEL):
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
    """Report a goal that should rise and is, or has come, to a quarter of the control's rate or less."""
    for goal, pair in _compared(evidence):
        if goal.direction != "increase":
            continue
        control, treatment = goal.rate(pair.control), goal.rate(pair.treatment)
        test = harm_evidence(control.conversions, treatment.conversions, share=pair.share)
        peak = peaks.at_least(test.log_e, "broken_conversion", goal.identity, pair.treatment.variation_id)
        finding = _of_rates("broken_conversion", goal, pair, control, treatment)
        if _is_broken(finding) and pair.is_proven(peak, BROKEN_LEVEL):
            yield finding
            continue
        change = change_of_conversions(evidence, goal, pair, BROKEN_FACTORS)
        if change is not None and pair.is_proven(change.log_e, BROKEN_CHANGE_LEVEL):
            control, treatment = change.rate(goal, pair.control), change.rate(goal, pair.treatment)
            finding = _of_rates("broken_conversion", goal, pair, control, treatment)
            if _is_broken(finding):
                yield replace(finding, **since(change, evidence))
    yield from _not_counted("broken_conversion", evidence.goals)


def conversion_harm(evidence: Evidence, _settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """Report a goal whose conversions are, or have come to be, against its direction."""
    for goal, pair in _compared(evidence):
        evidence_of = harm_evidence if goal.direction == "increase" else excess_evidence
        control, treatment = goal.rate(pair.control), goal.rate(pair.treatment)
        prior_t, prior_c = PRIOR_COUNTS * pair.share, PRIOR_COUNTS * (1 - pair.share)
        test = evidence_of(control.conversions, treatment.conversions, share=pair.share, a=prior_t, b=prior_c)
        peak = peaks.at_least(test.log_e, "conversion_harm", goal.identity, pair.treatment.variation_id)
        if pair.is_proven(peak, CONVERSION_HARM_LEVEL):
            finding = _of_rates("conversion_harm", goal, pair, control, treatment)
            yield replace(finding, threshold=CONVERSION_HARM_LEVEL / pair.treatments)
            continue
        change = change_of_conversions(evidence, goal, pair, HARM_FACTORS)
        if change is not None and pair.is_proven(change.log_e, HARM_CHANGE_LEVEL):
            control, treatment = change.rate(goal, pair.control), change.rate(goal, pair.treatment)
            finding = _of_rates("conversion_harm", goal, pair, control, treatment)
            # Counts also fall where fewer visitors are tracked: that is for `sample_ratio_mismatch`, which only alerts.
            if _is_worse(goal, control.rate or 0.0, treatment.rate or 0.0):
                yield replace(finding, threshold=HARM_CHANGE_LEVEL / pair.treatments, **since(change, evidence))
    yield from _not_counted("conversion_harm", evidence.goals)


def revenue_harm(evidence: Evidence, _settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """Report money per visitor that is against the goal's direction, or has come to be, since buyers spend less."""
    for goal, pair, peak in _money(evidence, peaks):
        if pair.is_proven(peak, HARM_LEVEL):
            means = goal.money(pair.control).mean, goal.money(pair.treatment).mean
            yield _of_money(goal, pair, *means, threshold=HARM_LEVEL, sample=pair.visitors)
            continue
        change = change_of_money(evidence, goal, pair)
        if change is not None and pair.is_proven(change.log_e, MONEY_CHANGE_LEVEL):
            arms = pair.control, pair.treatment
            orders = min(change.count(goal, arm).hits for arm in arms)
            usual, mean = (change.money(goal, arm).mean for arm in arms)
            # Buyers may spend less where more visitors buy: that must not count as harm.
            if orders >= ORDERS_AT_LEAST and _is_worse(goal, usual, mean):
                sample = sum(change.visitors(arm) for arm in arms)
                finding = _of_money(goal, pair, usual, mean, threshold=MONEY_CHANGE_LEVEL, sample=sample)
                yield replace(finding, **since(change, evidence))
    yield from _not_counted("revenue_harm", [goal for goal in evidence.goals if goal.is_revenue])


def revenue_loss(evidence: Evidence, settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """Report a treatment that has lost the shop's amount of money against the control, and not by chance."""
    amount, currency = settings.revenue_loss.threshold_amount, settings.revenue_loss.currency
    if amount is None:
        yield NotEvaluated(kind="revenue_loss", reason="no_threshold")
        return
    # Roll-ups have one currency and no exchange rates.
    if currency is not None and currency.upper() != evidence.currency:
        yield NotEvaluated(kind="revenue_loss", reason="currency_not_convertible")
        return
    for goal, pair, peak in _money(evidence, peaks):
        if goal.direction != "increase":
            continue
        lost = pair.treatment.visitors * (goal.money(pair.control).mean - goal.money(pair.treatment).mean)
        if lost >= amount and pair.is_proven(peak, LOSS_LEVEL):
            yield Finding(
                kind="revenue_loss",
                metric="lost_revenue",
                observed=lost,
                expected=0,
                threshold=amount,
                sample=pair.visitors,
                variation_id=pair.treatment.variation_id,
                goal_id=goal.goal_id,
            )
    yield from _not_counted("revenue_loss", [goal for goal in evidence.goals if goal.is_revenue])


def _is_worse(goal: WatchedGoal, usual: float, now: float) -> bool:
    return now < usual if goal.direction == "increase" else now > usual


def _money(evidence: Evidence, peaks: Peaks) -> Iterator[tuple[WatchedGoal, Pair, float]]:
    """Yield revenue goals with enough orders, and the greatest log E of harm so far."""
    for goal, pair in _compared(evidence):
        orders = min(goal.counts[arm.variation_id].hits for arm in (pair.control, pair.treatment))
        if not goal.is_revenue or orders < ORDERS_AT_LEAST:
            continue
        control, treatment = goal.money(pair.control), goal.money(pair.treatment)
        # τ is a part of this mean and must be positive.
        if control.mean <= 0:
            continue
        test = one_sided_mixture_test(
            control,
            treatment,
            direction=AGAINST[goal.direction],
            alpha=HARM_LEVEL,
            mixture=Mixture(tau=EXPECTED_REVENUE_HARM * control.mean),
        )
        if test is not None:
            # revenue_loss makes the same test, so that both kinds share one peak.
            yield goal, pair, peaks.at_least(test.log_e, "revenue_harm", goal.identity, pair.treatment.variation_id)


def _compared(evidence: Evidence) -> Iterator[tuple[WatchedGoal, Pair]]:
    """Yield each counted goal in each pair. An arm without visitors has no rate: broken_delivery reports it."""
    pairs = [pair for pair in evidence.pairs() if pair.control.visitors and pair.treatment.visitors]
    for goal in evidence.goals:
        for pair in pairs:
            if {pair.control.variation_id, pair.treatment.variation_id} <= goal.counts.keys():
                yield goal, pair


def _of_rates(kind: Kind, goal: WatchedGoal, pair: Pair, control: Conversions, treatment: Conversions) -> Finding:
    """Return the finding with a quarter of the control's rate as its limit."""
    usual = control.rate or 0.0
    return Finding(
        kind=kind,
        metric="conversion_rate",
        observed=treatment.rate or 0.0,
        expected=usual,
        threshold=CONVERSION_FACTOR * usual,
        sample=control.visitors + treatment.visitors,
        variation_id=pair.treatment.variation_id,
        goal_id=goal.goal_id,
    )


def _is_broken(finding: Finding) -> bool:
    return (finding.observed or 0.0) <= (finding.threshold or 0.0)


def _of_money(
    goal: WatchedGoal, pair: Pair, control: float, treatment: float, *, threshold: float, sample: int
) -> Finding:
    return Finding(
        kind="revenue_harm",
        metric="revenue_per_visitor",
        observed=treatment,
        expected=control,
        threshold=threshold / pair.treatments,
        sample=sample,
        variation_id=pair.treatment.variation_id,
        goal_id=goal.goal_id,
    )


def _not_counted(kind: Kind, goals: Sequence[WatchedGoal]) -> Iterator[Answer]:
    if not goals:
        yield NotEvaluated(kind=kind, reason="no_goal")
    for goal in goals:
        if not goal.counts:
            yield NotEvaluated(kind=kind, reason="not_counted_yet", goal_id=goal.goal_id)
