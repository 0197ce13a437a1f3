"""Published configs in their smallest form, for tests of deciding."""

from typing import Any

from abtest.domain.assignment.allocation import ranges
from abtest.domain.assignment.decide import Decision, decide, prepare, visitor_of
from abtest.domain.assignment.hash import bucket, fold, seed
from abtest.domain.targeting.urls import compile_rule

MONDAY_NOON = 1_767_614_400_000  # 2026-01-05T12:00Z
URL = "https://shop.example/a"

Config = Any


def experiment(
    name: str = "one", *, weights: Any = (0.5, 0.5), coverage: float = 1, epoch: int = 1, **more: Any
) -> Config:
    """An experiment with as many variations as weights, called a, b, c …, the first one the control."""
    cuts = ranges(weights, coverage)
    variations: list[Config] = [
        {"id": chr(97 + index), "name": "", "range": list(cut)} for index, cut in enumerate(cuts)
    ]
    variations[0]["control"] = True
    return {"id": name, "epoch": epoch, "state": fold(seed(name, epoch)), "variations": variations, "goals": [], **more}


def share(name: str, below: int) -> Config:
    """The state of a seed and the bound of a rollout or a holdout."""
    return {"state": fold(name), "below": below}


def on(*patterns: str) -> Config:
    """Pages with these patterns."""
    return {"mode": "any", "in": [{"include": [compile_rule("simple", each) for each in patterns]}], "out": []}


def people(condition: Any) -> Config:
    """An audience of one condition."""
    return {"mode": "any", "in": [condition], "out": []}


def decided(
    config: Config, visitor: Any = "v", *, url: str | None = URL, now: float = MONDAY_NOON, force: Any = None
) -> Decision:
    """What is decided for a visitor, who may be told as a document or as an id."""
    return decide(prepare(config), visitor_of(visitor), url, now, force or {})


def assigned(one: Config, visitor: Any = "v", **more: Any) -> Config | None:
    """The document of the assignment to the only experiment of a config, or None."""
    documents = [each.document() for each in decided({"experiments": [one]}, visitor, **more).assignments]
    assert len(documents) <= 1
    return documents[0] if documents else None


def id_in(state: int, start: int, end: int) -> str:
    """An id whose bucket lies in a range."""
    return next(name for name in map(str, range(10**6)) if start <= bucket(name, state) < end)
