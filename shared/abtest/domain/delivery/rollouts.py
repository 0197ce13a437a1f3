"""Personalizations and flags as the config holds them: what is rolled out to a share of the visitors."""

from abtest.domain.assignment.hash import fold
from abtest.domain.delivery.mutations import normalised
from abtest.domain.delivery.parts import Config, below, goal
from abtest.domain.flags.model import Flag
from abtest.domain.personalizations.model import Experience, Personalization, Rule
from abtest.domain.targeting.compilation import (
    References,
    Targeting,
    compile_audience,
    compile_pages,
    compile_schedule,
)
from abtest.kit.json_objects import present


def compile_personalization(personalization: Personalization, references: References) -> Config:
    """The personalization with all its experiences."""
    return {
        "id": personalization.id,
        "key": personalization.key,
        "name": personalization.name,
        "type": personalization.delivery_type,
        "surface": personalization.surface,
        "state": fold(personalization.id),
        "below": below(personalization.rollout_percentage),
        "experiences": [_experience(each) for each in personalization.experiences],
        "goals": [goal(each, {}) for each in personalization.goals if each.archived_at is None],
    } | present(
        **_restricted(personalization.targeting, references),
        dark=compile_schedule(personalization.weekday_schedule),
        rules=[_rule(each, references) for each in personalization.rules],
    )


def compile_flag(flag: Flag, references: References) -> Config:
    """The flag with both values. A paused one keeps them and is rolled out to nobody."""
    paused = flag.status == "paused"
    return {
        "id": flag.id,
        "key": flag.key,
        "state": fold(flag.id),
        "below": 0 if paused else below(flag.rollout_percentage),
        "on": flag.on_value,
        "off": flag.off_value,
    } | present(
        **_restricted(flag.targeting, references),
        dark=compile_schedule(flag.weekday_schedule),
        paused=paused,
    )


def _restricted(targeting: Targeting, references: References) -> Config:
    """Surface and identity are for experiments: a personalization names its own surface."""
    return present(pages=compile_pages(targeting, references), audience=compile_audience(targeting, references))


def _rule(rule: Rule, references: References) -> Config:
    return {"experience": rule.experience_key} | _restricted(rule.targeting, references)


def _experience(experience: Experience) -> Config:
    value = {} if experience.value is None else {"value": experience.value}
    return (
        {"id": experience.id, "key": experience.key, "name": experience.name}
        | value
        | present(
            mutations=normalised(experience.mutations),
            css=experience.custom_css,
            js=experience.custom_js,
            reset_js=experience.reset_js,
            hide=list(experience.anti_flicker_selectors),
            profile=experience.recommendation_profile,
        )
    )
