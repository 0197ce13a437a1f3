"""The personalizations and flags of a decision: who is meant, and who is within the rollout."""

from collections.abc import Iterable, Iterator

from abtest.domain.assignment.decision import FlagValue, Personalized, Reason
from abtest.domain.assignment.prepared import Flag, Personalization, Reach
from abtest.domain.assignment.shapes import PublishedExperience
from abtest.domain.assignment.situation import Situation

_GLOBAL = "global"


def personalized(personalizations: Iterable[Personalization], situation: Situation) -> Iterator[Personalized]:
    """What a visitor who has an id and is not held out gets; a surface other than `global` shows one."""
    taken: set[str | None] = set()
    for each in personalizations:
        experience = None if each.surface in taken else _experience(each, situation)
        if experience is not None:
            shown = situation.is_within(each.share)
            if shown and each.surface != _GLOBAL:
                taken.add(each.surface)
            yield Personalized(personalization=each.document, experience=experience, shown=shown)


def flag_values(flags: Iterable[Flag], situation: Situation) -> dict[str, FlagValue]:
    """The value of every flag by its key."""
    return {flag.key: _value(flag, _reason(flag, situation)) for flag in flags}


def _experience(personalization: Personalization, situation: Situation) -> PublishedExperience | None:
    if situation.is_dark(personalization.reach.dark) or not _is_meant(personalization.reach, situation):
        return None
    for choice in personalization.choices:
        if choice.pages(situation.view) and choice.audience(situation.view):
            return choice.experience
    return personalization.default


def _is_meant(reach: Reach, situation: Situation) -> bool:
    return reach.audience(situation.view) and reach.pages(situation.view)


def _reason(flag: Flag, situation: Situation) -> Reason:
    if flag.paused:
        return "paused"
    if situation.is_dark(flag.reach.dark):
        return "dark"
    if not _is_meant(flag.reach, situation):
        return "targeting"
    return "on" if situation.is_within(flag.share) else "rollout"


def _value(flag: Flag, reason: Reason) -> FlagValue:
    return FlagValue(flag=flag.document, value=flag.on if reason == "on" else flag.off, reason=reason)
