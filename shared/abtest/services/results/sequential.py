"""The sequential engine: always-valid p-values, the smallest of all looks, and intervals that hold at every look.

Auto-stop's stored looks count only for the numbers they covered: all visitors of the measurement. Narrowed numbers are
tested as they are, which is also valid at any number of looks.

With `bh` this is the e-BH procedure on the current evidence (Wang and Ramdas, JRSS B 84 (2022) 822-852): the mixture
likelihood ratio is an e-process, so at any moment of stopping the false discovery rate is at most alpha, however the
comparisons depend on each other. Smallest p-values of earlier looks are not inverted e-values, and Benjamini and
Hochberg's procedure on them is not proven. The intervals are e-BY's (Xu, Wang and Ramdas, 2024, Electronic Journal of
Statistics 18): of those of significant comparisons, at most alpha are expected to miss the truth.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

from abtest.domain.autostop.looks import first_mixture, kept, mixture_of
from abtest.domain.goals.definition import definition_digest
from abtest.domain.stats.multiplicity import corrected
from abtest.domain.stats.relative_lift import fieller_interval
from abtest.domain.stats.samples import Conversions, Interval, Sample
from abtest.domain.stats.sequential import MixtureTest, mixture_test
from abtest.services.results.adjustment import AdjustedArms
from abtest.services.results.comparison import TreatmentComparison
from abtest.services.results.question import Question, Reading


@dataclass(frozen=True, slots=True)
class Minimum:
    """Smallest p of earlier looks, and the difference at that look."""

    p: float
    difference: float


NOTHING = Minimum(1.0, 0.0)
NO_SAMPLE = Sample(n=0, mean=0.0, variance=0.0)


@dataclass(frozen=True, slots=True)
class Pair:
    """Treatment and control now, and the minimum of earlier looks that counts.

    `earlier`: a minimum of earlier looks that is shown and does not count.
    """

    control: Conversions | Sample
    treatment: Conversions | Sample
    test: MixtureTest | None
    minimum: Minimum
    earlier: Minimum = NOTHING

    @property
    def running_p(self) -> float:
        """Smallest p of all looks, including this one."""
        return min(self.minimum.p, self.test.always_valid_p) if self.test else self.minimum.p

    @property
    def is_contradicted(self) -> bool:
        """True if the smallest p was reached with a difference in the opposite direction."""
        # If this look has the smallest p itself, its own direction counts.
        if self.test is None or self.test.always_valid_p <= self.minimum.p:
            return False
        return self.minimum.difference * self.test.difference <= 0


def compare_pairs(pairs: Sequence[Pair], question: Question) -> list[TreatmentComparison | None]:
    """Return the comparisons of pairs that are corrected together: Holm over running minima, `bh` over this look."""
    if not pairs:
        return []
    # One comparison needs no correction, so its evidence of earlier looks counts.
    if question.correction == "bh" and len(pairs) > 1:
        pairs = [replace(pair, minimum=NOTHING, earlier=pair.minimum) for pair in pairs]
    # Holm over running minima, so that a treatment's rejection is not lost at a later, weaker look.
    verdict = corrected(question.correction, [pair.running_p for pair in pairs], alpha=question.alpha)
    each = zip(pairs, verdict.adjusted, verdict.rejected, verdict.interval_alphas, strict=True)
    return [compare_pair(*one) for one in each]


def pairs_of(reading: Reading, adjusted: AdjustedArms | None = None) -> list[Pair]:
    """Return the tests of a goal's treatments, with the minima of looks at the same definition of the goal.

    `adjusted`: test these arms in place of the plain ones, with the minima of adjusted looks.
    """
    question, goal = reading.question, reading.goal
    source = definition_digest(goal, question.currency, question.experiment.results_weekdays)
    before = kept(question.looks, goal.id, source)
    minima = (before.get("adjusted", {}) if adjusted is not None else before["treatments"]) if before else {}
    mixture, alpha = mixture_of(
        before["mixture"] if before else first_mixture(reading.tau, question.alpha), question.alpha
    )
    pairs = []
    for control, treatment in reading.pairs():
        arms: tuple[Conversions | Sample, Conversions | Sample] = reading.level(control), reading.level(treatment)
        if adjusted is not None:
            arms = adjusted.pairs.get(treatment.id, (NO_SAMPLE, NO_SAMPLE))
        stored = minima.get(treatment.id)
        minimum = Minimum(stored["p"], stored["difference"]) if stored else NOTHING
        pairs.append(Pair(*arms, mixture_test(*arms, alpha=alpha, mixture=mixture), minimum))
    return pairs


def compare_pair(pair: Pair, adjusted: float, is_rejected: bool, level: float) -> TreatmentComparison | None:
    """Return the comparison of a pair at its corrected level; None where it cannot be tested."""
    test = pair.test
    if test is None:
        return None
    is_sure = is_rejected and not pair.is_contradicted
    interval = test.interval_at(level)
    lift, lift_interval = lift_of(pair, test, interval)
    return TreatmentComparison(
        difference=test.difference,
        difference_interval=agreeing(interval, test.difference, is_sure),
        lift=lift,
        lift_interval=agreeing(lift_interval, test.difference, is_sure),
        p_value=test.always_valid_p,
        adjusted_p_value=adjusted,
        always_valid_p=min(pair.running_p, pair.earlier.p),
        is_significant=is_sure,
        is_contradicted=is_rejected and pair.is_contradicted,
    )


def agreeing(interval: Interval | None, difference: float, is_sure: bool) -> Interval | None:
    """Return the interval, cut at zero where an earlier look excluded the other side: looks hold together."""
    if interval is None or not is_sure or interval.lower > 0 or interval.upper < 0:
        return interval
    return Interval(0.0, interval.upper) if difference > 0 else Interval(interval.lower, 0.0)


def lift_of(pair: Pair, test: MixtureTest, interval: Interval | None) -> tuple[float | None, Interval | None]:
    """Return treatment / control - 1 and its interval; None for a control of zero.

    Fieller's interval at the quantile of the always-valid one, the noise of both arms scaled to the variance of the
    test. So a lift of zero is excluded exactly when a difference of zero is.
    """
    control, treatment = (
        arm.as_sample() if isinstance(arm, Conversions) else arm for arm in (pair.control, pair.treatment)
    )
    if not control.mean:
        return None, None
    lift = treatment.mean / control.mean - 1
    noise_control, noise_treatment = control.variance / control.n, treatment.variance / treatment.n
    noise = noise_control + noise_treatment
    if interval is None or noise <= 0:
        return lift, None
    # Half the width over the standard error: the always-valid interval at the scale of a normal quantile.
    scale, quantile = test.variance / noise, (interval.upper - interval.lower) / 2 / sqrt(test.variance)
    return lift, fieller_interval(lift, control.mean, scale * noise_control, scale * noise_treatment, quantile)
