"""Published config prepared for decisions: rules as functions, cut points as integers.

An experiment, personalization or flag that cannot be read is left out; it harms no other.
"""

from dataclasses import dataclass, replace

from abtest.domain.assignment.reading import Dark, Share, dark_of, readable, share_of, text_of
from abtest.domain.assignment.roster import Roster, experiment_of
from abtest.domain.assignment.shapes import (
    Decided,
    PublishedExperience,
    PublishedFlag,
    PublishedPersonalization,
    Restricted,
)
from abtest.domain.targeting.pages import Rule, prepare_audience, prepare_pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Days, audience and pages of something that is delivered."""

    dark: Dark | None
    audience: Rule
    pages: Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Rule of a personalization: the experience for an audience on pages."""

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
    """Prepared config, made once and used for every visitor."""

    config: Decided
    """The config as it was published, also with what cannot be read."""
    holdout: Share | None
    zones: tuple[str, ...]
    experiments: Roster
    personalizations: tuple[Personalization, ...]
    flags: tuple[Flag, ...]


def prepare(config: Decided) -> Prepared:
    """Prepare a config. Never raises; a holdout that cannot be read is ignored."""
    return Prepared(
        config=config,
        holdout=next(readable(share_of, [config["holdout"]] if "holdout" in config else []), None),
        zones=tuple(readable(text_of, config.get("zones"))),
        experiments=Roster(list(readable(experiment_of, config.get("experiments")))),
        personalizations=tuple(readable(personalization_of, config.get("personalizations"))),
        flags=tuple(readable(flag_of, config.get("flags"))),
    )


def prepare_served(config: Decided, experiment_id: str) -> Prepared:
    """Prepare the one experiment of a landing page, for the server that sends the page. Never raises.

    The server decides it like any other experiment; browsers then take what the page is marked with.
    """
    documents = readable(lambda each: each if each["id"] == experiment_id else None, config.get("experiments"))
    own = [replace(experiment, served=False) for experiment in readable(experiment_of, [*filter(None, documents)])]
    return replace(prepare({**config, "experiments": []}), experiments=Roster(own), personalizations=(), flags=())


def reach_of(document: Restricted) -> Reach:
    """Read days, audience and pages. Raises one of `reading.UNREADABLE`."""
    return Reach(
        dark=dark_of(document),
        audience=prepare_audience(document.get("audience")),
        pages=prepare_pages(document.get("pages")),
    )


def personalization_of(document: PublishedPersonalization) -> Personalization:
    """Read a personalization. Raises one of `reading.UNREADABLE`."""
    # Checked here although unused: decisions write ids into their answer and must not fail at that.
    text_of(document["id"])
    experiences = {text_of(experience["key"]): experience for experience in document["experiences"]}
    for experience in experiences.values():
        text_of(experience["id"])
    surface = document.get("surface")
    return Personalization(
        document=document,
        surface=None if surface is None else text_of(surface),
        share=share_of(document),
        reach=reach_of(document),
        choices=tuple(
            Choice(
                experience=experiences[rule["experience"]],
                audience=prepare_audience(rule.get("audience")),
                pages=prepare_pages(rule.get("pages")),
            )
            for rule in document.get("rules") or ()
        ),
        # May be missing: then visitors outside all rules get nothing.
        default=experiences.get("default"),
    )


def flag_of(document: PublishedFlag) -> Flag:
    """Read a flag. Raises one of `reading.UNREADABLE`."""
    return Flag(
        document=document,
        key=text_of(document["key"]),
        on=document["on"],
        off=document["off"],
        paused=bool(document.get("paused")),
        share=share_of(document),
        reach=reach_of(document),
    )
