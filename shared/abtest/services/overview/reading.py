"""Use case of the overview.

Reads of one request, for up to a hundred experiments: one a thousand heads of the shop's experiments; one each for the
experiments' totals, the states of their looks, and Guardian's memories; shop, defaults and consent; one for pending
publications; one for the last event, and two or more for unread messages. A process reads besides, once: each version
of an experiment, twenty-five at a time; two for each pause; the shop's newest 28 days, in five minutes; and for an
experiment that counts chosen weekdays, its days. A row is computed once for the same counts.
"""

from collections.abc import Callable, Mapping, Sequence

from abtest.contract import overview as contract
from abtest.contract.base import Pagination
from abtest.domain.autostop.shapes import LookState
from abtest.domain.experiments.model import Experiment
from abtest.ports.limits import Sessions
from abtest.ports.looks import LookStore
from abtest.ports.rollup_store import Document
from abtest.services.context import Caller, World
from abtest.services.guardian_memory import Remembered, remembered_of
from abtest.services.inbox import Inbox
from abtest.services.last_seen import LastSeen
from abtest.services.overview.experiments import LiveExperiments
from abtest.services.overview.heads import heads_of
from abtest.services.overview.pending import waiting_of
from abtest.services.overview.rows import Sources, row_of, rules_digest
from abtest.services.results import Results, RollupReader
from abtest.services.results.shop_rules import ShopRules
from abtest.services.results.snapshots import ReadItems, Snapshot

KEPT = 1000
"""Rows that a process keeps; with its experiment, a row takes 32 KB."""

Measurement = tuple[str, int]


class OverviewReading:
    """Overviews of the caller's shop."""

    def __init__(self, world: World, reader: RollupReader, looks: LookStore, sessions: Sessions) -> None:
        self._world = world
        self._reader = reader
        self._looks = looks
        self._results = Results(world, reader, looks)
        self._experiments = LiveExperiments(world.catalog)
        self._inbox = Inbox(world)
        self._seen = LastSeen(sessions=sessions)
        self._rows = ReadItems(KEPT)

    def read(
        self, caller: Caller, *, limit: int, after: str | None, place: Callable[[str | None], Pagination]
    ) -> contract.Overview:
        """Return running and paused experiments behind the id `after`, newest first, and what waits in the shop.

        `place` makes the position of the last one. Raises NotFoundError for a shop that is gone, DatabaseBusyError.
        """
        shop_id, now = caller.shop_id, self._world.now()
        heads = heads_of(self._world.catalog, shop_id)
        behind = [head for head in heads.live if after is None or head.id < after]
        rules, shown = ShopRules(self._world.catalog, shop_id), behind[:limit]
        waiting = waiting_of(self._world, shop_id)
        overview = contract.Overview(
            data=self._shown(rules, self._experiments.of(shop_id, shown)),
            pagination=place(shown[-1].id if len(behind) > limit else None),
            generated_at=now,
            currency=rules.shop.currency,
            by_status=heads.by_status,
            archived=heads.archived,
            is_whole=heads.is_whole,
            approvals=heads.approvals,
            publication=contract.OverviewPublication(state=waiting.state, since=waiting.since) if waiting else None,
            last_seen_at=self._seen.of(shop_id, now),
            **({"inbox": self._inbox.unread(caller)} if "inbox:read" in caller.scopes else {}),
        )
        # After the rows are made: they are kept, and a publication is of this moment only.
        changed = {head.id: head.updated_at for head in shown}
        states = {row.id: waiting.of_change(changed[row.id]) if waiting else None for row in overview.data}
        rows = [row.model_copy(update={"publication": states[row.id]}) for row in overview.data]
        return overview.model_copy(update={"data": rows})

    def _shown(self, rules: ShopRules, experiments: Sequence[Experiment]) -> list[contract.OverviewExperiment]:
        if not experiments:
            return []
        measurements = [(one.id, one.measurement_epoch) for one in experiments]
        # Guardian's memories first: one of newer counts than these totals would say what they do not show.
        memories = remembered_of(self._world.catalog, experiments[0].shop_id, [one.id for one in experiments])
        totals, states = self._reader.store.totals_of(measurements), self._looks.states(measurements)
        digest = rules_digest(rules)
        return [
            self._row(rules, digest, self._sources(experiment, totals, states, memories)) for experiment in experiments
        ]

    def _sources(
        self,
        experiment: Experiment,
        totals: Mapping[Measurement, Document],
        states: Mapping[Measurement, LookState],
        memories: Mapping[str, Remembered],
    ) -> Sources:
        measurement, memory = (experiment.id, experiment.measurement_epoch), memories.get(experiment.id)
        return Sources(
            experiment=experiment,
            totals=totals.get(measurement),
            looks=states.get(measurement),
            guardian=(memory.state, memory.version) if memory else (None, 0),
            pause=self._experiments.pause(experiment),
        )

    def _row(self, rules: ShopRules, digest: str, sources: Sources) -> contract.OverviewExperiment:
        key = sources.identity(digest, self._results.coverage(sources.experiment, rules))
        row: contract.OverviewExperiment | None = self._rows.get(key)
        if row is None:
            row = self._computed(rules, sources)
            self._rows.keep(key, row, 1)
        return row

    def _computed(self, rules: ShopRules, sources: Sources) -> contract.OverviewExperiment:
        def compute(snapshot: Snapshot) -> contract.OverviewExperiment:
            return row_of(self._results, rules, sources, snapshot)

        experiment = sources.experiment
        if sources.totals is None:
            # Nothing is counted, so there is nothing to read.
            return compute(Snapshot(None, self._reader.store, ReadItems(0)))
        return self._reader.read(experiment.id, experiment.measurement_epoch, compute, sources.totals)
