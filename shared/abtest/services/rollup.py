"""Counting the ledger into roll-ups: who has work, what is new, one absolute document each.

Everything is recomputed from raw rows, so a run that dies anywhere is repaired by the next one. A lease keeps two runs
apart, and a roll-up is replaced only by a higher generation, should the lease fail.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

from abtest.domain.experiments.documents import experiment_from
from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.counting import CountingPlan, Counts, plan_counting
from abtest.domain.ledger.objects import RAW, raw_start
from abtest.domain.personalizations.documents import personalization_from
from abtest.domain.personalizations.measurement import measured
from abtest.kit import canonical_json
from abtest.kit.clock import from_milliseconds, timestamp
from abtest.kit.errors import NotFoundError
from abtest.ports.blobs import BlobEntry, Blobs
from abtest.ports.catalog import COUNTED_FOR_EVER, DueEntry, Record
from abtest.ports.limits import Leases
from abtest.ports.rollups import Rollups
from abtest.ports.warehouse import LoadedLedger, Warehouse
from abtest.services.context import World
from abtest.services.shop_records import read_shop

_log = logging.getLogger(__name__)

LEASE, LEASE_SECONDS = "rollup", 300
MAX_EXPERIMENTS = 100_000


class RollupFailedError(Exception):
    """Some experiments could not be counted; the others were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """An experiment to count: its plan, what it would be counted from, and what stands."""

    plan: CountingPlan
    source: str
    previous: Mapping[str, Any]

    @property
    def is_new(self) -> bool:
        """Whether anything changed since the roll-up that stands: objects, goals, variations, currency."""
        return self.source != self.previous.get("source")


@dataclass(slots=True)
class Tally:
    """What a run did, in experiments."""

    counted: int = 0
    unchanged: int = 0
    failed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class RollupRun:
    """The use case behind the roll-up schedule."""

    world: World
    ledger: Blobs
    warehouse: Warehouse
    rollups: Rollups
    leases: Leases

    def run(self) -> Tally | None:
        """Count what is new; None when another run is at it. Raises RollupFailedError after trying everything."""
        owner = self.world.new_id()
        if not self.leases.acquire(LEASE, owner=owner, seconds=LEASE_SECONDS, now=self.world.clock.now()):
            return None
        try:
            tally = self._count_all()
        finally:
            self.leases.release(LEASE, owner=owner)
        if tally.failed:
            raise RollupFailedError(f"not counted: {', '.join(tally.failed[:20])}")
        return tally

    def _count_all(self) -> Tally:
        tally = Tally()
        plans = list(self._plans(tally))
        if not plans:
            return tally
        objects = list(self.ledger.list(RAW, after=raw_start(min(plan.begins_at for plan in plans))))
        digests = _digests(objects, {raw_start(plan.begins_at) for plan in plans})
        work = [self._work(plan, digests[raw_start(plan.begins_at)]) for plan in plans]
        due = sorted((item for item in work if item.is_new), key=lambda item: str(item.previous.get("computed_at", "")))
        tally.unchanged = len(work) - len(due)
        if due:
            keys = _keys_since(objects, min(item.plan.begins_at for item in due))
            with self.warehouse.load([entry.key for entry in keys], [item.plan for item in due]) as loaded:
                for item in due:
                    self._count_one(loaded, item, tally)
        return tally

    def _plans(self, tally: Tally) -> Iterable[CountingPlan]:
        now, currencies = self.world.now(), dict[str, str]()
        for entry in self.world.catalog.due("COUNT", COUNTED_FOR_EVER, limit=MAX_EXPERIMENTS):
            if entry.due < now:
                continue
            try:
                plans = self._plans_of(entry, currencies)
            except Exception:
                # One experiment that cannot be read must not keep the others from being counted.
                _log.exception("rollup.not_planned", extra={"experiment_id": entry.id})
                tally.failed.append(entry.id)
                continue
            yield from plans

    def _plans_of(self, entry: DueEntry, currencies: dict[str, str]) -> list[CountingPlan]:
        record = self.world.catalog.get(entry.shop_id, entry.kind, entry.id)
        if record is None:
            return []
        if entry.shop_id not in currencies:
            currencies[entry.shop_id] = self._currency(entry.shop_id)
        plans = [plan_counting(experiment, currencies[entry.shop_id]) for experiment in _counted(record)]
        return [plan for plan in plans if plan is not None]

    def _currency(self, shop_id: str) -> str:
        """The shop's currency; "" matches no money, so that without a shop nothing is guessed."""
        try:
            return read_shop(self.world.catalog, shop_id).currency
        except NotFoundError:
            return ""

    def _work(self, plan: CountingPlan, objects: str) -> Work:
        return Work(
            plan=plan,
            source=canonical_json.sha256([asdict(plan), objects]),
            previous=self.rollups.get(plan.experiment_id, plan.measurement_epoch) or {},
        )

    def _count_one(self, loaded: LoadedLedger, work: Work, tally: Tally) -> None:
        try:
            document = rollup_document(work, loaded.count(work.plan), self.world.now())
            # False: another run was faster, and its next one sees what it missed.
            self.rollups.put(document)
            tally.counted += 1
        except Exception:
            _log.exception("rollup.not_counted", extra={"experiment_id": work.plan.experiment_id})
            tally.failed.append(work.plan.experiment_id)


def _counted(record: Record) -> tuple[Experiment, ...]:
    """What a record has counted: an experiment itself, a personalization as its experiences."""
    if record.head.kind == "PZN":
        return measured(personalization_from(record.body))
    return (experiment_from(record.body),)


def rollup_document(work: Work, counts: Counts, now: str) -> dict[str, Any]:
    """The roll-up as docs/data-model.md section 5 describes it, one generation after the one that stands.

    `source` names the plan and the objects that were counted; `excluded` counts hits whose money is in no currency of
    the shop; a goal whose filter is not evaluated has no variations.
    """
    return {
        "experiment_id": work.plan.experiment_id,
        "measurement_epoch": work.plan.measurement_epoch,
        "generation": int(work.previous.get("generation", 0)) + 1,
        "computed_at": now,
        "through": None if counts.through is None else timestamp(from_milliseconds(counts.through)),
        "source": work.source,
        "variations": {variation_id: {"visitors": visitors} for variation_id, visitors in counts.visitors.items()},
        "goals": {
            goal_id: {
                variation_id: {
                    "converters": count.converters,
                    "count": count.count,
                    "sum_minor": count.sum,
                    "sum_squares_minor": str(count.sum_squares),
                    "excluded": count.excluded,
                }
                for variation_id, count in by_variation.items()
            }
            for goal_id, by_variation in counts.goals.items()
        },
        "multiple_exposure": counts.multiple_exposure,
    }


def _keys_since(objects: Sequence[BlobEntry], begins_at: int) -> Sequence[BlobEntry]:
    start = raw_start(begins_at)
    return [entry for entry in objects if entry.key > start]


def _digests(objects: Sequence[BlobEntry], starts: Iterable[str]) -> Mapping[str, str]:
    """Of each start a digest of the objects after it, in one walk from the newest object back."""
    found: dict[str, str] = {}
    waiting, digest = sorted(starts), sha256()
    for entry in reversed(objects):
        while waiting and entry.key <= waiting[-1]:
            found[waiting.pop()] = digest.hexdigest()
        digest.update(f"{entry.key} {entry.size}\n".encode())
    return found | dict.fromkeys(waiting, digest.hexdigest())
