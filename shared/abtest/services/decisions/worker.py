"""Worker of DecideQueue: the turns that a message requests, and new messages for what they left."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from abtest.ports.metrics import Metrics
from abtest.ports.queue import Queue
from abtest.services.decisions.messages import (
    DecisionRequest,
    InvalidDecisionMessageError,
    Task,
    decision_messages,
    read_decision_message,
)
from abtest.services.decisions.shop_round import Round, Rounds, ShopRound

WORK_TIME = timedelta(seconds=120)
"""No experiment is begun later. The function ends after 180 s, and the message comes again after 240 s."""

BUSY_SECONDS, FAILED_SECONDS = 60, 60
"""Delays of new messages. A lease whose holder was killed ends after a minute."""

_PAUSED = ("paused", "unpublished")
_FAILURES: Mapping[Task, str] = {"autostop": "ExperimentsNotDecided", "guardian": "ExperimentsNotWatched"}

_log = logging.getLogger(__name__)


class DecisionsFailedError(Exception):
    """Nothing that a message requested could be done, so the message itself has to come again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionWorker:
    """Use case behind worker_decide.

    What had no turn in time, what another worker holds, and what failed among others get messages of their own. So a
    message that comes again has only failures, and the queue ends it as a dead letter.
    """

    round: ShopRound
    queue: Queue
    metrics: Metrics

    def carry_out(self, body: str) -> Mapping[Task, Any]:
        """Carry a message out, and return the outcome by task.

        Raises InvalidDecisionMessageError, DecisionsFailedError and errors of the stores: the message comes again.
        """
        try:
            request = read_decision_message(body)
        except InvalidDecisionMessageError as error:
            _log.error("decisions.unreadable", extra={"reason": str(error), "body": body[:200]})
            raise
        rounds = self.round.run(request, until=self.round.world.clock.now() + WORK_TIME)
        self.metrics.put(_figures(rounds))
        outcome = {task: asdict(round_) for task, round_ in rounds.items()}
        _log.info("decisions.done", extra={"shop_id": request.shop_id, "outcome": outcome})
        if _has_only_failures(rounds.values()):
            raise DecisionsFailedError(f"shop {request.shop_id}: {', '.join(_failed_ids(rounds.values())[:20])}")
        for ids, delay in (("left", 0), ("busy", BUSY_SECONDS), ("failed", FAILED_SECONDS)):
            self._send(request, {task: getattr(round_, ids) for task, round_ in rounds.items()}, delay)
        return outcome

    def _send(self, request: DecisionRequest, ids: Mapping[Task, Sequence[str]], delay: int) -> None:
        for tasks, same in _by_tasks(ids):
            for message in decision_messages(request.shop_id, tasks, same):
                self.queue.send(message.body, delay_seconds=delay, group=message.group)


def _by_tasks(ids: Mapping[Task, Sequence[str]]) -> Iterator[tuple[tuple[Task, ...], Sequence[str]]]:
    """Yield ids with the tasks that they are left for: those of both tasks share messages."""
    tasks: dict[str, tuple[Task, ...]] = {}
    for task, named in ids.items():
        for each in named:
            tasks[each] = (*tasks.get(each, ()), task)
    for group in dict.fromkeys(tasks.values()):
        yield group, [each for each, of in tasks.items() if of == group]


def _has_only_failures(rounds: Iterable[Round]) -> bool:
    done = list(rounds)
    is_any_done = any(each.results or each.looks or each.left or each.busy for each in done)
    return any(each.failed for each in done) and not is_any_done


def _failed_ids(rounds: Iterable[Round]) -> list[str]:
    return list(dict.fromkeys(each for one in rounds for each in one.failed))


def _figures(rounds: Rounds) -> dict[str, float]:
    paused = sum(each.results.get(word, 0) for each in rounds.values() for word in _PAUSED)
    left = {each for one in rounds.values() for each in one.left}
    failures = {_FAILURES[task]: len(each.failed) for task, each in rounds.items()}
    return {"ExperimentsPaused": paused, "ExperimentsLeft": len(left), **failures}
