"""Messages of DecideQueue: `{"shop_id", "tasks": ["autostop", "guardian"], "experiment_ids": [...]}`.

A message names where to look and carries no counts, so one that comes late, twice or out of order is harmless.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from abtest.kit import canonical_json
from abtest.ports.queue import QueueMessage

Task = Literal["autostop", "guardian"]
"""Auto-stop's looks and decisions; Guardian's checks."""

TASKS: tuple[Task, ...] = get_args(Task)
IDS_A_MESSAGE = 250
"""Most ids of a message. They take seconds of a worker, so a large shop is the work of several."""

_ID_CHARACTERS = 100
_FIELDS = {"shop_id", "tasks", "experiment_ids"}


class InvalidDecisionMessageError(ValueError):
    """Body that is not a message of this queue; the text names the field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRequest:
    """Work that a message requests. `experiment_ids`: experiments and personalizations; None means all of the shop."""

    shop_id: str
    tasks: tuple[Task, ...]
    experiment_ids: tuple[str, ...] | None = None


def decision_message(shop_id: str, tasks: Sequence[Task], experiment_ids: Sequence[str] | None = None) -> str:
    """Return the body of a message. Raises InvalidDecisionMessageError for what a reader would refuse."""
    message: dict[str, Any] = {"shop_id": shop_id, "tasks": [task for task in TASKS if task in tasks]}
    if experiment_ids is not None:
        message["experiment_ids"] = list(dict.fromkeys(experiment_ids))
    body = canonical_json.dumps(message)
    read_decision_message(body)
    return body


def decision_messages(shop_id: str, tasks: Sequence[Task], experiment_ids: Sequence[str]) -> Iterator[QueueMessage]:
    """Yield the messages about any number of ids, in the group of their shop; none without ids."""
    for start in range(0, len(experiment_ids), IDS_A_MESSAGE):
        part = experiment_ids[start : start + IDS_A_MESSAGE]
        yield QueueMessage(body=decision_message(shop_id, tasks, part), group=shop_id)


def read_decision_message(body: str) -> DecisionRequest:
    """Read a body. Raises InvalidDecisionMessageError."""
    try:
        message = canonical_json.loads(body)
    except ValueError as error:
        raise InvalidDecisionMessageError("the body is not JSON") from error
    if not isinstance(message, dict):
        raise InvalidDecisionMessageError("the body is not an object")
    if unknown := sorted(set(message) - _FIELDS):
        raise InvalidDecisionMessageError(f"unknown fields: {', '.join(map(repr, unknown))}")
    shop_id, tasks, ids = message.get("shop_id"), message.get("tasks"), message.get("experiment_ids")
    if not _is_id(shop_id):
        raise InvalidDecisionMessageError("shop_id must be an id")
    if not (isinstance(tasks, list) and tasks and all(task in TASKS for task in tasks)):
        raise InvalidDecisionMessageError(f"tasks must name at least one of {', '.join(TASKS)}")
    if "experiment_ids" in message and not _is_ids(ids):
        raise InvalidDecisionMessageError(f"experiment_ids must have from 1 to {IDS_A_MESSAGE} ids")
    return DecisionRequest(
        shop_id=cast(str, shop_id),
        tasks=tuple(task for task in TASKS if task in tasks),
        experiment_ids=tuple(dict.fromkeys(cast(list[str], ids))) if ids else None,
    )


def _is_ids(ids: object) -> bool:
    is_list = isinstance(ids, list) and 1 <= len(ids) <= IDS_A_MESSAGE
    return is_list and all(map(_is_id, cast(list[object], ids)))


def _is_id(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _ID_CHARACTERS and value.isascii() and value.isprintable()
