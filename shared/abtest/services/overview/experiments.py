"""Live experiments and their pauses, each version read once by a process."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from abtest.contract import overview as contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.messages import Names
from abtest.ports.catalog import AuditRow, Catalog, Head
from abtest.services.experiments.history import rows_about
from abtest.services.experiments.records import experiment_in
from abtest.services.overview.heads import LIVE
from abtest.services.results.snapshots import ReadItems
from abtest.services.results.timeline import MOVES, AuditedChange, pause_sentence

KEPT = 1000
"""Experiments without their code, and pauses that a process keeps; with its row, an experiment takes 32 KB."""

AT_ONCE = 25
"""Bodies in memory at once: each may have megabytes of code."""

_ROWS_READ = 500


class LiveExperiments:
    """Reader of running and paused experiments. A version never changes, so it is read once."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._experiments = ReadItems(KEPT)
        self._pauses = ReadItems(KEPT)

    def of(self, shop_id: str, heads: Sequence[Head]) -> list[Experiment]:
        """Return the experiments of these heads in their order, without code; those that ended meanwhile are absent."""
        known = {head.id: self._experiments.get((head.id, head.version)) for head in heads}
        missing = [record_id for record_id, experiment in known.items() if experiment is None]
        for start in range(0, len(missing), AT_ONCE):
            for record in self._catalog.get_many(shop_id, "EXP", missing[start : start + AT_ONCE]):
                experiment = known[record.head.id] = without_code(experiment_in(record))
                self._experiments.keep((experiment.id, experiment.version), experiment, 1)
        return [one for one in known.values() if one and one.status in LIVE and one.archived_at is None]

    def pause(self, experiment: Experiment) -> AuditRow | None:
        """Return the row of the pause that holds; None for a running experiment."""
        if experiment.status == "running":
            return None
        key = experiment.id, experiment.version
        kept = self._pauses.get(key)
        if kept is None:
            rows = islice(rows_about(self._catalog, experiment), _ROWS_READ)
            last = next((row for row in rows if row.action in MOVES), None)
            kept = (last,)
            self._pauses.keep(key, kept, 1)
        row: AuditRow | None = kept[0]
        return row


def without_code(experiment: Experiment) -> Experiment:
    """Return the experiment without everything that only shoppers get."""
    arms = [
        replace(arm, mutations=(), url_blocks=None, custom_css=None, custom_js=None) for arm in experiment.variations
    ]
    return replace(
        experiment,
        variations=tuple(arms),
        experiment_js=None,
        experiment_reset_js=None,
        experiment_css=None,
        targeting=None,
        approvals=(),
        goal_page_rules=(),
    )


def pause_of(experiment: Experiment, row: AuditRow | None, currency: str) -> contract.OverviewPause | None:
    """Return who paused the experiment, and why; None without a pause that holds."""
    if row is None or row.action != "experiment.pause":
        return None
    change = AuditedChange(row, Names.of(experiment, currency))
    by = change.by
    return contract.OverviewPause(
        paused_at=row.created_at,
        by=by,
        user_id=row.user_id if by == "person" else None,
        sentence=pause_sentence(change),
    )
