"""Edits of a flag: given fields are merged, rules checked, and an acknowledgement required if shoppers would notice."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from abtest.domain.changes.change import Change
from abtest.domain.changes.consent import Consent
from abtest.domain.flags import rules
from abtest.domain.flags.model import Flag
from abtest.domain.rollouts import lifecycle
from abtest.domain.rollouts.lifecycle import Action, Subject
from abtest.domain.rollouts.live_edit import require_confirmed
from abtest.kit.clock import Timestamp
from abtest.kit.json_objects import merged

SUBJECT: Subject = "feature flag"
_MERGED = frozenset({"targeting", "weekday_schedule"})


def begin(blank: Flag, given: Mapping[str, Any], *, activate: bool) -> Flag:
    """Return a new flag with the given fields as they are. Raises the errors of `rules`."""
    life = lifecycle.begun(activate=activate, now=blank.created_at)
    flag = replace(blank, status=life.status, activated_at=life.activated_at, **given)
    rules.check(flag)
    return flag


def apply(flag: Flag, given: Mapping[str, Any]) -> Flag:
    """Return the flag with the given fields: objects merge, other values replace, null clears."""
    changed = {name: merged(getattr(flag, name), value) if name in _MERGED else value for name, value in given.items()}
    return replace(flag, **changed)


def settle(before: Flag, after: Flag, now: Timestamp, *, action: str, consent: Consent) -> Change[Flag]:
    """Return the change of an edit. Raises LiveImpactError and the errors of `rules`."""
    # Before the rules: an edit without effect must not fail on a form that an earlier release stored.
    if after == before:
        return Change(before=before, after=before, action=action)
    rules.check(after)
    require_confirmed(before, consent, SUBJECT, noticed=_as_delivered(before) != _as_delivered(after))
    return Change(before=before, after=replace(after, updated_at=now), action=action)


def act(flag: Flag, action: Action, now: Timestamp) -> Change[Flag]:
    """Return the change of an action, empty when the flag has its status already.

    Raises InvalidStateTransitionError.
    """
    life = lifecycle.moved(flag, action, now=now, subject=SUBJECT)
    verb = f"flag.{action}"
    if life.status == flag.status:
        return Change(before=flag, after=flag, action=verb)
    after = replace(flag, status=life.status, activated_at=life.activated_at, updated_at=now)
    return Change(before=flag, after=after, action=verb)


def _as_delivered(flag: Flag) -> Flag:
    """Return the flag without the fields that only its owners read."""
    return replace(flag, name="", description=None)
