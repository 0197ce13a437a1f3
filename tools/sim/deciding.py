"""Decisions of auto-stop at each look, for arrays: the steps of `domain.autostop`, by the batched statistics.

`tests/unit/sim` holds it to `look_at` and `sequential.decide`, look by look.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abtest.domain.autostop.settings import AutoStop
from abtest.domain.stats.sequential import VarianceRule
from tools.sim.traffic import Traffic
from tools.stats import batched

Flags = NDArray[np.bool_]
ALPHA = 0.05


class Minima(NamedTuple):
    """Smallest always-valid p so far, the difference where it was found, the difference now: (paths, looks, arms)."""

    p: NDArray[np.float64]
    found_at: NDArray[np.float64]
    difference: NDArray[np.float64]


class Verdicts(NamedTuple):
    """`significant`: an adjusted p <= alpha, in either direction, with the minimum data; `wins`: it would pause."""

    significant: Flags
    wins: Flags


def minima(traffic: Traffic, *, tau: float | None, variance: VarianceRule = "max") -> Minima:
    """As the state of looks keeps them; `tau` None: no plan."""
    x_c, n_c = traffic.control
    x_t, n_t = traffic.treatments
    differences = batched.differences_of_rates(x_c, n_c, x_t, n_t, variance=variance)
    return running(batched.mixture_test(differences, alpha=ALPHA, tau=tau))


def running(tests: batched.MixtureTests) -> Minima:
    """Over looks, along axis 1, of tests (paths, looks, arms)."""
    lowest = batched.running_minimum(tests.always_valid_p, axis=1)
    is_new = np.zeros(lowest.shape, dtype=bool)
    is_new[:, 1:] = lowest[:, 1:] < lowest[:, :-1]
    place = np.maximum.accumulate(np.where(is_new, np.arange(lowest.shape[1])[:, None], 0), axis=1)
    return Minima(lowest, np.take_along_axis(tests.difference, place, axis=1), tests.difference)


def ready(traffic: Traffic, settings: AutoStop) -> Flags:
    """Return which treatments have, as their control does, the minimum data."""
    x_c, n_c = traffic.control
    x_t, n_t = traffic.treatments
    is_seen = np.minimum(n_c, n_t) >= settings.min_visitors
    answer: Flags = is_seen & (np.minimum(x_c, x_t) >= settings.min_conversions)
    return answer


def verdicts(lowest: Minima, is_ready: Flags) -> Verdicts:
    """Holm over the running minima of all treatments; a goal that is to rise."""
    # Holm's correction of one p-value is that p-value.
    adjusted = lowest.p if lowest.p.shape[-1] == 1 else batched.holm(lowest.p, alpha=ALPHA).adjusted
    significant = (adjusted <= ALPHA) & is_ready
    return Verdicts(significant, significant & (lowest.difference > 0) & (lowest.found_at > 0))


def naive(traffic: Traffic, is_ready: Flags) -> Flags:
    """Verdicts of a reader who tests the p-value of one look at every look."""
    x_c, n_c = traffic.control
    x_t, n_t = traffic.treatments
    answer: Flags = (batched.two_proportions(x_c, n_c, x_t, n_t).p_value <= ALPHA) & is_ready
    return answer
