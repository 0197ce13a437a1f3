"""Edits of an experiment: merging of the given fields, and the consequences that every edit has.

An edit that shoppers would see must be acknowledged while running, and so must a new plan; one that changes the shares
or the plan of a started test opens a new measurement; one that changes an approved design before launch takes the
approval back.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.consent import NO_CONSENT, Consent
from abtest.domain.changes.errors import LiveConsumer, LiveImpactError
from abtest.domain.experiments import rules
from abtest.domain.experiments.design import design_hash, reaches_shoppers, weights_in_use
from abtest.domain.experiments.model import Approval, ApprovalEvent, Experiment
from abtest.domain.experiments.planned_test import planned_for
from abtest.domain.experiments.states import PRE_LAUNCH, REVIEWED
from abtest.kit.errors import ConflictError
from abtest.kit.json_objects import merged

_MERGED = frozenset({"targeting", "results_weekdays", "auto_stop_override", "guardian_override"})


def apply(experiment: Experiment, given: Mapping[str, Any]) -> Experiment:
    """Return the experiment with the given fields: objects merge, lists and scalars replace, null clears."""
    return begin(
        experiment,
        {name: merged(getattr(experiment, name), value) if name in _MERGED else value for name, value in given.items()},
    )


def begin(experiment: Experiment, given: Mapping[str, Any]) -> Experiment:
    """Return the experiment with the given fields as they are: a new one has no object to merge into."""
    fields = dict(given)
    if "goal_page_rules" in fields:
        fields["goal_page_rules"] = tuple(fields["goal_page_rules"])
    return replace(experiment, **fields)


def settle(
    before: Experiment,
    after: Experiment,
    occasion: Occasion,
    *,
    action: str,
    consent: Consent = NO_CONSENT,
    note: Mapping[str, object] | None = None,
) -> Change[Experiment]:
    """Return the change that an edit makes. Raises LiveImpactError, ConflictError and the errors of `rules`."""
    if after == before:
        return Change(before=before, after=before, action=action)
    if before.started_at is not None and after.delivery_type != before.delivery_type:
        raise ConflictError("delivery_type cannot change once an experiment has started; duplicate it instead")
    rules.check(after)
    if before.status == "running":
        rules.check_weights(after)
        is_noticed = reaches_shoppers(before, after) or before.planned_test != after.planned_test
        if is_noticed and not consent.covers(before):
            raise LiveImpactError([LiveConsumer(before.id, before.name, "experiment")])
    after = with_approval_revoked(before, with_new_measurement(before, after, occasion), occasion)
    return Change(before=before, after=replace(after, updated_at=occasion.now), action=action, note=note or {})


def with_new_measurement(before: Experiment, after: Experiment, occasion: Occasion) -> Experiment:
    """Return the edited experiment in a new measurement where weights or plan changed during a test.

    The assignment epoch stays, so every visitor keeps the variation. Before launch only the plan is computed again.
    """
    if weights_in_use(before) == weights_in_use(after) and before.planned_test == after.planned_test:
        return after
    if before.status in ("running", "paused"):
        after = replace(after, measurement_epoch=before.measurement_epoch + 1, measurement_started_at=occasion.now)
        return planned_for(after, occasion.now, occasion.now)
    return planned_for(after, None, occasion.now) if before.status in PRE_LAUNCH else after


def with_approval_revoked(before: Experiment, after: Experiment, occasion: Occasion) -> Experiment:
    """Return the edited experiment without its approval where an approved design changed before launch."""
    approved = before.approval is not None and before.approval.status == "approved"
    if not approved or before.status not in PRE_LAUNCH or design_hash(before) == design_hash(after):
        return after
    event = ApprovalEvent(
        id=occasion.event_id,
        action="design-edit",
        status="revoked",
        message=None,
        design_hash=design_hash(after),
        user_id=occasion.user_id,
        created_at=occasion.now,
    )
    return replace(
        after,
        status="draft" if before.status in REVIEWED else before.status,
        approval=Approval(status="revoked", updated_at=occasion.now),
        approvals=(*after.approvals, event),
    )
