"""Scheduled starts and ends, carried out when they are due; safe to run twice at once."""

import logging
from collections import Counter
from dataclasses import replace
from datetime import datetime
from typing import Literal

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.notices import schedule_notice
from abtest.domain.experiments.schedule import clear_schedule, due_end, due_start
from abtest.domain.experiments.states import TRANSITIONS, Action
from abtest.domain.experiments.transitions import act
from abtest.kit.clock import Timestamp, timestamp
from abtest.kit.errors import NotFoundError, ServiceError
from abtest.ports.catalog import DueEntry
from abtest.services.experiments.on_page import on_page
from abtest.services.experiments.store import ExperimentStore
from abtest.services.experiments.system import system_caller
from abtest.services.planning.planner import Planner

BATCH = 100
Queue = Literal["LAUNCH", "END"]
Result = Literal["done", "unpublished", "unscheduled", "failed", "not_due"]
"""`unpublished` is done, too, but storefronts learn of it when the outbox is repeated."""

_ACTIONS: dict[Queue, Action] = {"LAUNCH": "launch", "END": "complete"}


_log = logging.getLogger(__name__)


class ScheduledActions:
    """Worker of the queues LAUNCH and END of the work index."""

    def __init__(self, store: ExperimentStore, planner: Planner) -> None:
        self._store = store
        self._planner = planner

    def run(self, *, until: datetime) -> dict[Result, int]:
        """Carry out what is due now, and count the results. No entry is begun after `until`.

        One experiment's failure does not stop the others: it is logged, and the next run tries again. A launch that the
        rules refuse is removed from the schedule, with an audit row that gives the reason.
        """
        results: Counter[Result] = Counter()
        for queue in _ACTIONS:
            self._work_off(queue, until, results)
        return dict(results)

    def _work_off(self, queue: Queue, until: datetime, results: Counter[Result]) -> None:
        tried: set[str] = set()
        while True:
            # Entries that fail stay in front of the queue, so the window grows by what was tried.
            entries = self._store.world.catalog.due(queue, self._store.world.now(), limit=BATCH + len(tried))
            fresh = [entry for entry in entries if entry.id not in tried]
            for entry in fresh:
                if self._store.world.clock.now() >= until:
                    return
                tried.add(entry.id)
                results[self._carry_out(queue, entry)] += 1
            if not fresh:
                return

    def _carry_out(self, queue: Queue, entry: DueEntry) -> Result:
        facts = {"shop_id": entry.shop_id, "experiment_id": entry.id, "queue": queue}
        try:
            result = self._act(queue, entry)
        except Exception:  # one experiment's failure must not keep the others waiting
            _log.exception("schedule.failed", extra=facts)
            return "failed"
        _log.info("schedule.carried_out", extra={**facts, "result": result})
        return result

    def _act(self, queue: Queue, entry: DueEntry) -> Result:
        caller = system_caller(entry.shop_id, "scheduled")
        settings = self._planner.settings(entry.shop_id)
        acted: Result = "not_due"

        def decide(experiment: Experiment, occasion: Occasion) -> Change[Experiment]:
            nonlocal acted
            acted = "not_due"
            if not self._is_due(queue, experiment):
                return Change(before=experiment, after=experiment, action="experiment.schedule")
            action = _ACTIONS[queue]
            # Outside of the try: a database that is busy here must fail this turn, not count as a refusal, which would
            # remove the schedule.
            prospect = self._planner.prospect_of(action, experiment, settings, occasion.now)
            page = on_page(self._store.world.catalog, experiment) if TRANSITIONS[action].must_deliver else None
            try:
                required = settings.defaults["require_approval"]
                change = act(experiment, action, occasion, approval_required=required, prospect=prospect, page=page)
                acted = "done"
            except ServiceError as refusal:
                reason = f"{refusal.code}: {refusal.message}"[:500]
                notice = schedule_notice(experiment, _moment(queue, experiment), action, refusal.message[:500])
                change = replace(clear_schedule(experiment, occasion, reason=reason), notices=(notice,))
                acted = "unscheduled"
            return change

        try:
            published = self._store.change(caller, entry.id, decide)
        except NotFoundError:
            return "not_due"
        return "unpublished" if published.reasons else acted

    def _is_due(self, queue: Queue, experiment: Experiment) -> bool:
        moment = _moment(queue, experiment)
        # Read again from the experiment, because the work index may be behind it. Timestamps have one fixed form in
        # UTC, so their texts sort as moments do.
        return moment is not None and moment <= timestamp(self._store.world.clock.now())


def _moment(queue: Queue, experiment: Experiment) -> Timestamp | None:
    return due_start(experiment) if queue == "LAUNCH" else due_end(experiment)
