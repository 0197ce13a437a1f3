"""Content of an assignment at an address: mutations, style, script and redirect, as the storefront applies them.

An assignment without content here is returned only where a goal of its experiment can count, to attribute it.
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
    """Content that all visitors of a variation share, with its URL rules prepared.

    `goals` match where the experiment's goals can count, `everywhere` for those of every page; `blocks` are in order.
    """

    fields: dict[str, Any]
    goals: Sequence[Rule]
    blocks: Sequence[tuple[Rule, PublishedBlock]]


Contents = Mapping[str, Sequence[Content]]
"""By experiment id, in the order of the variations."""


def contents_of(config: Decided) -> Contents:
    """Prepare the contents of each experiment; one that cannot be read is left out and stops no other."""
    contents = {}
    for experiment in config["experiments"]:
        try:
            contents[experiment["id"]] = _contents(experiment)
        except Exception:
            _log.exception("assignment.unreadable")
    return contents


def server_assignments(contents: Contents, assignments: Iterable[Assignment], url: str | None) -> list[dict[str, Any]]:
    """The contract's ServerAssignments of what was decided; without an address a variation's flat content counts."""
    address = None if url is None else parse_address(url)
    # A server sees no page, so attributes are unknown and only the address is matched.
    view = None if address is None else PageView(address, {})
    readable = [each for each in assignments if each.experiment["id"] in contents]
    answers = [_server_assignment(contents[each.experiment["id"]][each.index], each, view) for each in readable]
    return [each for each in answers if each is not None]


def _contents(experiment: PublishedExperiment) -> Sequence[Content]:
    goals = [_where_it_counts(goal) for goal in experiment["goals"]]
    return [
        Content(
            fields=fields_of(experiment, variation, index),
            goals=goals,
            blocks=[(prepare_page(block["rules"]), block) for block in variation.get("blocks", ())],
        )
        for index, variation in enumerate(experiment["variations"])
    ]


def fields_of(experiment: PublishedExperiment, variation: PublishedVariation, index: int) -> dict[str, Any]:
    """Fields of the response that depend only on the variation."""
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
    # Only addresses count: the other conditions of its page may become true while the page is open.
    pages: CompiledPage = goal.get("pages", {})
    rules: list[CompiledPage] = [present(include=pages.get("include"), exclude=pages.get("exclude"))]
    if "url" in goal:
        rules.append({"include": [goal["url"]]})
    prepared = [prepare_page(rule) for rule in rules if rule]
    return (lambda view: all(rule(view) for rule in prepared)) if prepared else everywhere


def _server_assignment(content: Content, decided: Assignment, view: PageView | None) -> dict[str, Any] | None:
    if decided.active:
        return {**content.fields, **_delivered(content, decided, view)}
    if any(goal is everywhere or (view is not None and goal(view)) for goal in content.goals):
        return {**content.fields, **_NOTHING, "attributable_only": True}
    return None


def _delivered(content: Content, decided: Assignment, view: PageView | None) -> dict[str, Any]:
    experiment, variation = decided.experiment, decided.variation
    # As in the storefront's redirect.js: visitors of the control stay, even if it has a destination.
    target = None if variation.get("control") else variation.get("redirect_url")
    leads_to = _destination(target, None if view is None else view.address)
    if target is not None and leads_to is None:
        return _NOTHING  # the redirect's target: its content belongs to the page that it leads away from
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
