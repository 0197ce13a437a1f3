"""The experiments of a config as one: who is admitted to which is asked with masks, bit i for the i-th experiment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from abtest.domain.assignment.allocation import Range
from abtest.domain.assignment.decision import Assignment
from abtest.domain.assignment.hash import BUCKETS, seed
from abtest.domain.assignment.reading import Dark, dark_of, range_of, state_of, text_of, whole_of
from abtest.domain.assignment.screen import Mask, Screen, masks
from abtest.domain.assignment.shapes import PublishedExperiment, PublishedGroup
from abtest.domain.targeting.pages import Rule, prepare_audience, prepare_pages

Outcomes = tuple[Assignment | None, ...]
"""An assignment of each variation by its index, and None behind them for whoever is in no variation's range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """An exclusion group as one of its members sees it."""

    state: int
    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A running experiment."""

    document: PublishedExperiment
    seed: str
    state: int
    group: Group | None
    surface: str | None
    by_customer: bool
    dark: Dark | None
    audience: Rule
    pages: Rule
    drawn: bytes
    """The index in both outcomes for each bucket."""
    outcomes: tuple[Outcomes, Outcomes]
    """Drawn by the visitor id where its pages do not hold and where they do; made once: they are most frequent."""
    indices: Mapping[str, int]
    """The position of each variation by its id."""

    def assignment(self, index: int, **how: bool) -> Assignment:
        """The assignment of a variation; `how` as the fields of Assignment."""
        return _assignment(self.document, self.seed, index, **how)


class Roster:
    """Experiments, and for each thing that several ask the mask of those who ask it."""

    def __init__(self, members: Sequence[Experiment]) -> None:
        placed = [(each, place) for place, each in enumerate(members)]
        self.members = tuple(members)
        self.everybody: Mask = (1 << len(members)) - 1
        self.states = [each.state for each in members]
        self.drawn = [each.drawn for each in members]
        self.outcomes = [each.outcomes for each in members]
        self.by_id = {each.document["id"]: place for each, place in placed}
        self.by_seed = {each.seed: place for each, place in placed}
        self.surfaces = masks((each.surface, place) for each, place in placed)
        self.darks = masks((each.dark, place) for each, place in placed if each.dark)
        self.groups = masks((each.group, place) for each, place in placed if each.group)
        self.by_customer: Mask = masks((each.by_customer, place) for each, place in placed).get(True, 0)
        self.audiences = Screen([each.audience for each in members])
        self.pages = Screen([each.pages for each in members])


def experiment_of(document: PublishedExperiment) -> Experiment:
    """The experiment of a config. Raises one of `reading.UNREADABLE` for what is none."""
    variations = document["variations"]
    group, surface = document.get("group"), document.get("surface")
    seeded = seed(text_of(document["id"]), whole_of(document["epoch"]))
    return Experiment(
        document=document,
        seed=seeded,
        state=state_of(document["state"]),
        group=None if group is None else _group(group),
        surface=None if surface is None else text_of(surface),
        by_customer=document.get("identity") == "customer",
        dark=dark_of(document),
        audience=prepare_audience(document.get("audience")),
        pages=prepare_pages(document.get("pages")),
        drawn=_table(tuple(range_of(variation["range"]) for variation in variations)),
        outcomes=(_outcomes(document, seeded, active=False), _outcomes(document, seeded, active=True)),
        indices={text_of(variation["id"]): index for index, variation in enumerate(variations)},
    )


def _group(document: PublishedGroup) -> Group:
    return Group(state=state_of(document["state"]), ranges=tuple(map(range_of, document["ranges"])))


@lru_cache(maxsize=256)
def _table(ranges: tuple[Range, ...]) -> bytes:
    """The variation of each bucket; most experiments share theirs with others."""
    table = bytearray([len(ranges)]) * BUCKETS
    for index, (start, end) in reversed(list(enumerate(ranges))):  # the first of those that overlap wins
        within = range(BUCKETS)[max(0, start) : max(0, end)]
        table[within.start : within.stop] = bytes([index]) * len(within)
    return bytes(table)


def _outcomes(document: PublishedExperiment, seeded: str, *, active: bool) -> Outcomes:
    places = range(len(document["variations"]))
    return (*(_assignment(document, seeded, index, active=active) for index in places), None)


def _assignment(document: PublishedExperiment, seeded: str, index: int, **how: bool) -> Assignment:
    variation = document["variations"][index]
    return Assignment(experiment=document, variation=variation, index=index, seed=seeded, **how)
