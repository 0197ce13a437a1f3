"""Results of a shop, or of a part of its visitors, and their stored form: counts by plan, and days."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import reduce

from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.daily_counts import DailyCounts, Document
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.rollup_documents import shop_day_document, shop_day_of
from abtest.domain.ledger.shop_day_changes import plus
from abtest.domain.ledger.shop_days import ShopDay
from abtest.domain.ledger.stored_counts import daily_counts_of, document_of
from abtest.kit import canonical_json


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCounts:
    """Counts of a plan, which is identified by its digest."""

    plan: str
    counts: DailyCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Counts by experiment id, and days by date (`YYYY-MM-DD`)."""

    counted: Mapping[str, PlanCounts] = field(default_factory=dict)
    days: Mapping[str, ShopDay] = field(default_factory=dict)

    @property
    def plans(self) -> Mapping[str, str]:
        """Digests of the counted plans by experiment id."""
        return {experiment_id: each.plan for experiment_id, each in self.counted.items()}

    def document(self) -> Document:
        """Return the stored form."""
        return {
            "counts": {
                experiment_id: [each.plan, document_of(each.counts)] for experiment_id, each in self.counted.items()
            },
            "days": [shop_day_document(day, generation=0, computed_at="") for day in self.days.values()],
        }


def results_of(document: Document) -> Results:
    """Read the stored form. Raises KeyError, TypeError or ValueError for anything else."""
    days = [shop_day_of(day) for day in document["days"]]
    return Results(
        counted={
            experiment_id: PlanCounts(plan=plan, counts=daily_counts_of(counts))
            for experiment_id, (plan, counts) in document["counts"].items()
        },
        days={day.date: day for day in days},
    )


def digest_of(plan: CountingPlan) -> str:
    """Return a digest of a plan's content, because plans contain documents, which are not hashable."""
    return canonical_json.sha256(asdict(plan))


def added(parts: Iterable[Results]) -> Results:
    """Add results of sets of rows that share no visitor, event id and order id, one after the other.

    A plan that is not in all of them, or was another one in some, is left out. A day that is in some only has no rows
    in the others. Raises TypeError without any part.
    """
    return reduce(_plus, parts)


def _plus(one: Results, other: Results) -> Results:
    counted = {
        experiment_id: PlanCounts(plan=each.plan, counts=each.counts.changed(Counts(), own.counts.whole()))
        for experiment_id, each in one.counted.items()
        if (own := other.counted.get(experiment_id)) is not None and own.plan == each.plan
    }
    days = dict(one.days)
    for date, day in other.days.items():
        days[date] = plus(days[date], day) if date in days else day
    return Results(counted=counted, days=days)
