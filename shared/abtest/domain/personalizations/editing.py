"""Edits of a personalization, and their effect on consent and measurement.

An edit that shoppers would notice must be acknowledged while the personalization is active. A change of the rollout
after the first activation begins a new measurement, because it changes the shares that are compared.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from abtest.domain.changes.change import Change
from abtest.domain.changes.consent import NO_CONSENT, Consent
from abtest.domain.goals.model import Goal
from abtest.domain.personalizations import rules
from abtest.domain.personalizations.model import Personalization
from abtest.domain.rollouts.lifecycle import Action, Subject, moved
from abtest.domain.rollouts.live_edit import require_confirmed
from abtest.kit.clock import Timestamp
from abtest.kit.documents import encode
from abtest.kit.errors import refused
from abtest.kit.json_objects import merged

Given = Mapping[str, Any]
"""Fields that a request has, by name."""

SUBJECT: Subject = "personalization"
_INVISIBLE = frozenset(
    {"version", "name", "description", "template_key", "goals", "measurement_epoch", "measurement_started_at"}
    | {"created_at", "updated_at"}
)


def apply(personalization: Personalization, given: Given) -> Personalization:
    """Return the personalization with the given fields: targeting merges, everything else replaces, null clears."""
    fields = dict(given)
    if "targeting" in fields:
        fields["targeting"] = merged(personalization.targeting, fields["targeting"])
    return replace(personalization, **fields)


def settle(
    before: Personalization,
    after: Personalization,
    now: Timestamp,
    *,
    action: str,
    consent: Consent = NO_CONSENT,
) -> Change[Personalization]:
    """Return the change of an edit. Raises LiveImpactError and the errors of `rules`."""
    if after == before:
        return Change(before=before, after=before, action=action)
    rules.check(after)
    require_confirmed(before, consent, SUBJECT, noticed=visible_fields(before) != visible_fields(after))
    if before.activated_at is not None and before.rollout_percentage != after.rollout_percentage:
        epoch = before.measurement_epoch + 1
        after = replace(after, measurement_epoch=epoch, measurement_started_at=now)
    return Change(before=before, after=replace(after, updated_at=now), action=action)


def move(before: Personalization, action: Action, now: Timestamp) -> Change[Personalization]:
    """Return the change of an action, empty when the personalization has its status already.

    Raises InvalidStateTransitionError.
    """
    life = moved(before, action, now=now, subject=SUBJECT)
    verb = f"{SUBJECT}.{action}"
    if life.status == before.status:
        return Change(before=before, after=before, action=verb)
    after = begun(replace(before, status=life.status, activated_at=life.activated_at))
    archived_at = now if life.status == "archived" else None
    return Change(before=before, after=replace(after, archived_at=archived_at, updated_at=now), action=verb)


def begun(personalization: Personalization) -> Personalization:
    """Return the personalization, measured since its first activation."""
    since = personalization.measurement_started_at or personalization.activated_at
    return replace(personalization, measurement_started_at=since)


def led_by(goals: Sequence[Goal], primary_goal_id: str | None) -> tuple[Goal, ...]:
    """Return the goals with one of them primary: the named one, else the present one, else the first.

    Raises ValidationFailedError when the one named is not among them.
    """
    ids = [goal.id for goal in goals]
    if primary_goal_id is not None and primary_goal_id not in ids:
        raise refused("primary_goal_id", "must be one of goal_ids")
    leader = primary_goal_id or primary_of(goals) or next(iter(ids), None)
    led = []
    for goal in goals:
        if goal.id == leader:
            led.append(replace(goal, is_primary=True, role="primary"))
        else:
            role = "secondary" if goal.role == "primary" else goal.role
            led.append(replace(goal, is_primary=False, role=role))
    return tuple(led)


def primary_of(goals: Collection[Goal]) -> str | None:
    """Return the id of the primary goal, if there is one."""
    return next((goal.id for goal in goals if goal.is_primary), None)


def visible_fields(personalization: Personalization) -> dict[str, Any]:
    """Return the fields whose change shoppers would notice."""
    document = encode(personalization)
    return {name: value for name, value in document.items() if name not in _INVISIBLE}
