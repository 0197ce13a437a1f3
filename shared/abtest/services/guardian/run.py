"""One run of Guardian: a check of every running experiment, notifications of new findings, pauses.

All notifications of a check are in one commit with the new state, conditional on the old one. So of two workers only
one notifies, and a run that dies notifies completely or not at all; the next run checks again. A pause is one commit
too, together with the experiment itself.
"""

import logging
from dataclasses import dataclass, replace
from datetime import datetime

from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.judgement import Judgement, judge, watched_since
from abtest.domain.guardian.settings import settings_of
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import Commit, StaleVersionError
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.services.context import World
from abtest.services.experiments.rounds import Round, Rounds
from abtest.services.experiments.store import ExperimentStore
from abtest.services.experiments.system_pause import NotPaused, pause_running
from abtest.services.guardian.evidence import ShopSight, evidence_of
from abtest.services.guardian.notifications import audit_rows, finding_facts, messages, paused_event, triggered_rows
from abtest.services.guardian_memory import Remembered, remembered
from abtest.services.leases import Lease
from abtest.services.results import RollupReader

TASK = "guardian"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """Judgement of an experiment, with the state that it was based on."""

    experiment: Experiment
    before: Remembered
    judgement: Judgement
    currency: str
    now: Timestamp


class Guardian:
    """Job of the schedule."""

    def __init__(self, store: ExperimentStore, leases: Leases, reader: RollupReader, metrics: Metrics) -> None:
        self._store = store
        self._leases = leases
        self._reader = reader
        self._metrics = metrics

    @property
    def _world(self) -> World:
        return self._store.world

    def run(self, *, until: datetime) -> Round:
        """Check every running experiment; none is begun after `until`. Raises RoundFailedError after trying all.

        Results: `quiet` (nothing new), `notified`, `paused`, `unpublished` (paused; storefronts receive it when
        the outbox is repeated), `raced` (another run was faster), and why there was nothing left to pause.
        """
        # Every run starts with a new sight, because its cached days and rules would be old in the next one.
        sight = ShopSight(self._world.catalog, self._reader, self._reader.store.reach())
        rounds = Rounds(world=self._world, leases=self._leases, task=TASK)
        done = rounds.run(lambda experiment, held: self._check(sight, experiment, held), until=until)
        self._metrics.put(
            {
                "ExperimentsPaused": sum(done.results.get(word, 0) for word in ("paused", "unpublished")),
                "ExperimentsNotWatched": len(done.failed),
                "ExperimentsLeft": done.left,
            }
        )
        return done.or_fail()

    def _check(self, sight: ShopSight, experiment: Experiment, held: Lease) -> str:
        look = self._look(sight, experiment)
        if look.judgement.state == look.before.state:
            return "quiet"
        held.check()
        if look.judgement.pauses:
            return self._pause(look)
        try:
            return self._remember(look)
        except StaleVersionError:
            return "raced"

    def _look(self, sight: ShopSight, experiment: Experiment) -> _Look:
        now, rules = self._world.now(), sight.rules(experiment.shop_id)
        before = remembered(self._world.catalog, experiment.shop_id, experiment.id)
        since = watched_since(before.state, now)
        evidence = evidence_of(sight, experiment, now=now, watched_since=since)
        judgement = judge(
            before.state,
            evidence,
            settings_of(experiment.guardian_override, rules.defaults["guardian"]),
            measurement_epoch=experiment.measurement_epoch,
            now=now,
        )
        currency = evidence.currency if evidence else rules.shop.currency
        return _Look(experiment=experiment, before=before, judgement=judgement, currency=currency, now=now)

    def _remember(self, look: _Look) -> str:
        """Store the state with its notifications, if any. Raises StaleVersionError where another run was faster."""
        experiment, alerts = look.experiment, look.judgement.alerts
        self._world.catalog.commit(
            Commit(
                puts=[look.before.put(experiment, look.judgement.state, look.now)],
                audit=audit_rows(self._world, experiment, alerts),
                outbox=triggered_rows(self._world, experiment, alerts),
                inbox=messages(self._world, experiment, alerts, look.currency),
            )
        )
        for case in alerts:
            _log.info("guardian.notified", extra=_facts(experiment, case.kind, str(case.action)))
        return "notified" if alerts else "quiet"

    def _pause(self, look: _Look) -> str:
        """Pause the experiment. A failure is notified once and raised, and the next run tries again."""
        experiment, judgement = look.experiment, look.judgement
        first, cases = judgement.pauses[0], (*judgement.pauses, *judgement.alerts)
        try:
            paused = pause_running(
                self._store,
                experiment.shop_id,
                experiment.id,
                expected_measurement_epoch=experiment.measurement_epoch,
                reason=first.kind,
                events=[paused_event(first)],
                evidence={"guardian": [finding_facts(case) for case in cases]},
                extra=Commit(
                    puts=[look.before.put(experiment, judgement.state, look.now)],
                    outbox=triggered_rows(self._world, experiment, judgement.alerts),
                    inbox=messages(self._world, experiment, cases, look.currency),
                ),
            )
        except Exception as error:
            if isinstance(error, StaleVersionError):
                stored = remembered(self._world.catalog, experiment.shop_id, experiment.id)
                # Another run has checked the experiment meanwhile: its notifications are the right ones.
                if stored.version != look.before.version:
                    return "raced"
            _log.warning("guardian.pause_failed", extra=_facts(experiment, first.kind, "pause"))
            # Stored although the pause failed, so that the failure is reported once and not by each run.
            self._remember(replace(look, judgement=judgement.not_paused(look.before.state)))
            raise
        if isinstance(paused, NotPaused):
            return paused.obstacle
        _log.warning("guardian.paused", extra=_facts(experiment, first.kind, "pause"))
        return "unpublished" if paused.published.reasons else "paused"


def _facts(experiment: Experiment, kind: str, action: str) -> dict[str, str]:
    return {"shop_id": experiment.shop_id, "experiment_id": experiment.id, "kind": kind, "action": action}
