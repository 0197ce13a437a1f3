"""How a shop experiments: what was started and ended, and how that went. From the catalog; nothing of visitors."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from abtest.contract import analytics as contract
from abtest.domain.experiments.model import Experiment, Outcome
from abtest.kit.clock import Timestamp, parse_timestamp
from abtest.services.analytics.periods import Asked, Period, period_of
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_in

PAGE = 100
_DAY_SECONDS = 24 * 3600
_OUTCOMES: tuple[Outcome, ...] = ("won", "lost", "inconclusive")


class ProgramReading:
    """The use case."""

    def __init__(self, world: World) -> None:
        self._world = world

    def read(self, caller: Caller, asked: Asked) -> contract.Program:
        """Experiments that began or ended in the period, by UTC day. Raises ValidationFailedError."""
        period = period_of(asked, self._world.clock.now())
        experiments = list(_experiments(self._world, caller.shop_id))
        started = [one for one in experiments if _is_within(one.started_at, period)]
        completed = [one for one in experiments if one.status == "completed" and _is_within(one.ended_at, period)]
        outcomes = Counter(one.outcome for one in completed)
        decided = sum(outcomes[outcome] for outcome in _OUTCOMES)
        return contract.Program(
            data=contract.ProgramFigures(
                started=len(started),
                running=len([one for one in experiments if one.status == "running"]),
                completed=len(completed),
                won=outcomes["won"],
                lost=outcomes["lost"],
                inconclusive=outcomes["inconclusive"],
                win_rate=outcomes["won"] / decided if decided else None,
                median_days=median(days) if (days := _days(completed)) else None,
                months=[_month(month, started, completed) for month in _months(period)],
            )
        )


def _experiments(world: World, shop_id: str) -> Iterator[Experiment]:
    """All of the shop's that were ever started."""
    after: str | None = None
    while True:
        page = world.catalog.list(shop_id, "EXP", limit=PAGE, after_id=after)
        ids = [head.id for head in page.heads if head.status not in ("draft", "scheduled")]
        yield from map(experiment_in, world.catalog.get_many(shop_id, "EXP", ids))
        after = page.last_id
        if after is None:
            return


def _is_within(moment: Timestamp | None, period: Period) -> bool:
    return moment is not None and period.first.isoformat() <= moment[:10] <= period.last.isoformat()


def _days(completed: Sequence[Experiment]) -> list[float]:
    return [
        (parse_timestamp(one.ended_at) - parse_timestamp(one.started_at)).total_seconds() / _DAY_SECONDS
        for one in completed
        if one.started_at and one.ended_at
    ]


def _months(period: Period) -> list[str]:
    return sorted({f"{day:%Y-%m}" for day in period.dates})


def _month(month: str, started: Sequence[Experiment], completed: Sequence[Experiment]) -> contract.ProgramMonth:
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
