"""A few experiments of one shop, read in a handful of calls: records, roll-ups, looks, Guardian's memory.

All of it may be a moment old when it is used. Every write is conditional on what was read, so an old reading can only
lose to a newer one.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

from abtest.domain.autostop.shapes import LookState
from abtest.domain.experiments.model import Experiment
from abtest.domain.personalizations.measurement import measured
from abtest.ports.catalog import Catalog, Record
from abtest.ports.looks import LookStore
from abtest.ports.rollup_store import Document, RollupStore
from abtest.services.decisions.prefetched import Prefetched
from abtest.services.experiments.records import experiment_in
from abtest.services.guardian_memory import Remembered, remembered, remembered_of
from abtest.services.personalizations.store import PERSONALIZATIONS

Measurement = tuple[str, int]
"""Experiment id and measurement epoch."""


class Chunk:
    """Reader of experiments and personalizations of one shop; with Guardian's memory if `is_checked`."""

    def __init__(
        self,
        catalog: Catalog,
        rollups: RollupStore,
        looks: LookStore,
        shop_id: str,
        ids: Sequence[str],
        *,
        is_checked: bool,
    ) -> None:
        self._catalog = catalog
        self._rollups = rollups
        self._looks = looks
        self._shop_id = shop_id
        self._ids = ids
        self._is_checked = is_checked
        self._records = Prefetched(ids, self._many_records, self._one_record)

    def record(self, record_id: str) -> Record | None:
        """Return the record of an experiment or a personalization, or None."""
        return self._records.get(record_id)

    def totals(self, experiment: Experiment) -> Document | None:
        """Return the totals of the present measurement, or None before the first count."""
        return self._totals.get(_measurement(experiment))

    def looks(self, experiment: Experiment) -> LookState | None:
        """Return the state of auto-stop's looks at the present measurement, or None before the first."""
        return self._states.get(_measurement(experiment))

    def memory(self, experiment: Experiment) -> Remembered:
        """Return what Guardian remembers."""
        known = self._memories.get(experiment.id)
        return known or Remembered(state=None, version=0, created_at=None)

    @cached_property
    def _totals(self) -> Prefetched[Measurement, Document]:
        if self._is_checked:
            # Before the counts: a check that another worker makes meanwhile, at newer ones, then makes this one lose.
            self._memories.read()
        return Prefetched(self._measurements, self._rollups.totals_of, lambda each: self._rollups.totals(*each))

    @cached_property
    def _states(self) -> Prefetched[Measurement, LookState]:
        return Prefetched(self._measurements, self._looks.states, lambda each: self._looks.state(*each))

    @cached_property
    def _memories(self) -> Prefetched[str, Remembered]:
        running = [each for each in self._ids if (record := self._readable(each)) and is_running(record)]
        return Prefetched(
            running,
            lambda ids: remembered_of(self._catalog, self._shop_id, ids),
            lambda each: remembered(self._catalog, self._shop_id, each),
        )

    @cached_property
    def _measurements(self) -> Sequence[Measurement]:
        return [_measurement(each) for record_id in self._ids for each in self._experiments(record_id)]

    def _experiments(self, record_id: str) -> Sequence[Experiment]:
        record = self._readable(record_id)
        try:
            return experiments_of(record) if record else ()
        except Exception:
            # Raised again, and reported, in the turn of this record.
            return ()

    def _readable(self, record_id: str) -> Record | None:
        try:
            return self.record(record_id)
        except Exception:
            return None

    def _many_records(self, ids: Sequence[str]) -> Mapping[str, Record]:
        experiments = {record.head.id: record for record in self._catalog.get_many(self._shop_id, "EXP", ids)}
        others = [each for each in ids if each not in experiments]
        records = self._catalog.get_many(self._shop_id, "PZN", others) if others else []
        return experiments | {record.head.id: record for record in records}

    def _one_record(self, record_id: str) -> Record | None:
        record = self._catalog.get(self._shop_id, "EXP", record_id)
        return record or self._catalog.get(self._shop_id, "PZN", record_id)


def experiments_of(record: Record) -> Sequence[Experiment]:
    """Return what is measured: the experiment, or one for each experience of a personalization."""
    if record.head.kind == "PZN":
        return measured(PERSONALIZATIONS.from_record(record))
    return (experiment_in(record),)


def is_running(record: Record) -> bool:
    """Return whether the record is an experiment that runs."""
    return record.head.kind == "EXP" and record.head.status == "running"


def _measurement(experiment: Experiment) -> Measurement:
    return experiment.id, experiment.measurement_epoch
