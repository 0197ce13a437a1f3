"""Notifications of findings: webhook events, messages in the inbox, a row of the audit."""

from collections.abc import Sequence
from typing import Any

from abtest.domain.changes.change import Event
from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.cases import Case
from abtest.domain.guardian.messages import Names, inbox_text
from abtest.ports.catalog import AuditRow, InboxRow, OutboxRow
from abtest.services.context import World
from abtest.services.experiments.system import SYSTEM_USER_ID


def paused_event(case: Case) -> Event:
    """Return the event of a pause for this case."""
    facts = {"reason": case.kind, "variation_id": case.variation_id, "goal_id": case.goal_id}
    return Event("experiment.guardian_paused", facts)


def triggered_rows(world: World, experiment: Experiment, cases: Sequence[Case]) -> list[OutboxRow]:
    """Return an event for each finding that alerts without pausing."""
    about = {
        "event": "experiment.guardian_triggered",
        "experiment_id": experiment.id,
        "experiment_name": experiment.name,
    }
    return [world.outbox_row(experiment.shop_id, "webhook", {**about, **finding_facts(case)}) for case in cases]


def messages(world: World, experiment: Experiment, cases: Sequence[Case], currency: str) -> list[InboxRow]:
    """Return an inbox message for each finding."""
    names = Names.of(experiment, currency)
    return [world.system_message(experiment.shop_id, inbox_text(case, names)) for case in cases]


def audit_rows(world: World, experiment: Experiment, cases: Sequence[Case]) -> list[AuditRow]:
    """Return one row for all alerts, so that the experiment's history shows them."""
    if not cases:
        return []
    return [
        world.audit_row(
            user_id=SYSTEM_USER_ID,
            shop_id=experiment.shop_id,
            action="experiment.guardian_triggered",
            entity=("experiment", experiment.id, experiment.name),
            diff={"guardian": [None, [finding_facts(case) for case in cases]]},
        )
    ]


def finding_facts(case: Case) -> dict[str, Any]:
    """Return the facts of a finding for its event and the audit."""
    return {
        "kind": case.kind,
        "action": case.action,
        "variation_id": case.variation_id,
        "goal_id": case.goal_id,
        "details": dict(case.details),
    }
