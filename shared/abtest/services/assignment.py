"""Use case: what a server is told for one visitor or customer, and the hand-off that goes with a cart."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from abtest.domain.assignment.decide import Prepared, Visitor, decide, prepare
from abtest.domain.assignment.decision import Assignment, Decision
from abtest.domain.assignment.shapes import Decided
from abtest.kit.clock import Clock, to_milliseconds
from abtest.services.assignment_content import Contents, contents_of, server_assignments
from abtest.services.assignment_handoff import Handoffs
from abtest.services.assignment_request import AssignmentRequest


@dataclass(frozen=True, slots=True)
class PublishedConfig:
    """A published config, ready to be decided on. `holdout_epoch` is None without a holdout."""

    prepared: Prepared
    contents: Contents
    holdout_epoch: int | None

    @classmethod
    def of(cls, config: Decided) -> "PublishedConfig":
        """Everything that can be made ready before anybody asks."""
        return cls(prepare(config), contents_of(config), config["holdout"]["epoch"] if "holdout" in config else None)


ReadConfig = Callable[[str, str], PublishedConfig]
"""From shop id and environment. Raises NotFoundError where nothing was ever published."""


@dataclass(frozen=True, slots=True)
class Assignments:
    """Decides on what is published, as the storefront does."""

    configs: ReadConfig
    handoffs: Handoffs
    clock: Clock

    def answer(self, shop_id: str, asked: AssignmentRequest) -> dict[str, Any]:
        """The contract's ServerAssignmentResponse. Raises NotFoundError."""
        published = self.configs(shop_id, asked.environment)
        now = to_milliseconds(self.clock.now())
        decision = decide(published.prepared, _visitor(asked), asked.url, now, asked.force)
        wanted = _wanted(decision, asked.experiment_ids)
        assignments = server_assignments(published.contents, wanted, asked.url)
        return {
            "user_id": asked.user_id,
            **_identity(wanted, {each["experiment_id"] for each in assignments}),
            **_cohort(published, decision),
            "assignments": assignments,
            **self._handed_off(shop_id, asked, assignments),
        }

    def _handed_off(self, shop_id: str, asked: AssignmentRequest, assignments: Sequence[Any]) -> dict[str, Any]:
        if not asked.request_handoff or asked.cart_id is None:
            return {"commerce_authorization": None}
        return self.handoffs.hand_off(shop_id, asked.cart_id, asked.user_id, assignments)


def _visitor(asked: AssignmentRequest) -> Visitor:
    return Visitor(
        id=asked.user_id,
        customer_id=asked.customer_id,
        attributes=asked.attributes,
        sticky=asked.sticky,
        surface=asked.surface,
    )


def _wanted(decision: Decision, experiment_ids: Sequence[str] | None) -> Sequence[Assignment]:
    if experiment_ids is None:
        return decision.assignments
    return [each for each in decision.assignments if each.experiment["id"] in experiment_ids]


def _identity(assignments: Sequence[Assignment], told: Collection[str]) -> dict[str, str]:
    """Said when a customer id decided what is told: such an assignment does not speak of one visitor."""
    if not any(each.by_customer and each.experiment["id"] in told for each in assignments):
        return {}
    return {"identity_source": "platform_customer", "decision_scope": "aggregate_only"}


def _cohort(published: PublishedConfig, decision: Decision) -> dict[str, Any]:
    if decision.cohort is None:
        return {}
    return {"cohort": decision.cohort, "holdout_config_epoch": published.holdout_epoch}
