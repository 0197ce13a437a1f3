"""The winner of an experiment as a personalization that gives everybody the same on the same pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from abtest.domain.changes.errors import CodeBudgetExceededError
from abtest.domain.experiments.joined_code import as_call, joined_styles
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.experiments.shapes import Content
from abtest.domain.experiments.states import can_be_shipped, not_allowed
from abtest.domain.goals.model import Goal
from abtest.domain.personalizations.editing import begun, led_by
from abtest.domain.personalizations.limits import KEY_LENGTH, MAX_FIELD, MAX_GOALS, NAME_LENGTH
from abtest.domain.personalizations.model import DEFAULT_EXPERIENCE, Experience, Personalization, Rule
from abtest.domain.personalizations.rules import CODE_FIELDS, check, check_experience
from abtest.domain.targeting.shapes import Targeting, UrlRule
from abtest.kit.clock import Timestamp
from abtest.kit.errors import refused

NewId = Callable[[], str]

_CARRIED = ("pageMatchMode", "pageRules", "segmentMatchMode", "segmentRules")
"""Fields of a targeting for pages and audience; surface and identity are for experiments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShipRequest:
    """Request to ship a winner, by id or public id, optionally with a name and a key."""

    variation_id: str
    name: str | None = None
    key: str | None = None


def ship(
    experiment: Experiment,
    request: ShipRequest,
    *,
    goal_ids: Mapping[str, str],
    approval_required: bool,
    new_id: NewId,
    now: Timestamp,
) -> Personalization:
    """Return an active personalization of the winner at 100 %. `goal_ids` maps each carried goal to its new id.

    Raises InvalidStateTransitionError, ValidationFailedError, CodeBudgetExceededError and the errors of `rules`.
    """
    _check_state(experiment, approval_required)
    winner = _winner(experiment, request.variation_id)
    experiences, rules = _contents(experiment, winner, new_id)
    goals = [replace(goal, id=goal_ids[goal.id], experiment_id=None) for goal in carried_goals(experiment)]
    made = begun(
        Personalization(
            id=new_id(),
            shop_id=experiment.shop_id,
            key=request.key or f"ship-{experiment.public_id or experiment.id}"[:KEY_LENGTH],
            name=request.name or f"{experiment.name}: {winner.name}"[:NAME_LENGTH],
            status="active",
            targeting=_targeting(experiment.targeting),
            weekday_schedule=experiment.weekday_schedule,
            experiences=experiences,
            rules=rules,
            goals=led_by([replace(goal, created_at=now, updated_at=now) for goal in goals], None),
            activated_at=now,
            created_at=now,
            updated_at=now,
        )
    )
    check(made)
    return made


def carried_goals(experiment: Experiment) -> tuple[Goal, ...]:
    """Goals that the personalization measures: those in use, ten at most, the primary first.

    A goal that is scoped to one of the experiment's goal page rules stays behind: a personalization has none.
    """
    usable = [goal for goal in experiment.goals if goal.archived_at is None and goal.page_id is None]
    # sorted() is stable, so that the other goals keep their order.
    return tuple(sorted(usable, key=lambda goal: not goal.is_primary)[:MAX_GOALS])


def joined_scripts(*scripts: str | None) -> str | None:
    """One function body that does what these do one after the other.

    Each keeps a function of its own, so that `return`, `const` and "use strict" of one do not touch the other, and runs
    even when the one before it throws, as the storefront runs them.
    """
    given = [script for script in scripts if script]
    if len(given) < 2:
        return given[0] if given else None
    joined = as_call(given[-1])
    for script in reversed(given[:-1]):
        # `finally` and not `catch`: an error still reaches the console and the page's error handlers.
        joined = f"try{{{as_call(script)}}}finally{{{joined}}}"
    return joined


def _check_state(experiment: Experiment, approval_required: bool) -> None:
    if not can_be_shipped(experiment):
        raise not_allowed(experiment, "ship", approval_required=approval_required)


def _winner(experiment: Experiment, reference: str) -> Variation:
    winner = next((item for item in experiment.variations if reference in (item.id, item.public_id)), None)
    if winner is None:
        raise refused("variation_id", "must be a variation of this experiment")
    if winner.is_control:
        raise refused("variation_id", "the control is what shoppers get already")
    if winner.archived_at is not None:
        raise refused("variation_id", "is archived")
    if experiment.delivery_type == "redirect" and winner.redirect_url:
        raise refused("variation_id", "redirects, and a personalization changes pages: redirect in the shop instead")
    return winner


def _targeting(targeting: Targeting | None) -> Targeting | None:
    if targeting is None:
        return None
    if targeting.get("surface"):
        raise refused("variation_id", "runs on the checkout surface, where personalizations do not reach")
    # Empty lists stay: the personalization shows the targeting that the experiment has.
    carried = {name: value for name, value in targeting.items() if name in _CARRIED}
    return cast(Targeting, carried) or None


def _contents(
    experiment: Experiment, winner: Variation, new_id: NewId
) -> tuple[tuple[Experience, ...], tuple[Rule, ...]]:
    """Return the flat fields as the default experience, and each URL block as one with a rule, in their order."""
    flat = Content(mutations=winner.mutations, css=winner.custom_css, js=winner.custom_js)
    experiences = [_experience(experiment, flat, DEFAULT_EXPERIENCE, winner.name, new_id(), "variation")]
    rules = []
    for index, block in enumerate(winner.url_blocks or ()):
        key, path = f"block-{index + 1}", f"variation.url_blocks[{index}]"
        experiences.append(_experience(experiment, block, key, block["name"], new_id(), path))
        rules.append(
            Rule(id=new_id(), experience_key=key, name=block["name"], targeting=_pages(block["urlRules"], new_id()))
        )
    return tuple(experiences), tuple(rules)


def _experience(
    experiment: Experiment, content: Content, key: str, name: str, experience_id: str, path: str
) -> Experience:
    made = Experience(
        id=experience_id,
        key=key,
        name=name,
        mutations=tuple(content["mutations"]),
        custom_css=joined_styles(experiment.experiment_css, content.get("css")),
        custom_js=joined_scripts(experiment.experiment_js, content.get("js")),
        reset_js=experiment.experiment_reset_js,
    )
    for field in CODE_FIELDS:
        if len(getattr(made, field) or "") > MAX_FIELD:
            raise CodeBudgetExceededError(f"{path}.{field}", f"more than {MAX_FIELD} characters with the experiment's")
    check_experience(made, f"{path}.")
    return made


def _pages(rules: Sequence[UrlRule], rule_id: str) -> Targeting:
    """Return a targeting with one page rule, made of a block's URL rules."""
    plain: list[tuple[bool, UrlRule]] = [
        (rule.get("include") is not False, {"type": rule["type"], "pattern": rule["pattern"]}) for rule in rules
    ]
    return {
        "pageRules": [
            {
                "id": rule_id,
                "includeRules": [rule for included, rule in plain if included],
                "excludeRules": [rule for included, rule in plain if not included],
            }
        ]
    }
