"""Sufficient statistics of one arm, and the interval that tests return."""

from dataclasses import dataclass
from typing import NamedTuple

# `made(Kind, values)` is `Kind(*values)` of a NamedTuple in half the time; every comparison makes several.
made = tuple.__new__


class Interval(NamedTuple):
    """Interval with both ends in the unit of the estimate."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversions:
    """Visitors and how many of them converted."""

    visitors: int
    conversions: int

    @property
    def rate(self) -> float | None:
        """Conversions per visitor, None without visitors."""
        return self.conversions / self.visitors if self.visitors else None

    def as_sample(self) -> "Sample":
        """Return the sample of zeros and ones, with the variance p(1-p) that intervals of rates use."""
        rate = self.rate or 0.0
        return Sample(n=self.visitors, mean=rate, variance=rate * (1 - rate))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Size, mean and variance (n - 1 in the denominator) of one value a visitor, zeros included."""

    n: int
    mean: float
    variance: float

    @classmethod
    def from_sums(cls, n: int, total: int, squares: int) -> "Sample":
        """Make a sample from exact sums; the subtraction that would lose digits in floats is done in integers."""
        if n == 0:
            return cls(n=0, mean=0.0, variance=0.0)
        variance = (n * squares - total * total) / (n * (n - 1)) if n > 1 else 0.0
        return cls(n=n, mean=total / n, variance=variance)

    def scaled(self, factor: float) -> "Sample":
        """Return the sample in another unit."""
        return Sample(n=self.n, mean=self.mean * factor, variance=self.variance * factor * factor)

    def widened(self, factor: float) -> "Sample":
        """Return the sample with a variance so many times as large."""
        return Sample(n=self.n, mean=self.mean, variance=self.variance * factor)
