"""What an assignment delivers at an address: content, style, script and redirect, as the storefront would apply them.

An assignment that shows nothing here is told only where a goal of its experiment can count, to attribute it.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abtest.domain.assignment.decision import Assignment
from abtest.domain.assignment.destination import destination_of
from abtest.domain.assignment.shapes import (
    Decided,
    PublishedBlock,
    PublishedExperiment,
    PublishedGoal,
    PublishedVariation,
)
from abtest.domain.delivery.mutations import without_kinds
from abtest.domain.experiments.joined_code import as_call, joined_styles
from abtest.domain.targeting.pages import PageView, Rule, everywhere, prepare_page
from abtest.domain.targeting.shapes import CompiledPage
from abtest.domain.targeting.urls import Address, parse_address
from abtest.kit.json_objects import present

_NOTHING: dict[str, Any] = {"mutations": [], "redirect_url": None, "css": None, "js": None}
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Content:
    """What is the same for everybody who has a variation, and the URL rules inside it, ready to be asked.

    `goals` tell where the experiment's goals can count, `everywhere` for those that do on every page; `blocks` stand in
    order.
    """

    told: dict[str, Any]
    goals: Sequence[Rule]
    blocks: Sequence[tuple[Rule, PublishedBlock]]


Contents = Mapping[str, Sequence[Content]]
"""By experiment id, in the order of the variations."""


def contents_of(config: Decided) -> Contents:
    """The contents of each experiment; one that cannot be read is left out and harms no other."""
    found = {}
    for experiment in config["experiments"]:
        try:
            found[experiment["id"]] = _contents(experiment)
        except Exception:
            _log.exception("assignment.unreadable")
    return found


def server_assignments(contents: Contents, assignments: Iterable[Assignment], url: str | None) -> list[dict[str, Any]]:
    """The contract's ServerAssignments of what was decided; without an address a variation's flat content counts."""
    address = None if url is None else parse_address(url)
    view = None if address is None else PageView(address, {})
    readable = [each for each in assignments if each.experiment["id"] in contents]
    found = [_server_assignment(contents[each.experiment["id"]][each.index], each, view) for each in readable]
    return [each for each in found if each is not None]


def _contents(experiment: PublishedExperiment) -> Sequence[Content]:
    goals = [_where_it_counts(goal) for goal in experiment["goals"]]
    return [
        Content(
            told=_told(experiment, variation, index),
            goals=goals,
            blocks=[(prepare_page(block["rules"]), block) for block in variation.get("blocks", ())],
        )
        for index, variation in enumerate(experiment["variations"])
    ]


def _told(experiment: PublishedExperiment, variation: PublishedVariation, index: int) -> dict[str, Any]:
    return {
        "experiment_id": experiment["id"],
        "experiment_name": experiment["name"],
        "experiment_type": experiment["type"],
        "variation_id": variation["id"],
        "variation_name": variation["name"],
        "variation_index": index,
        "assignment_epoch": experiment["epoch"],
        "is_control": bool(variation.get("control")),
        "archived_at": None,
        "archived_by": None,
        "commerce_price_only": False,
    }


def _where_it_counts(goal: PublishedGoal) -> Rule:
    """By addresses alone: what else its page asks for may come true while the page is open."""
    pages: CompiledPage = goal.get("pages", {})
    rules: list[CompiledPage] = [present(include=pages.get("include"), exclude=pages.get("exclude"))]
    if "url" in goal:
        rules.append({"include": [goal["url"]]})
    asked = [prepare_page(rule) for rule in rules if rule]
    return (lambda view: all(rule(view) for rule in asked)) if asked else everywhere


def _server_assignment(content: Content, decided: Assignment, view: PageView | None) -> dict[str, Any] | None:
    if decided.active:
        return {**content.told, **_delivered(content, decided, view)}
    if any(_can_count(goal, view) for goal in content.goals):
        return {**content.told, **_NOTHING, "attributable_only": True}
    return None


def _can_count(goal: Rule, view: PageView | None) -> bool:
    return goal is everywhere or (view is not None and goal(view))


def _delivered(content: Content, decided: Assignment, view: PageView | None) -> dict[str, Any]:
    experiment, variation = decided.experiment, decided.variation
    target = None if variation.get("control") else variation.get("redirect_url")
    leads_to = _destination(target, None if view is None else view.address)
    if target is not None and leads_to is None:
        return _NOTHING  # there already: a redirect's content belongs to the page that it leads away from
    shown = _shown(variation, content.blocks, view)
    return {
        "mutations": without_kinds(shown.get("mutations", [])),
        "redirect_url": leads_to,
        "css": joined_styles(experiment.get("css"), shown.get("css")),
        "js": _script(experiment.get("js"), shown.get("js")),
    }


def _destination(target: str | None, address: Address | None) -> str | None:
    return target if target is None or address is None else destination_of(target, address.href)


def _shown(
    variation: PublishedVariation, blocks: Sequence[tuple[Rule, PublishedBlock]], view: PageView | None
) -> PublishedVariation | PublishedBlock:
    """The first URL block whose rules hold, else the variation's flat fields."""
    if view is None or not blocks:
        return variation
    return next((block for rule, block in blocks if rule(view)), variation)


def _script(first: str | None, second: str | None) -> str | None:
    """Function bodies as one; two get a function each, so that neither's names or `return` concern the other."""
    if first and second:
        return f"{as_call(first)}\n{as_call(second)}"
    return first or second
