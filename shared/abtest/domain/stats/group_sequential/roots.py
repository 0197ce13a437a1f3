"""Roots of a monotone function between two ends."""

from collections.abc import Callable


def root(function: Callable[[float], float], low: float, high: float, *, tolerance: float) -> float:
    """Return the argument between `low` and `high` at which the function changes its sign, to within `tolerance`.

    The function has different signs at both ends; a jump through zero counts as a root. Each evaluation is expensive,
    so interpolation is used where it is safe, else bisection.
    Source: Chandrupatla, Advances in Engineering Software 28 (1997) 145-149.
    """
    a, b, f_a, f_b = high, low, function(high), function(low)
    if f_a == 0 or f_b == 0:
        return a if f_a == 0 else b
    c, f_c, part = a, f_a, 0.5
    while True:
        x = a + part * (b - a)
        f_x = function(x)
        if (f_x > 0) == (f_a > 0):
            c, f_c = a, f_a
        else:
            c, b, f_c, f_b = b, a, f_b, f_a
        a, f_a = x, f_x
        best = a if abs(f_a) < abs(f_b) else b
        nearness = tolerance / (2 * abs(b - a)) if b != a else 1.0
        if nearness > 0.5 or f_a == 0:
            return a if f_a == 0 else best
        part = min(max(_part(a, b, c, f_a, f_b, f_c), nearness), 1 - nearness)


def _part(a: float, b: float, c: float, f_a: float, f_b: float, f_c: float) -> float:
    """Return the part of the way from a to b to try next: by inverse quadratic interpolation, or the middle."""
    xi, phi = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
    if not (phi * phi < xi and (1 - phi) * (1 - phi) < 1 - xi):
        return 0.5
    quadratic = f_a / (f_b - f_a) * f_c / (f_b - f_c)
    return quadratic + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
