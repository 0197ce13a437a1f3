"""Evidence of changes at each hourly look, for arrays of paths: the sums of `domain.stats.restarting`, hour by hour.

The measurement begins at midnight, so that the window of recent days begins at a whole day of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

import numpy as np

from abtest.domain.guardian.changes import ALONE, CLASSES, MONEY_FACTORS, WIDTH
from abtest.domain.stats.restarting import DEGREES_AT_LEAST, HOURS_OF_LEVEL, Factors, restarting_counts, since
from abtest.services.guardian.evidence import DAYS_BACK
from tools.sim.seen import Counts, Numbers

HOURS_A_DAY = 24


def first_hour(look: int) -> int:
    """Return the first hour that the look, at the end of its hour, still tests."""
    return max(0, (look + 1) // HOURS_A_DAY - DAYS_BACK) * HOURS_A_DAY


def log_e_of_counts(control: Counts, treatment: Counts, share: float, factors: Factors) -> Numbers:
    """Return log E of `restarting_counts` at each look; counts of each hour, (paths, looks)."""
    paths, looks = control.shape
    days = -(-looks // HOURS_A_DAY)
    whole = np.full((paths, looks), -np.inf)
    for factor, weight in factors:
        gains = treatment * log(factor) - (control + treatment) * np.log1p(share * (factor - 1))
        # By the day of the start, because the window moves by days.
        sums = np.full((days, paths), -np.inf)
        for look in range(looks):
            day = look // HOURS_A_DAY
            sums[day] = np.logaddexp(sums[day], log(weight))
            kept = sums[: day + 1]
            kept += gains[:, look]
            started = np.logaddexp.reduce(kept[first_hour(look) // HOURS_A_DAY :], axis=0, initial=-np.inf)
            whole[:, look] = np.logaddexp(whole[:, look], started)
    answer: Numbers = whole - log(HOURS_OF_LEVEL)
    return answer


def start_of_counts(control: Counts, treatment: Counts, look: int, share: float, factors: Factors) -> int:
    """Return the hour at which a change of the counts of one path (looks) most probably began."""
    window = slice(first_hour(look), look + 1)
    change = restarting_counts(control[window].tolist(), treatment[window].tolist(), share=share, factors=factors)
    return window.start if change is None else window.start + change.start


def change_of_money(buyers: Counts, total: Counts, squares: Counts) -> tuple[Numbers, Counts]:
    """Return log E of a fall of what buyers spend at each look of one path, -inf without a test, and its start.

    Arrays are (2, quarters), the control first, of one quarter of an hour each.
    """
    sums = _by_class(buyers, total, squares)
    looks = sums.shape[-1]
    log_e, starts = np.full(looks, -np.inf), np.zeros(looks, dtype=np.int64)
    for ends in _days(looks):
        first = first_hour(ends[0])
        # Looks of a day have the same window, up to its last look, which is already of the next day.
        change = _money_at(sums[..., first : ends[-1] + 1], np.asarray(ends) - first)
        log_e[ends], starts[ends] = change[0], first + change[1]
    return log_e, starts


def _days(looks: int) -> Iterator[list[int]]:
    window: list[int] = []
    for look in range(looks):
        if window and (first_hour(look) != first_hour(window[0]) or len(window) == HOURS_A_DAY):
            yield window
            window = []
        window.append(look)
    if window:
        yield window


def _by_class(buyers: Counts, total: Counts, squares: Counts) -> Numbers:
    """Number, sum and squares of the values: (2, 3, classes, hours)."""
    with np.errstate(all="ignore"):
        values = 2 * np.log(total / buyers) - 0.5 * np.log(squares / buyers)
        large = ALONE + np.ceil(np.log(buyers / ALONE) / log(WIDTH))
        classes = np.where(buyers <= ALONE, buyers, np.minimum(large, CLASSES)).astype(np.int64)
    usable = (buyers > 0) & (total > 0) & (squares > 0)
    hours = np.broadcast_to(np.arange(buyers.shape[-1]) // 4, buyers.shape)
    sums = np.zeros((2, 3, CLASSES, buyers.shape[-1] // 4))
    for arm in range(2):
        place = classes[arm][usable[arm]] - 1, hours[arm][usable[arm]]
        of_arm = values[arm][usable[arm]]
        for number, added in enumerate((np.ones_like(of_arm), of_arm, of_arm * of_arm)):
            np.add.at(sums[arm, number], place, added)
    answer: Numbers = sums[:, :, sums[:, 0].sum(axis=(0, -1)) > 0]
    return answer


def _money_at(sums: Numbers, ends: Counts) -> tuple[Numbers, Counts]:
    """Evidence and start at each of the ends, for the hours of one window."""
    hours = sums.shape[-1]
    # Sums from each start on (axis -2) up to each end (axis -1); a start behind the end has none.
    tails = since(sums)
    later = np.concatenate([tails, np.zeros((*tails.shape[:-1], 1))], axis=-1)
    within = tails[..., :, None] - later[..., None, ends + 1]
    n, sum_ = within[:, 0], within[:, 1]
    whole, total, squares = (within[:, place, :, 0] for place in range(3))
    degrees = np.maximum(whole - 1, 0).sum(axis=0)
    with np.errstate(all="ignore"):
        noise = (squares - np.where(whole > 0, total**2 / whole, 0.0)).sum(axis=0) / np.maximum(degrees, 1)
        started = np.arange(hours)[:, None] <= ends
        known = (degrees >= DEGREES_AT_LEAST) & (noise > 0)
        usable = known[:, None, :] & (n > 0.5).all(axis=0) & started
        information = np.where(usable, n[0] * n[1] / (n[0] + n[1]) / noise[:, None, :], 0.0)
        lower = np.where(usable, information * (sum_[0] / n[0] - sum_[1] / n[1]), 0.0).sum(axis=0)
    information = information.sum(axis=0)
    logs = [log(weight) + size * lower - 0.5 * size * size * information for size, weight in MONEY_FACTORS]
    by_start = np.where(started, np.logaddexp.reduce(logs, axis=0), -np.inf)
    log_e = np.logaddexp.reduce(by_start, axis=0) - log(HOURS_OF_LEVEL)
    return np.where(usable.any(axis=(0, 1)), log_e, -np.inf), by_start.argmax(axis=0)


def hourly(so_far: Counts) -> Counts:
    """Return the counts of each look alone."""
    answer: Counts = np.diff(so_far, axis=-1, prepend=0)
    return answer


def sums_since(so_far: Counts, start: int, look: int) -> Sequence[int]:
    """Return by arm the counts since an hour, up to a look; (2, looks) of one path."""
    before = so_far[:, start - 1] if start else np.zeros(2, dtype=np.int64)
    answer: Sequence[int] = (so_far[:, look] - before).tolist()
    return answer
