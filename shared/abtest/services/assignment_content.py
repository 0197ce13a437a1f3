"""What an assignment delivers at an address: content, style, script and redirect, as the storefront would apply them.

An assignment that shows nothing here is told only where a goal of its experiment can count, to attribute it.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abtest.domain.assignment.decision import Assignment
from abtest.domain.assignment.destination import destination_of
from abtest.domain.targeting.pages import PageView, Rule, everywhere, prepare_page
from abtest.domain.targeting.urls import Address, parse_address

Document = Mapping[str, Any]
_NOTHING: dict[str, Any] = {"mutations": [], "redirect_url": None, "css": None, "js": None}
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Content:
    """The URL rules inside an experiment, ready to be asked: where its goals can count, where its blocks apply.

    A goal that counts on every page has the rule `everywhere`; blocks stand by variation id, in order.
    """

    goals: Sequence[Rule]
    blocks: Mapping[str, Sequence[tuple[Rule, Document]]]


def contents_of(config: Document) -> Mapping[str, Content]:
    """The content of each experiment by its id; one that cannot be read is left out and harms no other."""
    found = {}
    for experiment in config["experiments"]:
        try:
            found[experiment["id"]] = _content_of(experiment)
        except Exception:
            _log.exception("assignment.unreadable")
    return found


def server_assignments(
    contents: Mapping[str, Content], assignments: Iterable[Assignment], url: str | None
) -> list[dict[str, Any]]:
    """The contract's ServerAssignments of what was decided; without an address a variation's flat content counts."""
    address = None if url is None else parse_address(url)
    view = None if address is None else PageView(address, {})
    readable = ((each, contents.get(each.experiment["id"])) for each in assignments)
    found = (content and _server_assignment(content, each, view) for each, content in readable)
    return [each for each in found if each]


def _content_of(experiment: Document) -> Content:
    return Content(
        goals=[_where_it_counts(goal) for goal in experiment["goals"]],
        blocks={
            variation["id"]: [(prepare_page(block["rules"]), block) for block in variation["blocks"]]
            for variation in experiment["variations"]
            if "blocks" in variation
        },
    )


def _where_it_counts(goal: Document) -> Rule:
    """By addresses alone: what else its page asks for may come true while the page is open."""
    pages = goal.get("pages", {})
    rules = [{name: pages[name] for name in ("include", "exclude") if name in pages}]
    if "url" in goal:
        rules.append({"include": [goal["url"]]})
    asked = [prepare_page(rule) for rule in rules if rule]
    return (lambda view: all(rule(view) for rule in asked)) if asked else everywhere


def _server_assignment(content: Content, decided: Assignment, view: PageView | None) -> dict[str, Any] | None:
    experiment, variation = decided.experiment, decided.variation
    if not decided.active and not any(_can_count(goal, view) for goal in content.goals):
        return None
    told = {
        "experiment_id": experiment["id"],
        "experiment_name": experiment["name"],
        "experiment_type": experiment["type"],
        "variation_id": variation["id"],
        "variation_name": variation["name"],
        "variation_index": decided.index,
        "assignment_epoch": experiment["epoch"],
        "is_control": bool(variation.get("control")),
        "archived_at": None,
        "archived_by": None,
        "commerce_price_only": False,
    }
    if decided.active:
        return told | _delivered(content, decided, view)
    return told | _NOTHING | {"attributable_only": True}


def _can_count(goal: Rule, view: PageView | None) -> bool:
    return goal is everywhere or (view is not None and goal(view))


def _delivered(content: Content, decided: Assignment, view: PageView | None) -> dict[str, Any]:
    experiment, variation = decided.experiment, decided.variation
    target = None if variation.get("control") else variation.get("redirect_url")
    leads_to = _destination(target, None if view is None else view.address)
    if target is not None and leads_to is None:
        return _NOTHING  # there already: a redirect's content belongs to the page that it leads away from
    shown = _shown(variation, content.blocks.get(variation["id"], ()), view)
    return {
        "mutations": list(shown.get("mutations", ())),
        "redirect_url": leads_to,
        "css": _joined([experiment.get("css"), shown.get("css")]),
        "js": _script([experiment.get("js"), shown.get("js")]),
    }


def _destination(target: str | None, address: Address | None) -> str | None:
    return target if target is None or address is None else destination_of(target, address.href)


def _shown(variation: Document, blocks: Iterable[tuple[Rule, Document]], view: PageView | None) -> Document:
    """The first URL block whose rules hold, else the variation's flat fields."""
    if view is None:
        return variation
    return next((block for rule, block in blocks if rule(view)), variation)


def _joined(parts: Iterable[str | None]) -> str | None:
    return "\n".join(filter(None, parts)) or None


def _script(bodies: Sequence[str | None]) -> str | None:
    """Function bodies as one; two get a function each, so that neither's names or `return` concern the other."""
    given = [body for body in bodies if body]
    if len(given) < 2:
        return given[0] if given else None
    return "\n".join(f"(function(){{\n{body}\n}})();" for body in given)
