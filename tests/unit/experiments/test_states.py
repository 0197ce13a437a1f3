"""The state machine: every action in every status, against a table written down a second time by hand."""

from dataclasses import replace
from typing import get_args

import pytest

from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.domain.experiments.errors import ApprovalRequiredError
from abtest.domain.experiments.model import ApprovalStatus, Experiment, Status
from abtest.domain.experiments.states import TRANSITIONS, Action, allowed_actions
from abtest.domain.experiments.transitions import act
from tests.unit.experiments.examples import LATER, NOW, OCCASION, approved, in_status

STATUSES: tuple[Status, ...] = get_args(Status)
ACTIONS: tuple[Action, ...] = get_args(Action)

# One column a status, in the order of the contract: draft, awaiting_client_approval, changes_requested,
# client_approved, qa, ready_to_launch, running, paused, completed. A letter names where the action leads
# (d a c p q r R P C), "=" that nothing changes, "." that it is refused.
FREE = {  # no approval is required
    "request-approval": "a=a......",
    "approve": ".p.=.....",
    "request-changes": ".c=c.....",
    "withdraw-approval": "=d.d.....",
    "return-to-draft": "=.dddd...",
    "start-qa": "q..q=....",
    "mark-ready": "....r=...",
    "launch": "R..RRR=..",
    "pause": "......P=.",
    "resume": "......=R.",
    "complete": "......CC=",
    "restart": "......=RR",
    "archive": "dacpqr.PC",
    "unarchive": "=========",
}
LETTERS = dict(zip("dacpqrRPC", STATUSES, strict=True))
NEEDS_APPROVAL = {"start-qa", "launch"}

CASES = [(action, status, letter) for action, row in FREE.items() for status, letter in zip(STATUSES, row, strict=True)]


def subject(status: Status) -> Experiment:
    base = in_status(status)
    return approved(base, "pending" if status == "awaiting_client_approval" else "approved")


def test_table__of_tests__names_every_action_and_status() -> None:
    assert set(FREE) == set(ACTIONS) == set(TRANSITIONS)
    assert len(CASES) == len(ACTIONS) * len(STATUSES)


@pytest.mark.parametrize(("action", "status", "letter"), CASES)
def test_act__no_approval_required__follows_the_table(action: Action, status: Status, letter: str) -> None:
    before = subject(status)
    if letter == ".":
        with pytest.raises(InvalidStateTransitionError) as refusal:
            act(before, action, OCCASION, approval_required=False)
        assert refusal.value.facts["current_status"] == status
        assert action not in refusal.value.facts["allowed_actions"]
        return
    change = act(before, action, OCCASION, approval_required=False)
    assert change.is_empty == (letter == "=")
    assert change.events == () or letter != "="
    after = change.after
    assert after is not None
    assert after.status == (status if letter == "=" else LETTERS[letter])


@pytest.mark.parametrize(("action", "status", "letter"), CASES)
def test_allowed_actions__no_approval_required__are_those_that_change_something(
    action: Action, status: Status, letter: str
) -> None:
    allowed = allowed_actions(subject(status), approval_required=False)
    assert (action in allowed) == (letter not in "=.")


@pytest.mark.parametrize(
    ("action", "status"),
    [(action, status) for action, status, letter in CASES if action in NEEDS_APPROVAL and letter not in "=."],
)
def test_act__approval_required_and_not_given__is_refused(action: Action, status: Status) -> None:
    before = in_status(status)
    with pytest.raises(ApprovalRequiredError):
        act(before, action, OCCASION, approval_required=True)
    assert action not in allowed_actions(before, approval_required=True)


@pytest.mark.parametrize("status", ["client_approved", "qa", "ready_to_launch"])
def test_launch__approval_required_and_given__runs(status: Status) -> None:
    change = act(approved(in_status(status)), "launch", OCCASION, approval_required=True)
    assert change.after is not None
    assert change.after.status == "running"


def test_launch__draft_whose_design_was_approved_once__still_needs_the_way_through_approval() -> None:
    with pytest.raises(ApprovalRequiredError):
        act(approved(in_status("draft")), "launch", OCCASION, approval_required=True)


@pytest.mark.parametrize(
    ("action", "required", "is_refused"),
    [("resume", True, True), ("resume", False, True), ("restart", True, True), ("restart", False, False)],
)
def test_back_to_running__approval_revoked__is_refused(action: Action, required: bool, is_refused: bool) -> None:
    """The table has no condition about the shop for `resume`; a restart begins a new test, as a launch does."""
    before = approved(in_status("paused"), "revoked")
    assert (action in allowed_actions(before, approval_required=required)) != is_refused
    if is_refused:
        with pytest.raises(ApprovalRequiredError) as refusal:
            act(before, action, OCCASION, approval_required=required)
        assert action not in refusal.value.facts["allowed_actions"]
    else:
        assert not act(before, action, OCCASION, approval_required=required).is_empty


@pytest.mark.parametrize("status", ["client_approved", "qa", "ready_to_launch"])
def test_return_to_draft__approved__revokes_the_approval(status: Status) -> None:
    after = act(approved(in_status(status)), "return-to-draft", OCCASION, approval_required=True).after
    assert after is not None
    assert after.approval is not None
    assert (after.status, after.approval.status) == ("draft", "revoked")
    assert [(event.action, event.status) for event in after.approvals][-1:] == [("return-to-draft", "revoked")]


@pytest.mark.parametrize(("status", "verdict"), [("changes_requested", "changes_requested"), ("qa", None)])
def test_return_to_draft__never_approved__keeps_the_verdict(status: Status, verdict: ApprovalStatus | None) -> None:
    before = in_status(status) if verdict is None else approved(in_status(status), verdict)
    after = act(before, "return-to-draft", OCCASION, approval_required=False).after
    assert after is not None
    assert (after.approval and after.approval.status) == verdict


@pytest.mark.parametrize("action", [action for action in ACTIONS if action not in ("archive", "unarchive")])
@pytest.mark.parametrize("status", [status for status in STATUSES if status != "running"])
def test_act__archived__only_unarchive_is_allowed(action: Action, status: Status) -> None:
    before = replace(subject(status), archived_at=NOW)
    with pytest.raises(InvalidStateTransitionError) as refusal:
        act(before, action, OCCASION, approval_required=False)
    assert refusal.value.facts["allowed_actions"] == ["unarchive"]


def test_archive__archived_already__changes_nothing() -> None:
    before = replace(in_status("draft"), archived_at=NOW)
    assert act(before, "archive", OCCASION, approval_required=False).is_empty


def test_unarchive__archived__comes_back_in_its_status() -> None:
    change = act(replace(in_status("paused"), archived_at=NOW), "unarchive", OCCASION, approval_required=False)
    assert change.after is not None
    assert (change.after.archived_at, change.after.status, change.after.updated_at) == (None, "paused", LATER)


def test_events__of_the_table__are_queued_by_launch_and_complete_only() -> None:
    assert {action: row.event for action, row in TRANSITIONS.items() if row.event} == {
        "launch": "experiment.started",
        "complete": "experiment.completed",
    }
