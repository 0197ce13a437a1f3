"""A published config made ready to decide with: rules as functions, cut points as integers. Nobody is decided here.

What cannot be read is left out, each experiment, personalization and flag on its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from abtest.domain.assignment.reading import Dark, Share, dark_of, readable, share_of, text_of
from abtest.domain.assignment.roster import Roster, experiment_of
from abtest.domain.assignment.shapes import (
    Decided,
    PublishedExperience,
    PublishedFlag,
    PublishedPersonalization,
    PublishedRule,
    Restricted,
)
from abtest.domain.targeting.pages import Rule, prepare_audience, prepare_pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """When, to whom and where something is delivered."""

    dark: Dark | None
    audience: Rule
    pages: Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One rule of a personalization: these visitors get this experience."""

    experience: PublishedExperience
    audience: Rule
    pages: Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Personalization:
    """An active personalization."""

    document: PublishedPersonalization
    surface: str | None
    share: Share
    reach: Reach
    choices: tuple[Choice, ...]
    default: PublishedExperience | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """An active or paused flag."""

    document: PublishedFlag
    key: str
    on: object
    off: object
    paused: bool
    share: Share
    reach: Reach


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A config made ready; made once for a config, used for every visitor."""

    holdout: Share | None
    zones: tuple[str, ...]
    experiments: Roster
    personalizations: tuple[Personalization, ...]
    flags: tuple[Flag, ...]


def prepare(config: Decided) -> Prepared:
    """The config made ready. Never raises; of a holdout that cannot be read there is none."""
    return Prepared(
        holdout=next(readable(share_of, [config["holdout"]] if "holdout" in config else []), None),
        zones=tuple(readable(text_of, config.get("zones"))),
        experiments=Roster(list(readable(experiment_of, config.get("experiments")))),
        personalizations=tuple(readable(_personalization, config.get("personalizations"))),
        flags=tuple(readable(_flag, config.get("flags"))),
    )


def _reach(document: Restricted) -> Reach:
    return Reach(
        dark=dark_of(document),
        audience=prepare_audience(document.get("audience")),
        pages=prepare_pages(document.get("pages")),
    )


def _personalization(document: PublishedPersonalization) -> Personalization:
    text_of(document["id"])
    experiences = {text_of(experience["key"]): experience for experience in document["experiences"]}
    for experience in experiences.values():
        text_of(experience["id"])
    surface = document.get("surface")
    return Personalization(
        document=document,
        surface=None if surface is None else text_of(surface),
        share=share_of(document),
        reach=_reach(document),
        choices=tuple(_choice(rule, experiences) for rule in document.get("rules") or ()),
        default=experiences.get("default"),
    )


def _choice(rule: PublishedRule, experiences: Mapping[str, PublishedExperience]) -> Choice:
    return Choice(
        experience=experiences[rule["experience"]],
        audience=prepare_audience(rule.get("audience")),
        pages=prepare_pages(rule.get("pages")),
    )


def _flag(document: PublishedFlag) -> Flag:
    return Flag(
        document=document,
        key=text_of(document["key"]),
        on=document["on"],
        off=document["off"],
        paused=bool(document.get("paused")),
        share=share_of(document),
        reach=_reach(document),
    )
