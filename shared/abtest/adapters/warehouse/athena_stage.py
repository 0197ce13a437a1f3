"""Objects that exist while a question is answered: the shop's kept rows, and verdicts about hits of judged goals.

Athena computes a named part of a query at each use, so what is read often is stored once. Objects are removed when
their context ends; after a crash, the bucket's lifecycle removes them.
"""

import gzip
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from abtest.adapters.warehouse.athena_client import AthenaQueries
from abtest.adapters.warehouse.judgements import Verdict
from abtest.adapters.warehouse.sql_texts import literal
from abtest.kit import canonical_json
from abtest.kit.errors import ServiceError
from abtest.kit.ids import random_base62
from abtest.ports.blobs import Blobs

_log = logging.getLogger(__name__)

ROWS = "athena/staged/rows/"
VERDICTS = "accepted/"
RUN_CHARS = 20
VERDICTS_AN_OBJECT = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Storage of what a question computes. Names of runs are random, so that questions never meet."""

    queries: AthenaQueries
    ledger: Blobs
    bucket: str

    @contextmanager
    def rows(self, statement: str) -> Iterator[str]:
        """Store the rows of a statement in the table `staged_rows`, and return the run that selects them there."""
        run = self._run()
        prefix = f"{ROWS}run={run}/"
        try:
            target = literal(f"s3://{self.bucket}/{prefix}")
            self.queries.run(f"UNLOAD (\n{statement}\n) TO {target} WITH (format = 'PARQUET')")
            yield run
        finally:
            # Also after an UNLOAD that failed, which may have written objects.
            self._remove(entry.key for entry in self.ledger.list(prefix))

    @contextmanager
    def verdicts(self, accepted: Iterable[Verdict]) -> Iterator[str]:
        """Store verdicts in the table `accepted`, and return the run that selects them there."""
        run = self._run()
        keys: list[str] = []
        remaining = iter(accepted)
        try:
            while some := list(islice(remaining, VERDICTS_AN_OBJECT)):
                lines = (
                    canonical_json.encode(
                        {"judgement": judgement, "event_id": event_id, "received_at": received_at, "worth": worth}
                    )
                    for judgement, event_id, received_at, worth in some
                )
                content = gzip.compress(b"\n".join(lines), mtime=0)
                keys.append(f"{VERDICTS}run={run}/{len(keys):06}.ndjson.gz")
                self.ledger.put(keys[-1], content, content_type="application/gzip")
            yield run
        finally:
            self._remove(keys)

    def _remove(self, keys: Iterable[str]) -> None:
        try:
            for key in list(keys):
                self.ledger.delete(key)
        except ServiceError:
            # The answer is right without it, and the objects expire.
            _log.warning("athena.not_removed", exc_info=True)

    def _run(self) -> str:
        return random_base62(RUN_CHARS, self.queries.random)
