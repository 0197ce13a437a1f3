"""Launch checklist of an experiment: items that pass, items that warn, and items that block the launch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from abtest.domain.experiments import redirects
from abtest.domain.experiments.design import in_use, shown_bytes
from abtest.domain.experiments.errors import ChecklistFailedError, RedirectMatchesSourceError
from abtest.domain.experiments.goals import primary
from abtest.domain.experiments.limits import MAX_CONFIG_BYTES, MAX_VARIATIONS, MIN_VARIATIONS
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.planned_test import NO_PROSPECT, Prospect
from abtest.domain.experiments.rules import weights_are_whole
from abtest.kit.errors import FieldError

CheckStatus = Literal["pass", "warn", "fail"]
Verdict = tuple[CheckStatus, str]
_PASS: Verdict = ("pass", "")
_TARGETING = {"pageMatchMode", "pageRules", "segmentMatchMode", "segmentRules", "surface", "checkoutBlock", "identity"}


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the checklist."""

    key: str
    label: str
    status: CheckStatus
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OnPage:
    """Landing page that shows the experiment: variations with a version of it, and whether visitors get them."""

    variation_ids: frozenset[str]
    is_online: bool


def checklist(
    experiment: Experiment,
    *,
    approval_required: bool,
    prospect: Prospect = NO_PROSPECT,
    page: OnPage | None = None,
) -> tuple[Item, ...]:
    """Return all items, in the order in which people work through them. One is about the landing page, if there is."""
    items = [Item(key, label, *check(experiment)) for key, (label, check) in _CHECKS.items()]
    if page is not None:
        # The versions of the page differ, so the variations need no change of their own.
        items = [Item(each.key, each.label, *_PASS) if each.key == "treatments" else each for each in items]
        items.append(Item("landing_page", "Landing page", *_landing_page(experiment, page)))
    plan = Item("plan", "Plan", prospect.status, prospect.message)
    approved = experiment.approval is not None and experiment.approval.status == "approved"
    verdict: Verdict = ("fail", "the design must be approved first") if approval_required and not approved else _PASS
    return (*items, plan, Item("approval", "Design approval", *verdict))


def require_passed(
    experiment: Experiment, *, warnings_count: bool, prospect: Prospect = NO_PROSPECT, page: OnPage | None = None
) -> None:
    """Raise ChecklistFailedError naming the items that fail, and those that warn where warnings count."""
    blocking = {"fail", "warn"} if warnings_count else {"fail"}
    # `transitions.check_allowed` has checked the approval before, with an error of its own.
    items = checklist(experiment, approval_required=False, prospect=prospect, page=page)
    open_items = [item for item in items if item.status in blocking]
    if open_items:
        raise ChecklistFailedError(
            "; ".join(f"{item.label}: {item.message}" for item in open_items),
            fields=[FieldError(item.key, item.message) for item in open_items],
        )


def _treatments(experiment: Experiment) -> Verdict:
    treatments = [variation for variation in in_use(experiment) if not variation.is_control]
    if experiment.delivery_type == "redirect":
        missing = [variation.name for variation in treatments if not variation.redirect_url]
        return ("fail", f"no destination: {', '.join(missing)}") if missing else _PASS
    # An A/A test compares equal pages, and code of the experiment may branch on the variation.
    if experiment.counting_type == "aa_test" or experiment.experiment_js or experiment.experiment_css:
        return _PASS
    same = [
        variation.name
        for variation in treatments
        if not (variation.mutations or variation.url_blocks or variation.custom_css or variation.custom_js)
    ]
    return ("warn", f"no change from the control: {', '.join(same)}") if same else _PASS


def _landing_page(experiment: Experiment, page: OnPage) -> Verdict:
    missing = [variation.name for variation in in_use(experiment) if variation.id not in page.variation_ids]
    if missing:
        # Their visitors would see the base and count nowhere, which looks like a broken split.
        return "fail", f"no version of the landing page: {', '.join(missing)}; link the page again"
    return _PASS if page.is_online else ("warn", "the landing page is not published with this experiment yet")


def _variations(experiment: Experiment) -> Verdict:
    is_allowed = MIN_VARIATIONS <= len(in_use(experiment)) <= MAX_VARIATIONS
    return _PASS if is_allowed else ("fail", f"{MIN_VARIATIONS} to {MAX_VARIATIONS} variations are needed")


def _redirects(experiment: Experiment) -> Verdict:
    if experiment.delivery_type != "redirect":
        idle = [variation.name for variation in in_use(experiment) if variation.redirect_url]
        remedy = 'a redirect experiment has the delivery_type "redirect"'
        return ("warn", f"destination without effect: {', '.join(idle)}; {remedy}") if idle else _PASS
    try:
        redirects.check(experiment)
    except RedirectMatchesSourceError as error:
        return "fail", error.message
    return _PASS if redirects.has_source_rules(experiment) else ("warn", "every page redirects: set page rules")


def _targeting(experiment: Experiment) -> Verdict:
    idle = sorted((experiment.targeting or {}).keys() - _TARGETING)
    return ("warn", f"unknown fields without effect: {', '.join(idle)}") if idle else _PASS


def _size(experiment: Experiment) -> Verdict:
    size = shown_bytes(experiment)
    if size > MAX_CONFIG_BYTES:
        return "fail", f"its {size} bytes are more than the {MAX_CONFIG_BYTES} that a storefront may load"
    return _PASS


def _goals(experiment: Experiment) -> Verdict:
    if all(goal.archived_at for goal in experiment.goals):
        return "warn", "without a goal only visitors are counted"
    return _PASS if primary(experiment) else ("warn", "no goal is primary")


def _control(experiment: Experiment) -> Verdict:
    controls = sum(variation.is_control for variation in in_use(experiment))
    return _PASS if controls == 1 else ("fail", "exactly one variation must be the control")


_CHECKS: dict[str, tuple[str, Callable[[Experiment], Verdict]]] = {
    "variations": ("Variations", _variations),
    "control": ("Control", _control),
    "weights": (
        "Weights",
        lambda experiment: _PASS if weights_are_whole(experiment) else ("fail", "the weights must sum to 1"),
    ),
    "traffic": (
        "Traffic",
        lambda experiment: _PASS if experiment.traffic_allocation > 0 else ("warn", "no traffic is allocated"),
    ),
    "treatments": ("Treatments", _treatments),
    "redirects": ("Redirects", _redirects),
    "targeting": ("Targeting", _targeting),
    "size": ("Size", _size),
    "goals": ("Goals", _goals),
}
