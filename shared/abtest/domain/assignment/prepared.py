"""A published config made ready to decide with: rules as functions, cut points as integers. Nobody is decided here.

What cannot be read is left out, each experiment, personalization and flag on its own.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from abtest.domain.assignment.allocation import Range
from abtest.domain.assignment.decision import Assignment
from abtest.domain.assignment.hash import seed
from abtest.domain.targeting.pages import Rule, prepare_audience, prepare_pages

Document = Mapping[str, Any]
Item = TypeVar("Item")

_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)
_INDEX = re.compile("0|[1-9][0-9]{0,3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Who is within: `bucket(unit, state) < below`."""

    state: int
    below: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dark:
    """Days of a zone on which nothing is delivered."""

    days: frozenset[str]
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """When, to whom and where something is delivered."""

    dark: Dark | None
    audience: Rule
    pages: Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """An exclusion group as one of its members sees it."""

    state: int
    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A running experiment."""

    document: Document
    seed: str
    state: int
    group: Group | None
    surface: str | None
    by_customer: bool
    reach: Reach
    ranges: tuple[Range, ...]
    indices: Mapping[str, int]
    """The position of each variation by its id."""
    drawn: tuple[Assignment, ...]
    """The active assignment of each variation, drawn by visitor id: by far the most frequent, hence made once."""

    def forced_index(self, wish: Any) -> int | None:
        """The variation that is wished for, by id or by decimal index."""
        found = self.indices.get(wish) if isinstance(wish, str) else None
        if found is None and _INDEX.fullmatch(str(wish)) and int(wish) < len(self.ranges):
            return int(wish)
        return found

    def assignment(self, index: int, **how: bool) -> Assignment:
        """The assignment of a variation; `how` as the fields of Assignment."""
        variation = self.document["variations"][index]
        return Assignment(experiment=self.document, variation=variation, index=index, seed=self.seed, **how)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One rule of a personalization: these visitors get this experience."""

    experience: Document
    audience: Rule
    pages: Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Personalization:
    """An active personalization."""

    document: Document
    surface: str | None
    share: Share
    reach: Reach
    choices: tuple[Choice, ...]
    default: Document | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """An active or paused flag."""

    document: Document
    key: str
    on: Any
    off: Any
    paused: bool
    share: Share
    reach: Reach


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A config made ready; made once for a config, used for every visitor."""

    holdout: Share | None
    zones: tuple[str, ...]
    experiments: tuple[Experiment, ...]
    personalizations: tuple[Personalization, ...]
    flags: tuple[Flag, ...]


def prepare(config: Document) -> Prepared:
    """The config made ready. Never raises; of a holdout that cannot be read there is none."""
    return Prepared(
        holdout=next(iter(_readable(_share, [config["holdout"]] if "holdout" in config else [])), None),
        zones=tuple(_readable(_text, config.get("zones"))),
        experiments=tuple(_readable(_experiment, config.get("experiments"))),
        personalizations=tuple(_readable(_personalization, config.get("personalizations"))),
        flags=tuple(_readable(_flag, config.get("flags"))),
    )


def _readable(read: Callable[[Any], Item], documents: Any) -> Iterable[Item]:
    for document in documents if isinstance(documents, list) else ():
        try:
            yield read(document)
        except _UNREADABLE:
            continue


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("not a whole number")
    return value


def _share(document: Document) -> Share:
    return Share(state=_whole(document["state"]), below=_whole(document["below"]))


def _range(bounds: Sequence[Any]) -> Range:
    start, end = bounds
    return _whole(start), _whole(end)


def _reach(document: Document) -> Reach:
    dark = document.get("dark")
    return Reach(
        dark=None if dark is None else Dark(days=frozenset(map(_text, dark["days"])), zone=_text(dark["zone"])),
        audience=prepare_audience(document.get("audience")),
        pages=prepare_pages(document.get("pages")),
    )


def _experiment(document: Document) -> Experiment:
    variations = document["variations"]
    group = document.get("group")
    seeded = seed(_text(document["id"]), _whole(document["epoch"]))
    return Experiment(
        document=document,
        seed=seeded,
        state=_whole(document["state"]),
        group=None if group is None else _group(group),
        surface=document.get("surface"),
        by_customer=document.get("identity") == "customer",
        reach=_reach(document),
        ranges=tuple(_range(variation["range"]) for variation in variations),
        indices={_text(variation["id"]): index for index, variation in enumerate(variations)},
        drawn=tuple(
            Assignment(experiment=document, variation=variation, index=index, seed=seeded, active=True)
            for index, variation in enumerate(variations)
        ),
    )


def _group(document: Document) -> Group:
    return Group(state=_whole(document["state"]), ranges=tuple(map(_range, document["ranges"])))


def _personalization(document: Document) -> Personalization:
    experiences = {_text(experience["key"]): experience for experience in document["experiences"]}
    for experience in experiences.values():
        _text(experience["id"])
    _text(document["id"])
    return Personalization(
        document=document,
        surface=document.get("surface"),
        share=_share(document),
        reach=_reach(document),
        choices=tuple(_choice(rule, experiences) for rule in document.get("rules") or ()),
        default=experiences.get("default"),
    )


def _choice(rule: Document, experiences: Mapping[str, Document]) -> Choice:
    return Choice(
        experience=experiences[rule["experience"]],
        audience=prepare_audience(rule.get("audience")),
        pages=prepare_pages(rule.get("pages")),
    )


def _flag(document: Document) -> Flag:
    return Flag(
        document=document,
        key=_text(document["key"]),
        on=document["on"],
        off=document["off"],
        paused=bool(document.get("paused")),
        share=_share(document),
        reach=_reach(document),
    )
