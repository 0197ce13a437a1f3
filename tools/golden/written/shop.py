"""The shop that written decisions are about.

Published by others (hash version 2 of `tests/data/growthbook/cases.json`), hence the ground to stand on: with the seed
`seed`, `a` falls into bucket 505 and `b` into 2696; with the seed `foo`, `ab` into 2575 and `def` into 2019.
"""

from typing import Any

from abtest.domain.assignment.hash import fold
from tools.golden.written.case import Case, Document

SEED, FOO = fold("seed"), fold("foo")
MONDAY_NOON = 1766404800000  # 2025-12-22T12:00:00Z
HERE = "https://shop.example/foo?utm_source=mail&a=1&a=2#top"
EVERYBODY = [0, 10000]
NO_BUCKETS = [10000, 10000]

ON_FOO = {"mode": "any", "in": [{"include": [{"path": r"\/?foo\/?"}]}], "out": []}
ELSEWHERE = {"mode": "any", "in": [{"include": [{"path": r"\/?cart\/?"}]}], "out": []}
NO_MONDAY = {"days": ["monday"], "zone": "Europe/Berlin"}


def case(about: str, config: Document, expected: list[str], visitor: Any = "a", **others: Any) -> Case:
    """A decision on a Monday on `/foo`, unless another is given."""
    inputs = {"config": {"experiments": [], **config}, "visitor": visitor, "url": HERE, "now": MONDAY_NOON, **others}
    return Case(about, "decide", inputs, expected)


def experiment(*ranges: list[int], **more: Any) -> Document:
    """An experiment with the seed `seed`: variations v0 (the control), v1 … with these ranges."""
    variations: list[Document] = [
        {"id": f"v{number}", "range": each} for number, each in enumerate(ranges or [EVERYBODY])
    ]
    variations[0]["control"] = True
    return {"id": "seed", "epoch": 1, "state": SEED, "variations": variations, **more}


def personalization(name: str = "p", **more: Any) -> Document:
    """A personalization for everybody, with two experiences."""
    experiences = [{"id": f"{name}1", "key": "default"}, {"id": f"{name}2", "key": "other"}]
    given = {"id": name, "key": name, "surface": "cart", "state": SEED, "below": 10000, "experiences": experiences}
    return {**given, **more}


def flag(**more: Any) -> Document:
    """A flag that is on for everybody."""
    return {"id": "f", "key": "f", "state": SEED, "below": 10000, "on": True, "off": False, **more}


def experiments(*those: Document, **more: Any) -> Document:
    """A config of experiments."""
    return {"experiments": list(those), **more}


def people(condition: Any, *others: Any, mode: str = "any", out: tuple[Any, ...] = ()) -> Document:
    """An audience."""
    return {"mode": mode, "in": [condition, *others], "out": list(out)}
