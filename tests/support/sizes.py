"""Sizes of tests that try many cases: a share of them in the gate, all of them with `--large`."""

from typing import TypeVar

T = TypeVar("T")

is_large = False
"""Set by tests/conftest.py before any test module is imported."""


def sized(full: T, gate: T) -> T:
    """The full size with `--large`, else the size for the gate. See docs/testing.md for the targets of full sizes."""
    return full if is_large else gate
