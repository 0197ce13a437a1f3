"""Work of a roll-up: the plans of all that is counted, shop by shop."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.plans import CountingPlan, plan_counting, plan_holdout
from abtest.domain.personalizations.measurement import measured
from abtest.domain.personalizations.model import Personalization
from abtest.domain.settings.shop import Shop
from abtest.kit.documents import decode
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import COUNTED_FOR_EVER, Catalog, DueEntry, Record
from abtest.ports.warehouse import ShopPlans
from abtest.services.context import World
from abtest.services.publication.sources import Sources
from abtest.services.rollups.cycle import behind
from abtest.services.shop_records import read_shop

_log = logging.getLogger(__name__)

QUEUE = "COUNT"
MAX_ENTRIES = 100_000


@dataclass(slots=True)
class Work:
    """Plans by shop, the ids of what could not be planned, and the number of shops that had no turn in time."""

    shops: list[ShopPlans] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    left: int = 0


def work_of(world: World, only: str | None = None, *, after: str = "", until: datetime | None = None) -> Work:
    """Return what is to be counted now, of one shop or of all; shops without experiments too, because of their days.

    All shops are in the order of the cycle, beginning behind the shop `after`. None is planned later than `until`.
    """
    work, by_shop, now = Work(), defaultdict[str, list[DueEntry]](list), world.now()
    for entry in world.catalog.due(QUEUE, COUNTED_FOR_EVER, limit=MAX_ENTRIES):
        if entry.due >= now and only in (None, entry.shop_id):
            by_shop[entry.shop_id].append(entry)
    for shop_id in behind(after, by_shop):
        if until is not None and world.clock.now() >= until:
            work.left += 1
            continue
        work.shops += _shop_plans(world.catalog, shop_id, by_shop[shop_id], work.failed)
    return work


def forget_ended(world: World) -> None:
    """Remove from the queue what needs no more counting."""
    # An entry is due when its counting ends, so those before now have ended.
    for entry in world.catalog.due(QUEUE, world.now(), limit=MAX_ENTRIES):
        world.catalog.forget_due(QUEUE, entry)


def _shop_plans(catalog: Catalog, shop_id: str, entries: Iterable[DueEntry], failed: list[str]) -> list[ShopPlans]:
    try:
        shop = read_shop(catalog, shop_id)
    except NotFoundError:
        shop = None
    except Exception:
        _log.exception("rollup.not_planned", extra={"shop_id": shop_id})
        failed.append(shop_id)
        return []
    # Without a shop the currency is "", which matches no money: nothing is guessed.
    currency = shop.currency if shop else ""
    plans = [plan for entry in entries for plan in _plans(catalog, entry, shop, currency, failed)]
    return [ShopPlans(shop_id=shop_id, currency=currency, plans=plans)]


def _plans(
    catalog: Catalog, entry: DueEntry, shop: Shop | None, currency: str, failed: list[str]
) -> list[CountingPlan]:
    try:
        if entry.kind == "SHOP":
            holdout = plan_holdout(shop) if shop else None
            return [holdout] if holdout else []
        record = catalog.get(entry.shop_id, entry.kind, entry.id)
        return [] if record is None else list(_plans_of(catalog, record, currency))
    except Exception:
        # One experiment that cannot be read must not keep the others from being counted.
        _log.exception("rollup.not_planned", extra={"experiment_id": entry.id})
        failed.append(entry.id)
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
