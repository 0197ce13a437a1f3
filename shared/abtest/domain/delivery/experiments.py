"""An experiment as the config holds it."""

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
from abtest.domain.exclusion_groups.model import ExclusionGroup, Member
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.experiments.shapes import UrlBlock
from abtest.domain.targeting.compilation import References, compile_schedule, compile_targeting, compile_url_rules
from abtest.kit.json_objects import present


def groups_of_members(groups: Iterable[ExclusionGroup]) -> dict[str, PublishedGroup]:
    """What each member of a group is told of it, by experiment; of several groups the oldest one holds."""
    newest_first = sorted(groups, key=lambda group: group.id, reverse=True)
    return {member.experiment_id: _group(group, member) for group in newest_first for member in group.members}


def compile_experiment(
    experiment: Experiment, references: References, groups: Mapping[str, PublishedGroup]
) -> PublishedExperiment:
    """The experiment with its variations in use; `groups` as `groups_of_members` makes it."""
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
        css=experiment.experiment_css,
        js=experiment.experiment_js,
        reset_js=experiment.experiment_reset_js,
    )
    return compiled


def _group(group: ExclusionGroup, member: Member) -> PublishedGroup:
    return {
        "id": group.id,
        "epoch": group.epoch,
        "state": fold(f"group:{group.id}"),
        "ranges": [list(held) for held in member.ranges],
    }


def _variation(variation: Variation, cut: Range, redirects: bool) -> PublishedVariation:
    published: PublishedVariation = {"id": variation.id, "name": variation.name, "range": list(cut)}
    published |= present(
        control=variation.is_control,
        mutations=normalised(variation.mutations),
        css=variation.custom_css,
        js=variation.custom_js,
        blocks=[_block(block) for block in variation.url_blocks or ()],
        redirect_url=redirects and variation.redirect_url,
    )
    return published


def _block(block: UrlBlock) -> PublishedBlock:
    published: PublishedBlock = {"rules": compile_url_rules(block["urlRules"])}
    published |= present(mutations=normalised(block["mutations"]), css=block.get("css"), js=block.get("js"))
    return published
