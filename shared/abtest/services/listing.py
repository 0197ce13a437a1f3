"""Filtered, sorted pages of a shop's records of one kind: chosen by their heads, loaded whole."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp
from abtest.kit.errors import LimitReachedError
from abtest.ports.catalog import Catalog, Head, Kind, Record

TimeSort = Literal["created_at", "-created_at", "updated_at", "-updated_at"]
Sort = Literal[TimeSort, "name"]
ArchivedFilter = Literal["false", "true", "all"]

SCANNED_A_PAGE = 2000
"""Heads that one page in the order of creation reads; the next cursor continues behind them."""

SORTED_AT_MOST = 10_000
"""Heads that are sorted in memory for every other order."""

PAGE_BYTES = 4_500_000
"""Size of the records of one page together; a response may have at most 6 MB."""

_CHUNK = 10
_HEADS_A_READ = 100

Item = TypeVar("Item")
_Keyed = tuple[str, Head]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Filters of a list, and its order; None admits everything.

    `q` is a part of the name or key, in any case. `attributes` are equal to those of the head. The status `archived`
    shows archived ones without `archived`.
    """

    archived: ArchivedFilter = "false"
    q: str | None = None
    updated_since: Timestamp | None = None
    sort: Sort = "-created_at"
    status: str | None = None
    attributes: Mapping[str, str | bool | None] = field(default_factory=dict)

    def where(self, *, status: str | None = None, **attributes: str | bool | None) -> "Filters":
        """The same filters with this status and these attributes."""
        return replace(self, status=status, attributes=attributes)

    def admits(self, head: Head) -> bool:
        """Return whether the head passes."""
        searched = f"{head.name or ''}\n{head.attributes.get('key') or ''}".casefold()
        is_kept = self.archived == "all" or (self.archived == "true") == (head.archived_at is not None)
        return (
            (is_kept or (self.archived, self.status) == ("false", "archived"))
            and self.status in (None, head.status)
            and all(value in (None, head.attributes.get(name)) for name, value in self.attributes.items())
            and (self.q is None or self.q.casefold() in searched)
            and (self.updated_since is None or head.updated_at >= self.updated_since)
        )


class Order(NamedTuple):
    """Order of a list by something else than a field of the heads: the sort key of a head, value and id."""

    place: Callable[[Head], tuple[str, str]]
    descending: bool


EVERYTHING = Filters()
"""No filter; archived items are hidden."""


def every_head(
    catalog: Catalog, shop_id: str, kind: Kind, after: str | None = None, *, parent_id: str | None = None
) -> Iterator[Head]:
    """Yield the heads of a kind behind this id, newest first; a page is read when it is needed."""
    while True:
        page = catalog.list(shop_id, kind, limit=_HEADS_A_READ, after_id=after, parent_id=parent_id)
        yield from page.heads
        after = page.last_id
        if after is None:
            return


class Listing(Generic[Item]):
    """Lists of one kind; `read` makes the item of a record, `plural` is its name in errors."""

    def __init__(self, catalog: Catalog, kind: Kind, read: Callable[[Record], Item], *, plural: str) -> None:
        self._catalog = catalog
        self._kind = kind
        self._read = read
        self._plural = plural

    def page(
        self,
        shop_id: str,
        filters: Filters,
        *,
        limit: int,
        after: str | None,
        admits_whole: Callable[[Item], bool] = lambda _: True,
        parent_id: str | None = None,
        order: Order | None = None,
    ) -> tuple[list[Item], str | None]:
        """Items that pass the filters, and the key that continues the list; of children, those of the parent.

        `order` replaces the one of the filters. A page may be shorter than `limit`: it ends before 4.5 MB, and after
        2,000 heads were read. `admits_whole` filters by fields that heads do not have.
        """
        keyed = (
            self._newest_first(shop_id, after, parent_id)
            if order is None and filters.sort == "-created_at"
            else self._sorted(shop_id, filters, after, parent_id, order or order_of(filters.sort))
        )
        page = _Page[Item](limit)
        seen, last = 0, None
        # Records are read a few at a time, so that a page of large ones does not read many in vain.
        while chunk := list(islice(keyed, _CHUNK)):
            admitted = [head.id for _, head in chunk if filters.admits(head)]
            read = self._catalog.get_many(shop_id, self._kind, admitted, parent_id=parent_id)
            records = {record.head.id: record for record in read}
            for key, head in chunk:
                record = records.get(head.id)
                if record and admits_whole(item := self._read(record)):
                    size = len(canonical_json.encode(record.body))
                    if not page.takes(item, size):
                        return page.items, last
                # Also for heads that were filtered out, so that the next page does not read them again.
                last = key
            seen += len(chunk)
            if seen >= SCANNED_A_PAGE:
                return page.items, last
        return page.items, None

    def _newest_first(self, shop_id: str, after: str | None, parent_id: str | None) -> Iterator[_Keyed]:
        heads = every_head(self._catalog, shop_id, self._kind, after, parent_id=parent_id)
        return ((head.id, head) for head in heads)

    def _sorted(
        self, shop_id: str, filters: Filters, after: str | None, parent_id: str | None, order: Order
    ) -> Iterator[_Keyed]:
        heads = []
        for count, (_, head) in enumerate(self._newest_first(shop_id, None, parent_id)):
            if count == SORTED_AT_MOST:
                raise LimitReachedError(f"more than {SORTED_AT_MOST} {self._plural} are listed by -created_at only")
            if filters.admits(head):
                heads.append(head)
        descending = order.descending
        placed = sorted(((order.place(head), head) for head in heads), key=lambda it: it[0], reverse=descending)
        # A cursor is a position, not a number of items: what is created or deleted meanwhile shifts nothing.
        start = tuple(canonical_json.loads(after)) if after else None
        for place, head in placed:
            if start is None or (place < start if descending else place > start):
                yield canonical_json.dumps(list(place)), head


class _Page(Generic[Item]):
    """Items up to a count and a size; a single item may be larger."""

    def __init__(self, limit: int) -> None:
        self.items: list[Item] = []
        self._limit = limit
        self._bytes = 0

    def takes(self, item: Item, size: int) -> bool:
        """Add the item if there is room, and return whether there was."""
        full = len(self.items) == self._limit or self._bytes + size > PAGE_BYTES
        # The first item is taken at any size, or else the list could never get past it.
        if full and self.items:
            return False
        self.items.append(item)
        self._bytes += size
        return True


def order_of(sort: Sort) -> Order:
    """Return the order by a field of the heads."""
    field = sort.removeprefix("-")
    return Order(lambda head: sort_key(head, field), sort.startswith("-"))


def sort_key(head: Head, field: str) -> tuple[str, str]:
    """Value of a field and id of a head, which together name one position in the sorted list."""
    value: Any = (head.name or "").casefold() if field == "name" else getattr(head, field)
    return str(value), head.id
