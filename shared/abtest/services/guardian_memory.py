"""Guardian's state of an experiment, as a record of the catalog under the experiment's id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.cases import State, state_document, state_from
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import Catalog, Head, Put, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """State and the version that it was read at; 0 and None before the first check."""

    state: State | None
    version: int
    created_at: Timestamp | None

    def put(self, experiment: Experiment, state: State, now: Timestamp) -> Put:
        """Return the write of a new state; it fails if another run has written since."""
        head = Head(
            shop_id=experiment.shop_id,
            kind="GUARD",
            id=experiment.id,
            version=self.version + 1,
            created_at=self.created_at or now,
            updated_at=now,
        )
        return Put(record=Record(head=head, body=state_document(state)), expected_version=self.version)


def remembered(catalog: Catalog, shop_id: str, experiment_id: str) -> Remembered:
    """Return the stored state of an experiment."""
    record = catalog.get(shop_id, "GUARD", experiment_id)
    return Remembered(state=None, version=0, created_at=None) if record is None else _remembered_in(record)


def remembered_of(catalog: Catalog, shop_id: str, experiment_ids: Sequence[str]) -> Mapping[str, Remembered]:
    """Return the stored states by experiment; those without one are absent."""
    records = catalog.get_many(shop_id, "GUARD", experiment_ids)
    return {record.head.id: _remembered_in(record) for record in records}


def _remembered_in(record: Record) -> Remembered:
    return Remembered(state=state_from(record.body), version=record.head.version, created_at=record.head.created_at)
