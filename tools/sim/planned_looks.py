"""Group-sequential tests of rates at planned looks, for arrays: z against the boundaries of `domain.stats`.

`tests/unit/sim` holds it to `looks.look` and `look_at_family`, look by look. Every path has the fractions of the plan,
k / looks, as visitors make them; `sides_by_information` takes each path's own.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from abtest.domain.stats.group_sequential.boundaries import LEAST_STEP, boundaries
from abtest.domain.stats.group_sequential.design import Design
from tools.sim.deciding import ALPHA, Flags
from tools.sim.traffic import Traffic
from tools.stats import batched


def z_values(traffic: Traffic) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return z and the information at each look (paths, looks, arms); both 0 where no value varies."""
    x_c, n_c = traffic.control
    x_t, n_t = traffic.treatments
    differences = batched.differences_of_rates(x_c, n_c, x_t, n_t)
    is_known = differences.variance > 0
    information = np.where(is_known, 1 / np.where(is_known, differences.variance, 1.0), 0.0)
    return np.where(is_known, differences.difference, 0.0) * np.sqrt(information), information


def significant(z: NDArray[np.float64], is_ready: Flags) -> Flags:
    """Return which treatments were significant at some look so far, with Holm's correction over all of them.

    A look without the minimum data tests nothing; its error is spent and lost.
    """
    looks, arms = z.shape[1:]
    # Smallest of the levels alpha, alpha/2, ... that Holm asks for at which a treatment was ever significant.
    reached = np.ones(z.shape)
    for rank in range(1, arms + 1):
        beyond = (np.abs(z) >= uppers(looks, ALPHA / rank)[:, None]) & is_ready
        reached[np.logical_or.accumulate(beyond, axis=1)] = ALPHA / rank
    rejected: Flags = np.less_equal(batched.holm(reached, alpha=ALPHA).adjusted, ALPHA * (1 + 1e-12))
    return rejected


@cache
def uppers(looks: int, alpha: float) -> NDArray[np.float64]:
    """Return the upper boundaries at looks of equal steps."""
    return np.array(
        [bound.upper for bound in boundaries([k / looks for k in range(1, looks + 1)], Design(alpha=alpha))]
    )


def sides_by_information(
    z: NDArray[np.float64], information: NDArray[np.float64], planned: float, is_ready: Flags
) -> NDArray[np.float64]:
    """Return for each path of one treatment the side on which it ends: 1 ahead, -1 behind, 0 without significance.

    The information is each path's own. Looks without the minimum data or without new information are left out, and the
    last look spends all that is left.
    """
    answer = np.zeros(len(z))
    # No boundary is below that of a single look, so most paths without an effect need none computed.
    lowest = uppers(1, ALPHA)[0]
    for path, (scores, seen, usable) in enumerate(zip(z[..., 0], information[..., 0], is_ready[..., 0], strict=True)):
        if abs(scores).max() < lowest:
            continue
        looks = _taken(seen / planned, usable)
        fractions = [float(seen[look] / planned) for look in looks]
        places = [*(min(fraction, 1.0) for fraction in fractions[:-1]), 1.0][: len(looks)]
        bounds = boundaries(fractions, Design(alpha=ALPHA), spending_at=places)
        crossed = (scores[look] for look, bound in zip(looks, bounds, strict=True) if abs(scores[look]) >= bound.upper)
        answer[path] = np.sign(next(crossed, 0.0))
    return answer


def _taken(fractions: NDArray[np.float64], usable: NDArray[np.bool_]) -> list[int]:
    """Looks with the minimum data and more information than the ones before; none after the planned information."""
    looks, before = [], 0.0
    for look, fraction in enumerate(fractions):
        if usable[look] and before < 1 and fraction >= before + LEAST_STEP:
            looks.append(look)
            before = float(fraction)
    return looks
