"""The sequential engine: always-valid p-values, the smallest of all looks, and intervals that hold at every look.

What auto-stop stored of earlier looks counts only for the numbers that it looked at: everybody of the measurement.
Narrowed numbers are tested as they are now, which holds as often as one looks, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from abtest.domain.autostop.looks import first_mixture, kept, mixture_of
from abtest.domain.autostop.shapes import GoalState
from abtest.domain.goals.definition import definition_digest
from abtest.domain.stats.multiplicity import holm
from abtest.domain.stats.relative_lift import fieller_interval
from abtest.domain.stats.samples import Conversions, Interval, Sample
from abtest.domain.stats.sequential import MixtureTest, mixture_test
from abtest.services.results.compared import Compared
from abtest.services.results.comparing import Reading


@dataclass(frozen=True, slots=True)
class _Minimum:
    """The smallest p of earlier looks, and the difference when it was found."""

    p: float
    difference: float


NOTHING = _Minimum(1.0, 0.0)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A treatment and its control now, and the surest that earlier looks were."""

    control: Conversions | Sample
    treatment: Conversions | Sample
    test: MixtureTest | None
    minimum: _Minimum

    @property
    def running_p(self) -> float:
        """The smallest p of all looks, this one included."""
        return min(self.minimum.p, self.test.always_valid_p) if self.test else self.minimum.p

    @property
    def is_contradicted(self) -> bool:
        """Whether the smallest p was found on the other side of where the treatment stands now."""
        if self.test is None or self.test.always_valid_p <= self.minimum.p:
            return False
        return self.minimum.difference * self.test.difference <= 0


def compare(readings: Sequence[Reading]) -> list[Compared | None]:
    """Each pair of each reading of one goal, Holm over the running minima of all of them."""
    question = readings[0].question
    pairs = [pair for reading in readings for pair in _pairs(reading)]
    if not pairs:
        return []
    running = [pair.running_p for pair in pairs]
    if question.correction == "none":
        return [_compared(pair, p, p <= question.alpha, question.alpha) for pair, p in zip(pairs, running, strict=True)]
    verdict = holm(running, alpha=question.alpha)
    found = zip(pairs, verdict.adjusted, verdict.rejected, verdict.interval_alphas, strict=True)
    return [_compared(*one) for one in found]


def _pairs(reading: Reading) -> list[_Pair]:
    before = _kept(reading)
    frozen = before["mixture"] if before else first_mixture(reading.tau, reading.question.alpha)
    minima = before["treatments"] if before else {}
    mixture, alpha = mixture_of(frozen, reading.question.alpha)
    found = []
    for control, treatment in reading.pairs():
        arms = reading.level(control), reading.level(treatment)
        stored = minima.get(treatment.id)
        minimum = _Minimum(stored["p"], stored["difference"]) if stored else NOTHING
        found.append(_Pair(*arms, mixture_test(*arms, alpha=alpha, mixture=mixture), minimum))
    return found


def _kept(reading: Reading) -> GoalState | None:
    """What looks found of this goal as it is defined now."""
    question, goal = reading.question, reading.goal
    source = definition_digest(goal, question.currency, question.experiment.results_weekdays)
    return kept(question.looks, goal.id, source)


def _compared(pair: _Pair, adjusted: float, is_rejected: bool, level: float) -> Compared | None:
    test = pair.test
    if test is None:
        return None
    is_sure = is_rejected and not pair.is_contradicted
    interval = test.interval_at(level)
    lift = _lift(pair)
    return Compared(
        difference=test.difference,
        difference_interval=_agreeing(interval, test.difference, is_sure),
        lift=lift,
        lift_interval=_agreeing(_lift_interval(pair, test, lift, interval), test.difference, is_sure),
        p_value=test.always_valid_p,
        adjusted_p_value=adjusted,
        always_valid_p=pair.running_p,
        is_significant=is_sure,
        is_contradicted=is_rejected and pair.is_contradicted,
    )


def _agreeing(interval: Interval | None, difference: float, is_sure: bool) -> Interval | None:
    """The interval, cut at zero where an earlier look excluded the other side: it holds at all looks together."""
    if interval is None or not is_sure or interval.lower > 0 or interval.upper < 0:
        return interval
    return Interval(0.0, interval.upper) if difference > 0 else Interval(interval.lower, 0.0)


def _lift(pair: _Pair) -> float | None:
    control, treatment = _sample(pair.control), _sample(pair.treatment)
    return treatment.mean / control.mean - 1 if control.mean else None


def _lift_interval(pair: _Pair, test: MixtureTest, lift: float | None, interval: Interval | None) -> Interval | None:
    """Fieller's at the quantile of the always-valid interval, both arms' noise scaled to the variance of the test.

    So a lift of zero is excluded exactly when a difference of zero is.
    """
    control, treatment = _sample(pair.control), _sample(pair.treatment)
    noise_control, noise_treatment = control.variance / control.n, treatment.variance / treatment.n
    noise = noise_control + noise_treatment
    if lift is None or interval is None or noise <= 0:
        return None
    scale, quantile = test.variance / noise, (interval.upper - interval.lower) / 2 / sqrt(test.variance)
    return fieller_interval(lift, control.mean, scale * noise_control, scale * noise_treatment, quantile)


def _sample(arm: Conversions | Sample) -> Sample:
    return arm.as_sample() if isinstance(arm, Conversions) else arm
