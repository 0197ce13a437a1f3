"""Compilation of an experiment into its part of the config."""

from collections.abc import Iterable, Mapping

from abtest.domain.assignment.allocation import Range, ranges
from abtest.domain.assignment.hash import fold, seed
from abtest.domain.assignment.shapes import (
    PublishedBlock,
    PublishedExperiment,
    PublishedGroup,
    PublishedVariation,
)
from abtest.domain.delivery.mutations import normalised
from abtest.domain.delivery.parts import goal
from abtest.domain.exclusion_groups.model import ExclusionGroup
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.targeting.compilation import References, compile_schedule, compile_targeting, compile_url_rules
from abtest.kit.json_objects import present


def groups_of_members(groups: Iterable[ExclusionGroup]) -> dict[str, PublishedGroup]:
    """Return the published group of each member by experiment; of several groups the oldest one applies."""
    published: dict[str, PublishedGroup] = {}
    # Later entries replace earlier ones, so the oldest group comes last.
    for group in sorted(groups, key=lambda group: group.id, reverse=True):
        for member in group.members:
            published[member.experiment_id] = {
                "id": group.id,
                "epoch": group.epoch,
                "state": fold(f"group:{group.id}"),
                "ranges": [list(held) for held in member.ranges],
            }
    return published


def compile_experiment(
    experiment: Experiment, references: References, groups: Mapping[str, PublishedGroup], *, is_served: bool = False
) -> PublishedExperiment:
    """Compile an experiment with its variations in use; `groups` are those of `groups_of_members`.

    One that `is_served` is shown by a landing page.
    """
    active = [variation for variation in experiment.variations if variation.archived_at is None]
    cuts = ranges([variation.weight for variation in active], experiment.traffic_allocation)
    redirects = experiment.delivery_type == "redirect"
    page_rules = {page["id"]: page for page in experiment.goal_page_rules}
    compiled: PublishedExperiment = {
        "id": experiment.id,
        "name": experiment.name,
        "type": experiment.delivery_type,
        "epoch": experiment.assignment_epoch,
        "state": fold(seed(experiment.id, experiment.assignment_epoch)),
        "variations": [_variation(*each, redirects) for each in zip(active, cuts, strict=True)],
        "goals": [goal(each, page_rules, references) for each in experiment.goals if each.archived_at is None],
    }
    compiled |= present(
        **compile_targeting(experiment.targeting, references),
        dark=compile_schedule(experiment.weekday_schedule),
        group=groups.get(experiment.id),
        served=is_served,
        css=experiment.experiment_css,
        js=experiment.experiment_js,
        reset_js=experiment.experiment_reset_js,
    )
    return compiled


def _variation(variation: Variation, cut: Range, redirects: bool) -> PublishedVariation:
    blocks: list[PublishedBlock] = []
    for block in variation.url_blocks or ():
        compiled: PublishedBlock = {"rules": compile_url_rules(block["urlRules"])}
        compiled |= present(mutations=normalised(block["mutations"]), css=block.get("css"), js=block.get("js"))
        blocks.append(compiled)
    published: PublishedVariation = {"id": variation.id, "name": variation.name, "range": list(cut)}
    published |= present(
        control=variation.is_control,
        mutations=normalised(variation.mutations),
        css=variation.custom_css,
        js=variation.custom_js,
        blocks=blocks,
        redirect_url=redirects and variation.redirect_url,
    )
    return published
