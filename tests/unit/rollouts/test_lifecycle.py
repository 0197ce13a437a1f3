"""The states that flags and personalizations share: every action in every state, and the rule of live edits."""

from dataclasses import dataclass
from itertools import product
from typing import get_args

import pytest

from abtest.domain.changes.consent import NO_CONSENT, Consent
from abtest.domain.changes.errors import InvalidStateTransitionError, LiveImpactError, NotDeletableError
from abtest.domain.rollouts.lifecycle import Action, Life, Status, allowed_actions, begun, moved, require_deletable
from abtest.domain.rollouts.live_edit import require_confirmed

NOW = "2026-03-02T09:00:00.000Z"
EARLIER = "2026-03-01T09:00:00.000Z"


@dataclass(frozen=True)
class Thing:
    """Anything with a life."""

    status: Status
    activated_at: str | None = None
    id: str = "thing"
    name: str = "Thing"


DRAFT, NEVER_ACTIVE = Thing("draft"), Thing("archived")
ACTIVE, PAUSED, ARCHIVED = Thing("active", EARLIER), Thing("paused", EARLIER), Thing("archived", EARLIER)

MOVES: dict[tuple[Thing, Action], Status] = {
    (DRAFT, "activate"): "active",
    (DRAFT, "archive"): "archived",
    (DRAFT, "unarchive"): "draft",
    (ACTIVE, "activate"): "active",
    (ACTIVE, "pause"): "paused",
    (ACTIVE, "archive"): "archived",
    (PAUSED, "activate"): "active",
    (PAUSED, "pause"): "paused",
    (PAUSED, "archive"): "archived",
    (PAUSED, "unarchive"): "paused",
    (ARCHIVED, "archive"): "archived",
    (ARCHIVED, "unarchive"): "paused",
    (NEVER_ACTIVE, "archive"): "archived",
    (NEVER_ACTIVE, "unarchive"): "draft",
}
"""Everything that is allowed; the rest is refused."""


def move(thing: Thing, action: Action) -> Life:
    return moved(thing, action, now=NOW, subject="feature flag")


@pytest.mark.parametrize(("case", "target"), MOVES.items())
def test_action__allowed__leads_to_its_target(case: tuple[Thing, Action], target: Status) -> None:
    assert move(*case).status == target


REFUSED = [
    (thing, action)
    for thing, action in product((DRAFT, ACTIVE, PAUSED, ARCHIVED, NEVER_ACTIVE), get_args(Action))
    if (thing, action) not in MOVES
]


@pytest.mark.parametrize(("thing", "action"), REFUSED)
def test_action__not_allowed__says_where_it_stands_and_what_is(thing: Thing, action: Action) -> None:
    with pytest.raises(InvalidStateTransitionError) as refusal:
        move(thing, action)
    assert refusal.value.status == 409
    assert refusal.value.facts == {
        "current_status": thing.status,
        "allowed_actions": list(allowed_actions(thing)),
    }
    assert "the feature flag is" in refusal.value.message
    assert action not in refusal.value.facts["allowed_actions"]


@pytest.mark.parametrize(
    ("thing", "allowed"),
    [
        (DRAFT, ("activate", "archive")),
        (ACTIVE, ("pause", "archive")),
        (PAUSED, ("activate", "archive")),
        (ARCHIVED, ("unarchive",)),
    ],
)
def test_allowed_actions__by_state__are_those_that_change_it(thing: Thing, allowed: tuple[Action, ...]) -> None:
    assert allowed_actions(thing) == allowed
    assert all(move(thing, action).status != thing.status for action in allowed)


def test_activated_at__moves__is_the_first_activation_for_ever() -> None:
    assert move(DRAFT, "activate").activated_at == NOW
    assert move(PAUSED, "activate").activated_at == EARLIER
    assert move(ACTIVE, "archive").activated_at == EARLIER
    assert move(DRAFT, "archive").activated_at is None


def test_begun__with_and_without_activation() -> None:
    assert begun(activate=True, now=NOW) == Life(status="active", activated_at=NOW)
    assert begun(activate=False, now=NOW) == Life(status="draft", activated_at=None)


@pytest.mark.parametrize("thing", [ACTIVE, PAUSED, ARCHIVED, NEVER_ACTIVE])
def test_deletion__no_draft__is_refused(thing: Thing) -> None:
    with pytest.raises(NotDeletableError):
        require_deletable(thing, "personalization")


def test_deletion__draft__is_let_pass() -> None:
    require_deletable(DRAFT, "personalization")


@pytest.mark.parametrize(
    "consent",
    [NO_CONSENT, Consent(consumer_ids=["thing"]), Consent(confirmed=True, consumer_ids=[])],
    ids=["none", "named, not confirmed", "confirmed, not named"],
)
def test_live_edit__not_acknowledged__names_the_consumer(consent: Consent) -> None:
    with pytest.raises(LiveImpactError) as refusal:
        require_confirmed(ACTIVE, consent, "personalization", noticed=True)
    consumer = {"id": "thing", "name": "Thing", "consumer": "personalization"}
    assert refusal.value.extra == {"live_experiments": [consumer]}


@pytest.mark.parametrize(
    ("thing", "consent", "noticed"),
    [
        (ACTIVE, Consent(confirmed=True), True),
        (ACTIVE, Consent(confirmed=True, consumer_ids=["thing"]), True),
        (ACTIVE, NO_CONSENT, False),
        (PAUSED, NO_CONSENT, True),
        (DRAFT, NO_CONSENT, True),
    ],
    ids=["confirmed", "named", "unnoticed", "paused", "draft"],
)
def test_live_edit__acknowledged_or_without_effect__is_let_pass(thing: Thing, consent: Consent, noticed: bool) -> None:
    require_confirmed(thing, consent, "personalization", noticed=noticed)
