"""Check of Guardian: notifications of new findings, pauses.

All notifications of a check are in one commit with the new state, conditional on the old one. So of two workers only
one notifies, and one that dies notifies completely or not at all; the next check tries again. A pause is one commit
too, together with the experiment itself.
"""

import logging
from dataclasses import dataclass, replace

from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.judgement import Judgement, is_check_due, judge, watched_since
from abtest.domain.guardian.settings import settings_of
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import Commit, StaleVersionError
from abtest.ports.rollup_store import Document
from abtest.services.context import World
from abtest.services.experiments.store import ExperimentStore
from abtest.services.experiments.system_pause import NotPaused, pause_running
from abtest.services.guardian.evidence import ReachOf, ShopSight, evidence_of
from abtest.services.guardian.notifications import audit_rows, finding_facts, messages, paused_event, triggered_rows
from abtest.services.guardian_memory import Remembered, remembered
from abtest.services.leases import Lease
from abtest.services.results import RollupReader
from abtest.services.results.shop_rules import ShopRules

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
    """Checks of running experiments."""

    def __init__(self, store: ExperimentStore, reader: RollupReader, reach_of: ReachOf) -> None:
        self._store = store
        self._reader = reader
        self._reach_of = reach_of

    @property
    def _world(self) -> World:
        return self._store.world

    def sight(self, shop_id: str, rules: ShopRules) -> ShopSight:
        """Return what the checks of one shop share. Each message has a new one, because its days and rules age."""
        return ShopSight(shop_id, rules, self._reader, self._reach_of)

    def settled(self, experiment: Experiment, totals: Document | None, before: Remembered) -> str | None:
        """Return `quiet` where a check could not tell more than the last one did, else None."""
        epoch, generation = experiment.measurement_epoch, totals["generation"] if totals else None
        is_due = is_check_due(before.state, measurement_epoch=epoch, generation=generation, now=self._world.now())
        return None if is_due else "quiet"

    def turn(
        self, sight: ShopSight, experiment: Experiment, totals: Document | None, before: Remembered, held: Lease
    ) -> str:
        """Check one experiment. `totals` and `before` are what is stored. Raises what a pause that failed raises.

        Results: `quiet` (nothing new), `notified`, `paused`, `unpublished` (paused; storefronts receive it when
        the outbox is repeated), `raced` (another worker was faster), and why there was nothing left to pause.
        """
        look = self._look(sight, experiment, totals, before)
        if look.judgement.state == look.before.state:
            return "quiet"
        held.check()
        if look.judgement.pauses:
            return self._pause(look)
        try:
            return self._remember(look)
        except StaleVersionError:
            return "raced"

    def _look(self, sight: ShopSight, experiment: Experiment, totals: Document | None, before: Remembered) -> _Look:
        now, rules = self._world.now(), sight.rules
        since = watched_since(before.state, now)
        evidence = None
        if totals is not None:
            evidence = evidence_of(sight, experiment, now=now, watched_since=since, totals=totals)
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
        """Store the state with its notifications, if any. Raises StaleVersionError where another worker was faster."""
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
        """Pause the experiment. A failure is notified once and raised, and the next check tries again."""
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
                # Another worker has checked the experiment meanwhile: its notifications are the right ones.
                if stored.version != look.before.version:
                    return "raced"
            _log.warning("guardian.pause_failed", extra=_facts(experiment, first.kind, "pause"))
            # Stored although the pause failed, so that the failure is reported once and not by each check.
            self._remember(replace(look, judgement=judgement.not_paused(look.before.state)))
            raise
        if isinstance(paused, NotPaused):
            return paused.obstacle
        _log.warning("guardian.paused", extra=_facts(experiment, first.kind, "pause"))
        return "unpublished" if paused.published.reasons else "paused"


def _facts(experiment: Experiment, kind: str, action: str) -> dict[str, str]:
    return {"shop_id": experiment.shop_id, "experiment_id": experiment.id, "kind": kind, "action": action}
