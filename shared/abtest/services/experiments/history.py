"""Audit rows of an experiment, newest first, and their diffs."""

from collections.abc import Iterator, Mapping
from typing import Any

from abtest.domain.experiments.model import Experiment
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import AuditRow, Catalog

ROWS_AT_ONCE = 100


def rows_about(catalog: Catalog, experiment: Experiment, *, since: Timestamp = "") -> Iterator[AuditRow]:
    """Rows, newest first; pages are read on demand, the last one that has any row from `since` on.

    Rows of that page may be older: ids, by which rows are listed, and moments are not made at once.
    """
    after: str | None = None
    while True:
        rows, after = catalog.audit(experiment.shop_id, entity_id=experiment.id, limit=ROWS_AT_ONCE, after_id=after)
        yield from rows
        if after is None or rows[-1].created_at < since:
            return


def diff_of(row: AuditRow) -> Mapping[str, Any]:
    """Return the changed fields and notes of a row; empty for a row of another form."""
    return row.diff if isinstance(row.diff, Mapping) else {}
