"""Experimentation program of a shop: experiments started and ended, and their outcomes. From the catalog alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from abtest.contract import analytics as contract
from abtest.domain.experiments.model import Experiment, Outcome
from abtest.kit.clock import parse_timestamp
from abtest.ports.catalog import Catalog
from abtest.services.analytics.periods import PeriodQuery, period_of
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_in

PAGE = 100
_DAY_SECONDS = 24 * 3600
_OUTCOMES: tuple[Outcome, ...] = ("won", "lost", "inconclusive")


class ProgramReading:
    """Program of the caller's shop."""

    def __init__(self, world: World) -> None:
        self._world = world

    def read(self, caller: Caller, query: PeriodQuery) -> contract.Program:
        """Return experiments that began or ended in the period, by UTC day. Raises ValidationFailedError."""
        period = period_of(query, self._world.clock.now())
        first, last = period.first.isoformat(), period.last.isoformat()
        experiments = list(started_experiments(self._world.catalog, caller.shop_id))
        # Timestamps begin with the UTC date, so they compare as text; "" is before all dates.
        started = [one for one in experiments if first <= (one.started_at or "")[:10] <= last]
        ended = [one for one in experiments if first <= (one.ended_at or "")[:10] <= last]
        completed = [one for one in ended if one.status == "completed"]
        outcomes = Counter(one.outcome for one in completed)
        decided = sum(outcomes[outcome] for outcome in _OUTCOMES)
        days = [
            (parse_timestamp(one.ended_at) - parse_timestamp(one.started_at)).total_seconds() / _DAY_SECONDS
            for one in completed
            if one.started_at and one.ended_at
        ]
        # Every month of the period has a row, also those without experiments.
        months = sorted({f"{day:%Y-%m}" for day in period.dates})
        return contract.Program(
            data=contract.ProgramFigures(
                started=len(started),
                running=len([one for one in experiments if one.status == "running"]),
                completed=len(completed),
                won=outcomes["won"],
                lost=outcomes["lost"],
                inconclusive=outcomes["inconclusive"],
                win_rate=outcomes["won"] / decided if decided else None,
                median_days=median(days) if days else None,
                months=[program_month(month, started, completed) for month in months],
            )
        )


def started_experiments(catalog: Catalog, shop_id: str) -> Iterator[Experiment]:
    """Yield all experiments of the shop that were ever started."""
    after: str | None = None
    while True:
        page = catalog.list(shop_id, "EXP", limit=PAGE, after_id=after)
        ids = [head.id for head in page.heads if head.status not in ("draft", "scheduled")]
        yield from map(experiment_in, catalog.get_many(shop_id, "EXP", ids))
        after = page.last_id
        if after is None:
            return


def program_month(month: str, started: Sequence[Experiment], completed: Sequence[Experiment]) -> contract.ProgramMonth:
    """Return the figures of one month, `YYYY-MM`."""
    ended = [one for one in completed if (one.ended_at or "").startswith(month)]
    outcomes = Counter(one.outcome for one in ended)
    return contract.ProgramMonth(
        month=month,
        started=sum((one.started_at or "").startswith(month) for one in started),
        completed=len(ended),
        won=outcomes["won"],
        lost=outcomes["lost"],
        inconclusive=outcomes["inconclusive"],
    )
