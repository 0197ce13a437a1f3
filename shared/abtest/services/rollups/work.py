"""Work of roll-ups: the shops that are counted, and the plans of one shop."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.dispatching import digest_of_versions
from abtest.domain.ledger.plans import CountingPlan, plan_counting, plan_holdout
from abtest.domain.personalizations.measurement import measured
from abtest.domain.personalizations.model import Personalization
from abtest.domain.settings.shop import RECORD_ID, Shop
from abtest.kit.clock import Timestamp
from abtest.kit.documents import decode
from abtest.ports.catalog import COUNTED_FOR_EVER, Catalog, Head, Kind, Record
from abtest.ports.warehouse import ShopPlans
from abtest.services.context import World
from abtest.services.publication.sources import Sources
from abtest.services.shop_records import SHOPS

_log = logging.getLogger(__name__)

QUEUE = "COUNT"
MAX_ENTRIES = 1_000_000
KINDS: tuple[Kind, ...] = ("EXP", "PZN")
_MET = ("running", "active")
"""Statuses of experiments and personalizations that visitors meet."""

_HEADS_A_READ = 500
_BODIES_A_READ = 100


@dataclass(frozen=True, slots=True)
class ShopWork:
    """Plans of a shop, a digest of the versions of the records that they are of, and ids of what cannot be planned.

    `changed_at`: when the shop's settings or a record that visitors meet now were changed last; "" without any.
    `records`: by the id of a plan, the experiment or personalization that it is of; none for the holdout.
    """

    plans: ShopPlans
    digest: str
    changed_at: Timestamp
    failed: tuple[str, ...]
    records: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PartOfShop:
    """Plans of some records of a shop, and ids of what cannot be planned."""

    plans: Sequence[CountingPlan]
    failed: tuple[str, ...]


@dataclass(slots=True)
class Work:
    """Plans by shop, and the ids of what cannot be planned."""

    shops: list[ShopPlans] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def counted_shops(world: World) -> Mapping[str, str]:
    """Return the digests of what is to be counted, by shop; from the work index alone."""
    records, now = defaultdict[str, list[tuple[str, str, int]]](list), world.now()
    for entry in world.catalog.due(QUEUE, COUNTED_FOR_EVER, limit=MAX_ENTRIES):
        if entry.due >= now:
            records[entry.shop_id].append((entry.kind, entry.id, entry.version))
    return {shop_id: digest_of_versions(versions) for shop_id, versions in records.items()}


def work_of(world: World, only: str | None = None) -> Work:
    """Return what is to be counted now, of one shop or of all; shops without experiments too, because of their days."""
    work = Work()
    for shop_id in sorted(counted_shops(world)) if only is None else [only]:
        try:
            shop = shop_work(world.catalog, shop_id, world.now())
        except Exception:
            # One shop that cannot be read must not keep the others from being counted.
            _log.exception("rollup.not_planned", extra={"shop_id": shop_id})
            work.failed.append(shop_id)
            continue
        # A shop without any counted record does not exist, or no more.
        work.shops += [shop.plans] if shop.digest else []
        work.failed += shop.failed
    return work


def forget_ended(world: World) -> None:
    """Remove from the queue what needs no more counting."""
    # An entry is due when its counting ends, so those before now have ended.
    for entry in world.catalog.due(QUEUE, world.now(), limit=MAX_ENTRIES):
        world.catalog.forget_due(QUEUE, entry)


def shop_work(catalog: Catalog, shop_id: str, now: Timestamp) -> ShopWork:
    """Return what is to be counted of one shop now. Raises DatabaseBusyError."""
    shop_record = catalog.get(shop_id, "SHOP", RECORD_ID)
    heads = [shop_record.head] if shop_record else []
    failed: list[str] = []
    shop = _shop_of(shop_record, shop_id, failed)
    # Without a shop the currency is "", which matches no money: nothing is guessed.
    currency = shop.currency if shop else ""
    holdout = plan_holdout(shop) if shop else None
    plans, records = [holdout] if holdout else [], dict[str, str]()
    for kind in KINDS:
        counted = [head for head in _heads(catalog, shop_id, kind) if head.due.get(QUEUE, "") >= now]
        heads += counted
        for record in _records(catalog, shop_id, kind, [head.id for head in counted], failed):
            own = _plans(catalog, record, currency, failed)
            plans += own
            records |= {plan.experiment_id: record.head.id for plan in own}
    digest = digest_of_versions((head.kind, head.id, head.version) for head in heads if head.due.get(QUEUE, "") >= now)
    # The end of an experiment, or a pause, can harm no visitor.
    changed_at = max((head.updated_at for head in heads if head.kind == "SHOP" or head.status in _MET), default="")
    shop_plans = ShopPlans(shop_id=shop_id, currency=currency, plans=plans)
    return ShopWork(shop_plans, digest, changed_at, tuple(failed), records)


def plans_of(catalog: Catalog, shop_id: str, records: Iterable[tuple[Kind, str]], now: Timestamp) -> PartOfShop:
    """Return the plans of these records of a shop, by kind and id; its own record has the holdout.

    Records that do not exist any more, or are not counted any more, have none. Raises DatabaseBusyError.
    """
    failed: list[str] = []
    shop, chosen = _shop_of(catalog.get(shop_id, "SHOP", RECORD_ID), shop_id, failed), list(records)
    currency = shop.currency if shop else ""
    holdout = plan_holdout(shop) if shop and any(kind == "SHOP" for kind, _ in chosen) else None
    plans = [holdout] if holdout else []
    for kind in KINDS:
        for record in _records(catalog, shop_id, kind, [id_ for own, id_ in chosen if own == kind], failed):
            if record.head.due.get(QUEUE, "") >= now:
                plans += _plans(catalog, record, currency, failed)
    return PartOfShop(plans, tuple(failed))


def _shop_of(record: Record | None, shop_id: str, failed: list[str]) -> Shop | None:
    try:
        return SHOPS.from_record(record) if record else None
    except Exception:
        _log.exception("rollup.not_planned", extra={"shop_id": shop_id})
        failed.append(shop_id)
        return None


def _heads(catalog: Catalog, shop_id: str, kind: Kind) -> Iterator[Head]:
    after: str | None = None
    while True:
        page = catalog.list(shop_id, kind, limit=_HEADS_A_READ, after_id=after)
        yield from page.heads
        after = page.last_id
        if after is None:
            return


def _records(catalog: Catalog, shop_id: str, kind: Kind, ids: Sequence[str], failed: list[str]) -> Iterator[Record]:
    for start in range(0, len(ids), _BODIES_A_READ):
        some = ids[start : start + _BODIES_A_READ]
        try:
            yield from catalog.get_many(shop_id, kind, some)
        except Exception:
            # One record that cannot be read must not keep the others from being counted.
            yield from _one_by_one(catalog, shop_id, kind, some, failed)


def _one_by_one(catalog: Catalog, shop_id: str, kind: Kind, ids: Iterable[str], failed: list[str]) -> Iterator[Record]:
    for record_id in ids:
        try:
            record = catalog.get(shop_id, kind, record_id)
        except Exception:
            _log.exception("rollup.not_planned", extra={"experiment_id": record_id})
            failed.append(record_id)
            continue
        if record is not None:
            yield record


def _plans(catalog: Catalog, record: Record, currency: str, failed: list[str]) -> list[CountingPlan]:
    try:
        return list(_plans_of(catalog, record, currency))
    except Exception:
        # One experiment that cannot be read must not keep the others from being counted.
        _log.exception("rollup.not_planned", extra={"experiment_id": record.head.id})
        failed.append(record.head.id)
        return []


def _plans_of(catalog: Catalog, record: Record, currency: str) -> Iterator[CountingPlan]:
    # A personalization is counted as its experiences.
    is_personalization = record.head.kind == "PZN"
    experiments = (
        measured(decode(Personalization, record.body)) if is_personalization else (decode(Experiment, record.body),)
    )
    for experiment in experiments:
        sources = Sources(catalog, experiment.shop_id)
        references = sources.references([{"pageRules": experiment.goal_page_rules}])
        plan = plan_counting(experiment, currency, references)
        if plan is not None:
            yield plan
