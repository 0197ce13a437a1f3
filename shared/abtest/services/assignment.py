"""Use case: assignments of one visitor or customer for a server, and the hand-off with a cart."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abtest.domain.assignment.decide import Prepared, Visitor, decide, prepare
from abtest.domain.assignment.decision import Assignment, Decision
from abtest.domain.assignment.roster import Roster
from abtest.domain.assignment.shapes import Decided
from abtest.domain.assignment.sticky import (
    NO_ENTRIES,
    Entries,
    UnreadableStickyError,
    read_entries,
    read_sticky,
    write_sticky,
)
from abtest.domain.assignment.visit_cookie import read_visit, sticky_variations
from abtest.kit.clock import Clock, to_milliseconds
from abtest.services.assignment_content import Contents, contents_of, server_assignments
from abtest.services.assignment_handoff import Handoffs
from abtest.services.assignment_request import AssignmentRequest

UNREADABLE_STICKY = {
    "code": "unreadable_sticky",
    "message": "sticky is not a text of an earlier answer; it was ignored, and the visitor was assigned as a new one",
}


@dataclass(frozen=True, slots=True)
class PublishedConfig:
    """A published config, ready to be decided on. `holdout_epoch` is None without a holdout."""

    prepared: Prepared
    contents: Contents
    holdout_epoch: int | None

    @classmethod
    def of(cls, config: Decided) -> "PublishedConfig":
        """Prepare a config for any number of requests."""
        return cls(prepare(config), contents_of(config), config["holdout"]["epoch"] if "holdout" in config else None)


ReadConfig = Callable[[str, str], PublishedConfig]
"""From shop id and environment. Raises NotFoundError where nothing was ever published."""


@dataclass(frozen=True, slots=True)
class Assignments:
    """Decisions on the published config, as the storefront makes them."""

    configs: ReadConfig
    handoffs: Handoffs
    clock: Clock

    def answer(self, shop_id: str, request: AssignmentRequest) -> dict[str, Any]:
        """The contract's ServerAssignmentResponse. Raises NotFoundError."""
        published = self.configs(shop_id, request.environment)
        now, roster = to_milliseconds(self.clock.now()), published.prepared.experiments
        sticky, former = remembered(request, roster)
        visitor = _visitor(request, sticky or {})
        decision = decide(published.prepared, visitor, request.url, now, request.force)
        ids = request.experiment_ids
        # Filtered after the decision, so that the request's filter cannot change what is decided.
        decided = [each for each in decision.assignments if ids is None or each.experiment["id"] in ids]
        assignments = [
            each | {"is_sticky": sticky is not None}
            for each in server_assignments(published.contents, decided, request.url)
        ]
        is_unreadable = sticky is None and request.sticky is not None
        return {
            "user_id": request.user_id,
            **identity_of(decided, {each["experiment_id"] for each in assignments}),
            **_cohort(published, decision),
            "assignments": assignments,
            **(values_of(decision) if request.values else {}),
            "sticky": write_sticky(roster, sticky or {}, decided, former),
            **({"warnings": [UNREADABLE_STICKY]} if is_unreadable else {}),
            **({"explanations": explanations(published.prepared, visitor, request, now)} if request.explain else {}),
            **self._handed_off(shop_id, request, assignments),
        }

    def _handed_off(self, shop_id: str, request: AssignmentRequest, assignments: Sequence[Any]) -> dict[str, Any]:
        if not request.request_handoff or request.cart_id is None:
            return {"commerce_authorization": None}
        return self.handoffs.hand_off(shop_id, request.cart_id, request.user_id, assignments)


def explanations(prepared: Prepared, visitor: Visitor, request: AssignmentRequest, now: float) -> Mapping[str, object]:
    """Explain the decisions of a request; of the experiments only those that it names, if it names some."""
    # Few requests want one, and every cold start would load it.
    from abtest.domain.assignment.explanation import explain

    explanation = explain(prepared, visitor, request.url, now, request.force)
    ids = request.experiment_ids
    return {
        **explanation,
        "experiments": [each for each in explanation["experiments"] if ids is None or each["id"] in ids],
    }


def values_of(decision: Decision) -> dict[str, Any]:
    """Return the values of flags and of the experiences that are shown, by key."""
    shown = [each for each in decision.personalizations if each.shown and "value" in each.experience]
    return {
        "flags": {key: each.value for key, each in decision.flags.items()},
        "personalizations": {each.personalization["key"]: each.experience["value"] for each in shown},
    }


def remembered(request: AssignmentRequest, roster: Roster) -> tuple[Mapping[str, str] | None, Entries]:
    """Return the variations of `sticky` by seed, None if it cannot be read, and the entries of a text that is ours."""
    if request.sticky is None or isinstance(request.sticky, Mapping):
        return request.sticky, NO_ENTRIES
    visit = read_visit([request.sticky])
    if visit is not None and visit.visitor_id == request.user_id:
        return sticky_variations(visit.sticky, roster), NO_ENTRIES
    try:
        entries = read_entries(request.sticky)
    except UnreadableStickyError:
        return None, NO_ENTRIES
    return read_sticky(entries, roster), entries


def _visitor(request: AssignmentRequest, sticky: Mapping[str, str]) -> Visitor:
    return Visitor(
        id=request.user_id,
        customer_id=request.customer_id,
        attributes=request.attributes,
        sticky=sticky,
        surface=request.surface,
    )


def identity_of(assignments: Sequence[Assignment], returned: Collection[str]) -> dict[str, str]:
    """Fields for a response that a customer id decided: such an assignment is not about one visitor."""
    if not any(each.by_customer and each.experiment["id"] in returned for each in assignments):
        return {}
    return {"identity_source": "platform_customer", "decision_scope": "aggregate_only"}


def _cohort(published: PublishedConfig, decision: Decision) -> dict[str, Any]:
    if decision.cohort is None:
        return {}
    return {"cohort": decision.cohort, "holdout_config_epoch": published.holdout_epoch}
