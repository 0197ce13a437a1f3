"""Listing of a shop's work: running experiments first, then everything else that is counted."""

from collections.abc import Iterator, Sequence

from abtest.ports.catalog import Catalog, Head, Kind
from abtest.services.decisions.messages import Task

RUNNING = "RUN"
COUNTED = "COUNT"
_KINDS: tuple[Kind, ...] = ("EXP", "PZN")
_HEADS_A_READ = 1000


def ids_of_shop(catalog: Catalog, shop_id: str, tasks: Sequence[Task], now: str) -> list[str]:
    """Return ids of a shop's experiments and personalizations, by their heads, which are read consistently.

    Only looks of auto-stop are about what does not run.
    """
    heads = [head for kind in _KINDS for head in _heads(catalog, shop_id, kind)]
    running = {head.id for head in heads if RUNNING in head.due and head.due[RUNNING] <= now}
    counted = [head.id for head in heads if head.due.get(COUNTED, "") >= now and head.id not in running]
    return [*(head.id for head in heads if head.id in running), *(counted if "autostop" in tasks else ())]


def _heads(catalog: Catalog, shop_id: str, kind: Kind) -> Iterator[Head]:
    after: str | None = None
    while True:
        page = catalog.list(shop_id, kind, limit=_HEADS_A_READ, after_id=after)
        yield from page.heads
        after = page.last_id
        if after is None:
            return
