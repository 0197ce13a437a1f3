"""One run of Guardian: every running experiment is looked at, what is new is told, what must not go on is paused.

All that is told of a look goes into one commit with what is remembered of it, conditional on what was remembered
before: of two workers one tells, and a run that dies tells everything or nothing, and is followed by one that looks
again. A pause is one commit, too, together with the experiment itself.
"""

import logging
from dataclasses import dataclass, replace
from datetime import datetime

from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.judging import Judgement, judge, watched_since
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
from abtest.services.results import RollupReader

TASK = "guardian"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What was seen of an experiment, and what is to be remembered of it."""

    experiment: Experiment
    before: Remembered
    judgement: Judgement
    currency: str
    now: Timestamp


class Guardian:
    """The use case behind the schedule."""

    def __init__(self, store: ExperimentStore, leases: Leases, reader: RollupReader, metrics: Metrics) -> None:
        self._store = store
        self._leases = leases
        self._reader = reader
        self._metrics = metrics

    @property
    def _world(self) -> World:
        return self._store.world

    def run(self, *, until: datetime) -> Round:
        """Look at every running experiment; none is begun after `until`. Raises RoundFailedError after all had a turn.

        Results: `quiet` (nothing new), `told`, `paused`, `unpublished` (paused; storefronts learn of it when the outbox
        is repeated), `raced` (somebody else was faster), and why a pause had no object any more.
        """
        sight = ShopSight(self._world.catalog, self._reader, self._reader.store.reach())
        rounds = Rounds(world=self._world, leases=self._leases, task=TASK)
        done = rounds.run(lambda experiment: self._check(sight, experiment), until=until)
        self._metrics.put(
            {
                "ExperimentsPaused": sum(done.results.get(word, 0) for word in ("paused", "unpublished")),
                "ExperimentsNotWatched": len(done.failed),
                "ExperimentsLeft": done.left,
            }
        )
        return done.or_fail()

    def _check(self, sight: ShopSight, experiment: Experiment) -> str:
        look = self._look(sight, experiment)
        if look.judgement.state == look.before.state:
            return "quiet"
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
        """Tell what is new, if anything is, and remember it. Raises StaleVersionError where somebody else did."""
        experiment, told = look.experiment, look.judgement.alerts
        self._world.catalog.commit(
            Commit(
                puts=[look.before.put(experiment, look.judgement.state, look.now)],
                audit=audit_rows(self._world, experiment, told),
                outbox=triggered_rows(self._world, experiment, told),
                inbox=messages(self._world, experiment, told, look.currency),
            )
        )
        for case in told:
            _log.info("guardian.told", extra=_facts(experiment, case.kind, str(case.action)))
        return "told" if told else "quiet"

    def _pause(self, look: _Look) -> str:
        """Pause; where that fails tell so once, and raise what was in the way: the next run tries again."""
        experiment, judgement = look.experiment, look.judgement
        first, told = judgement.pauses[0], (*judgement.pauses, *judgement.alerts)
        try:
            paused = pause_running(
                self._store,
                experiment.shop_id,
                experiment.id,
                expected_measurement_epoch=experiment.measurement_epoch,
                reason=first.kind,
                events=[paused_event(first)],
                evidence={"guardian": [finding_facts(case) for case in told]},
                beside=Commit(
                    puts=[look.before.put(experiment, judgement.state, look.now)],
                    outbox=triggered_rows(self._world, experiment, judgement.alerts),
                    inbox=messages(self._world, experiment, told, look.currency),
                ),
            )
        except Exception as error:
            if isinstance(error, StaleVersionError) and self._was_overtaken(look):
                return "raced"
            self._tell_failure(look)
            raise
        if isinstance(paused, NotPaused):
            return paused.obstacle
        _log.warning("guardian.paused", extra=_facts(experiment, first.kind, "pause"))
        return "unpublished" if paused.published.reasons else "paused"

    def _was_overtaken(self, look: _Look) -> bool:
        """Whether somebody else has looked meanwhile: then what follows is theirs to tell."""
        context = remembered(self._world.catalog, look.experiment.shop_id, look.experiment.id)
        return context.version != look.before.version

    def _tell_failure(self, look: _Look) -> None:
        _log.warning("guardian.pause_failed", extra=_facts(look.experiment, look.judgement.pauses[0].kind, "pause"))
        failed = look.judgement.not_paused(look.before.state)
        self._remember(replace(look, judgement=failed))


def _facts(experiment: Experiment, kind: str, action: str) -> dict[str, str]:
    return {"shop_id": experiment.shop_id, "experiment_id": experiment.id, "kind": kind, "action": action}
