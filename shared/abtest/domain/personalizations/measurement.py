"""Personalizations as what results count: each experience against those who would have got it and were not shown it."""

from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.personalizations.model import Experience, Personalization

NOT_SHOWN = "Not shown"


def measured(personalization: Personalization) -> tuple[Experiment, ...]:
    """One experiment of two arms for each experience, named by the experience's id; nothing else of it is set.

    Events name the arms so: the personalization's id where the experience was not shown, else the experience's id.
    """
    return tuple(measured_experience(personalization, experience) for experience in personalization.experiences)


def measured_experience(personalization: Personalization, experience: Experience) -> Experiment:
    """Return an experience as an experiment of two arms, whose weights are the shares of the rollout."""
    share = personalization.rollout_percentage
    arms = (
        Variation(
            id=personalization.id, experiment_id=experience.id, name=NOT_SHOWN, weight=1 - share, is_control=True
        ),
        Variation(id=experience.id, experiment_id=experience.id, name=experience.name, weight=share, is_control=False),
    )
    return Experiment(
        id=experience.id,
        shop_id=personalization.shop_id,
        name=experience.name,
        measurement_epoch=personalization.measurement_epoch,
        measurement_started_at=personalization.measurement_started_at,
        variations=arms,
        goals=personalization.goals,
        created_at=personalization.created_at,
        updated_at=personalization.updated_at,
    )
