"""Looks at experiments that are counted and do not run: paused or completed tests, personalizations. No decisions.

Their counts still change: events come late, attribution windows are open. Results show the smallest p of all looks, so
every count gets a look.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from abtest.domain.autostop.looks import is_new, look_at
from abtest.domain.experiments.model import Experiment
from abtest.domain.personalizations.measurement import measured
from abtest.ports.catalog import COUNTED_FOR_EVER, DueEntry
from abtest.ports.looks import LookStore
from abtest.services.autostop.evidence import evidence_of
from abtest.services.context import World
from abtest.services.experiments.records import experiment_in
from abtest.services.experiments.rounds import MAX_ENTRIES, QUEUE, Round, Rounds
from abtest.services.personalizations.store import PERSONALIZATIONS
from abtest.services.results.shop_rules import ShopRules
from abtest.services.results.snapshots import RollupReader

COUNTED = "COUNT"
NOTHING_RUNS: dict[str, Any] = {"mode": "off", "outcome": "waiting", "reason": "not_running"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LookRun:
    """Looks at every new count. Of two runs at once one look is stored; both compute the same."""

    world: World
    reader: RollupReader
    looks: LookStore

    def run(self, rounds: Rounds, *, until: datetime) -> Round:
        """Take one look at each new count, none begun after `until`.

        Results: `looked`, `seen` (looked at before), `running` (left to the decisions).
        """
        catalog, now = self.world.catalog, self.world.now()
        running = {entry.id for entry in catalog.due(QUEUE, now, limit=MAX_ENTRIES)}
        counted = catalog.due(COUNTED, COUNTED_FOR_EVER, limit=MAX_ENTRIES)
        # Entries of shops carry their days and holdout, which have no looks.
        others = [one for one in counted if one.kind != "SHOP" and one.due >= now and one.id not in running]
        return rounds.over(others, self._turn, until=until)

    def _turn(self, entry: DueEntry) -> str:
        record = self.world.catalog.get(entry.shop_id, entry.kind, entry.id)
        if record is None or record.head.status == "running":
            return "running"
        # A personalization is measured as one experiment per experience.
        is_personalization = record.head.kind == "PZN"
        experiments = measured(PERSONALIZATIONS.from_record(record)) if is_personalization else (experiment_in(record),)
        looked = [self._look(experiment) for experiment in experiments]
        return "looked" if any(looked) else "seen"

    def _look(self, experiment: Experiment) -> bool:
        state = self.looks.state(experiment.id, experiment.measurement_epoch)
        totals = self.reader.store.totals(experiment.id, experiment.measurement_epoch)
        # The totals are one small read; evidence is computed only for a new count.
        if totals is None or (state is not None and totals["generation"] <= state["generation"]):
            return False
        evidence = evidence_of(self.reader, ShopRules(self.world.catalog, experiment.shop_id), experiment)
        if evidence is None or not is_new(state, evidence):
            return False
        # The write is conditional on the state that was read: of two runs one look is stored.
        after, look = look_at(state, evidence, self.world.now())
        return self.looks.put(after, {**look, "verdict": NOTHING_RUNS})
