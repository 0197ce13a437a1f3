"""Compilation of personalizations and flags: parts of the config that are rolled out to a share of the visitors."""

from abtest.domain.assignment.hash import fold
from abtest.domain.assignment.shapes import (
    OnPages,
    PublishedExperience,
    PublishedFlag,
    PublishedPersonalization,
    PublishedRule,
)
from abtest.domain.delivery.mutations import normalised
from abtest.domain.delivery.parts import below, goal
from abtest.domain.flags.model import Flag
from abtest.domain.personalizations.model import Experience, Personalization
from abtest.domain.targeting.compilation import (
    References,
    compile_audience,
    compile_pages,
    compile_schedule,
)
from abtest.domain.targeting.shapes import Targeting
from abtest.kit.json_objects import present


def compile_personalization(personalization: Personalization, references: References) -> PublishedPersonalization:
    """Compile a personalization with all its experiences."""
    published: PublishedPersonalization = {
        "id": personalization.id,
        "key": personalization.key,
        "name": personalization.name,
        "type": personalization.delivery_type,
        "surface": personalization.surface,
        "state": fold(personalization.id),
        "below": below(personalization.rollout_percentage),
        "experiences": [_experience(each) for each in personalization.experiences],
        "goals": [goal(each, {}) for each in personalization.goals if each.archived_at is None],
    }
    rules: list[PublishedRule] = [
        {"experience": each.experience_key, **_restricted(each.targeting, references)} for each in personalization.rules
    ]
    published |= present(
        **_restricted(personalization.targeting, references),
        dark=compile_schedule(personalization.weekday_schedule),
        rules=rules,
    )
    return published


def compile_flag(flag: Flag, references: References) -> PublishedFlag:
    """Compile a flag with both values. A paused one keeps them and is rolled out to no visitor."""
    paused = flag.status == "paused"
    published: PublishedFlag = {
        "id": flag.id,
        "key": flag.key,
        "state": fold(flag.id),
        "below": 0 if paused else below(flag.rollout_percentage),
        "on": flag.on_value,
        "off": flag.off_value,
    }
    published |= present(
        **_restricted(flag.targeting, references),
        dark=compile_schedule(flag.weekday_schedule),
        paused=paused,
    )
    return published


def _restricted(targeting: Targeting | None, references: References) -> OnPages:
    """Compile pages and audience; surface and identity are for experiments alone."""
    published: OnPages = present(
        pages=compile_pages(targeting, references), audience=compile_audience(targeting, references)
    )
    return published


def _experience(experience: Experience) -> PublishedExperience:
    published: PublishedExperience = {"id": experience.id, "key": experience.key, "name": experience.name}
    # Not with `present`, which leaves out empty values.
    if experience.value is not None:
        published["value"] = experience.value
    published |= present(
        mutations=normalised(experience.mutations),
        css=experience.custom_css,
        js=experience.custom_js,
        reset_js=experience.reset_js,
        hide=list(experience.anti_flicker_selectors),
        profile=experience.recommendation_profile,
    )
    return published
