"""The distributed engine: Athena asked for what the embedded one counts, in the same words, over the same objects.

What only Python can judge goes there and back: hits of goals with filters are fetched, judged, and the ids of those
that were accepted are written where the counting query reads them, under the name of one run, until it is done.
"""

import gzip
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from abtest.adapters.warehouse.athena_client import AthenaQueries
from abtest.adapters.warehouse.athena_relations import ACCEPTED, LEDGER, accepted_hits, shop_rows, with_relations
from abtest.adapters.warehouse.counting_answer import counts_of
from abtest.adapters.warehouse.counting_sql import candidates, counting, judged
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.objects import ShopFiles
from abtest.domain.ledger.plans import CountingPlan
from abtest.kit import canonical_json
from abtest.kit.ids import random_base62
from abtest.ports.blobs import Blobs

RUN_CHARS = 20
HITS_AN_OBJECT = 50_000

Hit = tuple[str, str, int]
"""Goal id, event id, worth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AthenaWarehouse:
    """Asks about what lies in a ledger bucket, in which it also leaves ids for the time of a query."""

    queries: AthenaQueries
    ledger: Blobs

    @contextmanager
    def open(self, shop_id: str, files: ShopFiles, *, since: int) -> Iterator["AthenaLedger"]:
        """The shop's rows; nothing is asked before somebody asks."""
        yield AthenaLedger(queries=self.queries, ledger=self.ledger, rows_of_shop=shop_rows(shop_id, files, since))


@dataclass(frozen=True, slots=True, kw_only=True)
class AthenaLedger:
    """A shop's rows, as a relation. Beside what the port names all questions raise QueryError."""

    queries: AthenaQueries
    ledger: Blobs
    rows_of_shop: str

    def count(self, plan: CountingPlan) -> Counts:
        """Counts of the plan; with judged goals two queries."""
        listing = candidates(plan, events=LEDGER)
        if listing is None:
            return self._counted(plan, {})
        hits = judged(plan, self.queries.stream(self._text(listing)))
        run = random_base62(RUN_CHARS, self.queries.random)
        with self._left(run, hits):
            return self._counted(plan, {ACCEPTED: accepted_hits(run)})

    def _counted(self, plan: CountingPlan, beside: dict[str, str]) -> Counts:
        text = with_relations(counting(plan, events=LEDGER, accepted=ACCEPTED), {LEDGER: self.rows_of_shop} | beside)
        return counts_of(plan, self.queries.stream(text))

    def _text(self, statement: str) -> str:
        return with_relations(statement, {LEDGER: self.rows_of_shop})

    @contextmanager
    def _left(self, run: str, hits: Iterable[Hit]) -> Iterator[None]:
        """Have the hits stand under the run's name; a process that dies leaves them to the bucket's lifecycle."""
        keys: list[str] = []
        try:
            for content in _objects(hits):
                keys.append(f"accepted/run={run}/{len(keys):06}.ndjson.gz")
                self.ledger.put(keys[-1], content, content_type="application/gzip")
            yield
        finally:
            for key in keys:
                self.ledger.delete(key)


def _objects(hits: Iterable[Hit]) -> Iterator[bytes]:
    """Lines of JSON, compressed, a bounded number at a time."""
    left = iter(hits)
    while some := list(islice(left, HITS_AN_OBJECT)):
        lines = (
            canonical_json.encode({"goal_id": goal_id, "event_id": event_id, "worth": worth})
            for goal_id, event_id, worth in some
        )
        yield gzip.compress(b"\n".join(lines), mtime=0)
