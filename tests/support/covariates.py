"""Sums of a measure and of the same one before, from visitors one by one."""

from __future__ import annotations

from collections.abc import Sequence

from abtest.domain.stats.cuped import CovariateSums


def covariate_sums(arm: Sequence[tuple[int, int]]) -> CovariateSums:
    """Return the sums of an arm's visitors, each as (before, during)."""
    return CovariateSums(
        n=len(arm),
        y=sum(y for _, y in arm),
        yy=sum(y * y for _, y in arm),
        x=sum(x for x, _ in arm),
        xx=sum(x * x for x, _ in arm),
        xy=sum(x * y for x, y in arm),
    )
