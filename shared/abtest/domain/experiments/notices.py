"""Texts of messages in the shop's inbox about an experiment: what became of its approval and of its schedule."""

from collections.abc import Mapping

from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.states import Action
from abtest.kit.clock import Timestamp

_APPROVALS: Mapping[Action, str] = {
    "request-approval": "waits for approval. Its approval screen shows every change before and after.",
    "approve": "is approved, and can be launched.",
    "request-changes": "needs changes before it is approved.",
    "withdraw-approval": "does not wait for approval any more: the request was withdrawn.",
}


def approval_notices(experiment: Experiment, action: Action, message: str | None) -> tuple[str, ...]:
    """Return the message about an action of the approval, with what the person wrote; none for other actions."""
    sentence = _APPROVALS.get(action)
    if sentence is None:
        return ()
    return (f"“{experiment.name}” {sentence}" + (f"\n\n{message}" if message else ""),)


def schedule_notice(experiment: Experiment, due: Timestamp | None, action: Action, reason: str) -> str:
    """Return the message about a start or end that was due at a moment and was refused."""
    return (
        f"“{experiment.name}” could not {action} as scheduled for {due}, and has no schedule any more. The reason: "
        f"{reason}. Mend it, then {action} the experiment by hand or schedule it again."
    )
