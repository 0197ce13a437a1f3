"""Personalizations and flags of a decision."""

from collections.abc import Iterable, Iterator

from abtest.domain.assignment.decision import FlagValue, Personalized, Reason
from abtest.domain.assignment.prepared import Flag, Personalization
from abtest.domain.assignment.shapes import PublishedExperience
from abtest.domain.assignment.situation import Situation

GLOBAL = "global"
"""The surface on which any number of personalizations is shown."""


def personalized(personalizations: Iterable[Personalization], situation: Situation) -> Iterator[Personalized]:
    """Yield the personalizations of a visitor with an id who is not held out.

    On each surface other than `global` only the first is shown.
    """
    taken: set[str | None] = set()
    for each in personalizations:
        experience = None if each.surface in taken else experience_of(each, situation)
        if experience is not None:
            shown = situation.is_within(each.share)
            # Only what is shown takes the surface; a visitor outside the rollout leaves it to the next one.
            if shown and each.surface != GLOBAL:
                taken.add(each.surface)
            yield Personalized(personalization=each.document, experience=experience, shown=shown)


def flag_values(flags: Iterable[Flag], situation: Situation) -> dict[str, FlagValue]:
    """Return the value of every flag by its key."""
    values: dict[str, FlagValue] = {}
    for flag in flags:
        reason = flag_reason(flag, situation)
        values[flag.key] = FlagValue(flag=flag.document, value=flag.on if reason == "on" else flag.off, reason=reason)
    return values


def experience_of(personalization: Personalization, situation: Situation) -> PublishedExperience | None:
    """Return the experience of the first rule that holds, else the default; None outside the personalization."""
    reach, view = personalization.reach, situation.view
    if situation.is_dark(reach.dark) or not (reach.audience(view) and reach.pages(view)):
        return None
    for choice in personalization.choices:
        if choice.pages(view) and choice.audience(view):
            return choice.experience
    return personalization.default


def flag_reason(flag: Flag, situation: Situation) -> Reason:
    """Return the rule that decides a flag's value, in the order of section 2.1 of docs/data-model.md."""
    if flag.paused:
        return "paused"
    if situation.is_dark(flag.reach.dark):
        return "dark"
    if not (flag.reach.audience(situation.view) and flag.reach.pages(situation.view)):
        return "targeting"
    return "on" if situation.is_within(flag.share) else "rollout"
