"""Reading experiments: one, its approvals, its history, and filtered, sorted, paged lists of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from abtest.domain.experiments.model import CountingType, DeliveryType, Experiment, Status, Variation
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp
from abtest.kit.errors import LimitReachedError
from abtest.ports.catalog import AuditRow, Head, Record
from abtest.services.experiments.records import experiment_in
from abtest.services.experiments.store import ExperimentStore

Sort = Literal["created_at", "-created_at", "updated_at", "-updated_at", "name"]
ArchivedFilter = Literal["false", "true", "all"]

SCANNED_A_PAGE = 2000
"""Heads that one page in the order of creation looks at; what then lacks comes with the next cursor."""

SORTED_AT_MOST = 10_000
"""Heads that are sorted in memory for every other order."""

PAGE_BYTES = 4_500_000
"""What experiments of one page may weigh together; an answer ends at 6 MB."""

_CHUNK = 10
_HEADS_A_READ = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a list is narrowed to; None lets everything pass. `q` is a part of the name, in any case."""

    status: Status | None = None
    counting_type: CountingType | None = None
    delivery_type: DeliveryType | None = None
    archived: ArchivedFilter = "false"
    q: str | None = None
    slug: str | None = None
    goal_id: str | None = None
    updated_since: Timestamp | None = None
    sort: Sort = "-created_at"

    def admits(self, head: Head) -> bool:
        """Whether the head passes everything but `goal_id`, which heads do not know."""
        wanted = {"counting_type": self.counting_type, "delivery_type": self.delivery_type, "slug": self.slug}
        return (
            (self.archived == "all" or (self.archived == "true") == (head.archived_at is not None))
            and self.status in (None, head.status)
            and all(value in (None, head.attributes.get(name)) for name, value in wanted.items())
            and (self.q is None or self.q.casefold() in (head.name or "").casefold())
            and (self.updated_since is None or head.updated_at >= self.updated_since)
        )

    def admits_whole(self, experiment: Experiment) -> bool:
        """Whether the experiment has the goal that is asked for."""
        return self.goal_id is None or any(goal.id == self.goal_id for goal in experiment.goals)


class Reading:
    """Use cases that change nothing."""

    def __init__(self, store: ExperimentStore) -> None:
        self._store = store
        self._catalog = store.world.catalog

    def get(self, shop_id: str, reference: str) -> Experiment:
        """One experiment by id or public id. Raises NotFoundError."""
        return self._store.load(shop_id, reference)

    def variation(self, shop_id: str, reference: str) -> tuple[Experiment, Variation]:
        """One variation by id or public id, and its experiment. Raises NotFoundError."""
        return self._store.load_variation(shop_id, reference)

    def history(
        self, shop_id: str, reference: str, *, limit: int, after: str | None
    ) -> tuple[Sequence[AuditRow], str | None]:
        """Audit rows of the experiment, newest first, and the id that continues the list."""
        experiment = self._store.load(shop_id, reference)
        return self._catalog.audit(shop_id, entity_id=experiment.id, limit=limit, after_id=after)

    def page(
        self, shop_id: str, filters: Filters, *, limit: int, after: str | None
    ) -> tuple[list[Experiment], str | None]:
        """Experiments that pass the filters, and the key that continues the list.

        A page may be shorter than `limit`: it ends before 4.5 MB, and after 2,000 heads looked at.
        """
        keyed = (
            self._newest_first(shop_id, after)
            if filters.sort == "-created_at"
            else self._sorted(shop_id, filters, after)
        )
        return self._fill(shop_id, filters, keyed, limit)

    def _fill(
        self, shop_id: str, filters: Filters, keyed: "Iterator[tuple[str, Head]]", limit: int
    ) -> tuple[list[Experiment], str | None]:
        page = _Page(filters, limit)
        seen, last = 0, None
        for chunk in _chunks(keyed):
            for key, record in self._load(shop_id, filters, chunk):
                if record and not page.takes(record):
                    return page.experiments, last
                last = key
            seen += len(chunk)
            if seen >= SCANNED_A_PAGE:
                return page.experiments, last
        return page.experiments, None

    def _load(
        self, shop_id: str, filters: Filters, chunk: "list[tuple[str, Head]]"
    ) -> Iterator[tuple[str, Record | None]]:
        wanted = [head.id for _, head in chunk if filters.admits(head)]
        records = {record.head.id: record for record in self._catalog.get_many(shop_id, "EXP", wanted)}
        return ((key, records.get(head.id)) for key, head in chunk)

    def _newest_first(self, shop_id: str, after: str | None) -> Iterator[tuple[str, Head]]:
        while True:
            page = self._catalog.list(shop_id, "EXP", limit=_HEADS_A_READ, after_id=after)
            yield from ((head.id, head) for head in page.heads)
            after = page.last_id
            if after is None:
                return

    def _sorted(self, shop_id: str, filters: Filters, after: str | None) -> Iterator[tuple[str, Head]]:
        field = filters.sort.removeprefix("-")
        heads = []
        for count, (_, head) in enumerate(self._newest_first(shop_id, None)):
            if count == SORTED_AT_MOST:
                raise LimitReachedError(f"more than {SORTED_AT_MOST} experiments are listed by -created_at only")
            if filters.admits(head):
                heads.append(head)
        descending = filters.sort.startswith("-")
        placed = sorted(((_place(head, field), head) for head in heads), key=lambda it: it[0], reverse=descending)
        start = tuple(canonical_json.loads(after)) if after else None
        for place, head in placed:
            if start is None or (place < start if descending else place > start):
                yield canonical_json.dumps(list(place)), head


class _Page:
    """Experiments up to a count and a size; a single one may be larger than that."""

    def __init__(self, filters: Filters, limit: int) -> None:
        self.experiments: list[Experiment] = []
        self._filters = filters
        self._limit = limit
        self._bytes = 0

    def takes(self, record: Record) -> bool:
        """Whether the page went on: it took the experiment, or the filters do not want it."""
        experiment = experiment_in(record)
        if not self._filters.admits_whole(experiment):
            return True
        size = len(canonical_json.encode(record.body))
        full = len(self.experiments) == self._limit or self._bytes + size > PAGE_BYTES
        if full and self.experiments:
            return False
        self.experiments.append(experiment)
        self._bytes += size
        return True


def _place(head: Head, field: str) -> tuple[str, str]:
    value: Any = (head.name or "").casefold() if field == "name" else getattr(head, field)
    return str(value), head.id


def _chunks(keyed: "Iterator[tuple[str, Head]]") -> "Iterator[list[tuple[str, Head]]]":
    chunk: list[tuple[str, Head]] = []
    for item in keyed:
        chunk.append(item)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
