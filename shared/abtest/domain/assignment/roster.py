"""Experiments of a config, evaluated together with masks: bit i is the i-th experiment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

from abtest.domain.assignment.allocation import Range
from abtest.domain.assignment.decision import Assignment
from abtest.domain.assignment.hash import BUCKETS, seed
from abtest.domain.assignment.reading import Dark, dark_of, range_of, state_of, text_of, whole_of
from abtest.domain.assignment.screen import Mask, Screen, masks
from abtest.domain.assignment.shapes import PublishedExperiment
from abtest.domain.targeting.pages import Rule, prepare_audience, prepare_pages

Outcomes = tuple[Assignment | None, ...]
"""Assignments by the index of their variation, then None for a bucket outside all ranges."""


@dataclass(frozen=True, slots=True)
class Group:
    """Buckets of an exclusion group that one experiment has."""

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
    served: bool
    """The server that sends a landing page decides it: in browsers, only the page's own mark counts."""
    by_customer: bool
    dark: Dark | None
    audience: Rule
    pages: Rule
    drawn: bytes
    """The index in both outcomes for each bucket."""
    outcomes: tuple[Outcomes, Outcomes]
    """Draws by the visitor id, where the pages do not hold and where they do; built once, as most draws are these."""
    indices: Mapping[str, int]
    """Position of each variation by its id."""
    codes: Mapping[bytes, str]
    """Id of each variation by its code."""

    def assignment(self, index: int, **how: bool) -> Assignment:
        """Return the assignment of a variation; `how` are fields of Assignment."""
        return assignment_of(self.document, self.seed, index, **how)


class Roster:
    """Experiments, and for each restriction that several share the mask of those experiments."""

    def __init__(self, members: Sequence[Experiment]) -> None:
        placed = [(each, place) for place, each in enumerate(members)]
        self.members = tuple(members)
        self.every: Mask = (1 << len(members)) - 1
        self.states = [each.state for each in members]
        self.drawn = [each.drawn for each in members]
        self.outcomes = [each.outcomes for each in members]
        self.by_id = {each.document["id"]: place for each, place in placed}
        self.by_state = {each.state: place for each, place in placed}
        self.by_seed = {each.seed: place for each, place in placed}
        self.surfaces = masks((each.surface, place) for each, place in placed)
        self.darks = masks((each.dark, place) for each, place in placed if each.dark)
        self.groups = masks((each.group, place) for each, place in placed if each.group)
        self.served: Mask = masks((each.served, place) for each, place in placed).get(True, 0)
        self.by_customer: Mask = masks((each.by_customer, place) for each, place in placed).get(True, 0)
        self.audiences = Screen([each.audience for each in members])
        self.pages = Screen([each.pages for each in members])


def experiment_of(document: PublishedExperiment) -> Experiment:
    """Read an experiment of a config. Raises one of `reading.UNREADABLE`."""
    variations = document["variations"]
    group, surface = document.get("group"), document.get("surface")
    seeded = seed(text_of(document["id"]), whole_of(document["epoch"]))
    return Experiment(
        document=document,
        seed=seeded,
        state=state_of(document["state"]),
        group=None if group is None else Group(state_of(group["state"]), tuple(map(range_of, group["ranges"]))),
        surface=None if surface is None else text_of(surface),
        served=bool(document.get("served")),
        by_customer=document.get("identity") == "customer",
        dark=dark_of(document),
        audience=prepare_audience(document.get("audience")),
        pages=prepare_pages(document.get("pages")),
        drawn=bucket_table(tuple(range_of(variation["range"]) for variation in variations)),
        outcomes=(outcomes(document, seeded, active=False), outcomes(document, seeded, active=True)),
        indices={text_of(variation["id"]): index for index, variation in enumerate(variations)},
        codes={code_of(variation["id"]): variation["id"] for variation in variations},
    )


def code_of(variation_id: str) -> bytes:
    """Return 24 bits of a checksum of the id, by which sticky texts name a variation of an experiment."""
    return crc32(variation_id.encode(errors="surrogatepass")).to_bytes(4, "big")[1:]


# A table has 10 kB, so the cache has 2.5 MB at most.
@lru_cache(maxsize=256)
def bucket_table(ranges: tuple[Range, ...]) -> bytes:
    """Return the index of the variation of each bucket; cached, because most experiments share theirs with others."""
    # A byte holds up to 255 variations; more raise ValueError, so that the experiment is left out as unreadable.
    table = bytearray([len(ranges)]) * BUCKETS
    for index, (start, end) in reversed(list(enumerate(ranges))):  # the first of those that overlap wins
        # Bounds of a config may be anything; a negative one would count from the end of the table.
        within = range(BUCKETS)[max(0, start) : max(0, end)]
        table[within.start : within.stop] = bytes([index]) * len(within)
    return bytes(table)


def outcomes(document: PublishedExperiment, seeded: str, *, active: bool) -> Outcomes:
    """Return the draws of every variation by the visitor id."""
    places = range(len(document["variations"]))
    return (*(assignment_of(document, seeded, index, active=active) for index in places), None)


def assignment_of(document: PublishedExperiment, seeded: str, index: int, **how: bool) -> Assignment:
    """Return the assignment of a variation; `how` are fields of Assignment."""
    variation = document["variations"][index]
    return Assignment(experiment=document, variation=variation, index=index, seed=seeded, **how)
