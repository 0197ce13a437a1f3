"""Composition roots of the schedules that keep the ledger: compaction and audit."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from abtest.kit.clock import SystemClock, parse_milliseconds
from abtest.kit.ids import SystemRandomness
from abtest.wiring.settings import Settings, settings

if TYPE_CHECKING:
    from abtest.services.recompute import Progress, Recompute

Handler = Callable[[Any, Any], Any]

COMPACTION_TIME = timedelta(minutes=10)
"""No hour is begun later: the function ends after 15 minutes, and the largest hours take a few."""

AUDIT_TIME = timedelta(minutes=11)
"""No experiment is begun later; each night draws anew whose turn it is first."""


def compact() -> Handler:
    """The handler of cron_compact. Raises MissingSettingError.

    An event may say `since`, a moment from which all hours are looked at, and `open_hours`: true, for those that are
    not over yet, too.
    """
    from abtest.adapters.dynamo import DynamoLeases
    from abtest.adapters.embedded_metrics import EmbeddedMetrics
    from abtest.adapters.s3 import S3Blobs
    from abtest.adapters.warehouse.parquet import DuckDbHours
    from abtest.services.compaction import Compaction

    found, clock = settings(), SystemClock()
    found.need("ephemeral_table", "ledger_bucket")
    ledger = S3Blobs(found.ledger_bucket)
    use = Compaction(
        clock=clock,
        random=SystemRandomness(),
        ledger=ledger,
        hours=DuckDbHours(ledger),
        leases=DynamoLeases(found.ephemeral_table),
        metrics=EmbeddedMetrics(found.aws_lambda_function_name, clock),
    )

    def handler(event: Any, _context: Any) -> Any:
        since = event.get("since")
        tally = use.run(
            until=clock.now() + COMPACTION_TIME,
            since=None if since is None else parse_milliseconds(since),
            open_hours=event.get("open_hours") is True,
        )
        return {"skipped": "another run is at it"} if tally is None else asdict(tally)

    return handler


def audit() -> Handler:
    """The handler of cron_audit. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoRollupStore
    from abtest.adapters.embedded_metrics import EmbeddedMetrics
    from abtest.adapters.s3 import S3Blobs
    from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
    from abtest.adapters.warehouse.parquet import DuckDbHours
    from abtest.services.audit import Audit
    from abtest.wiring.worlds import world_of

    found, clock = settings(), SystemClock()
    found.need("catalog_table", "rollups_table", "blobs_bucket", "ledger_bucket")
    ledger = S3Blobs(found.ledger_bucket)
    use = Audit(
        world=world_of(found),
        ledger=ledger,
        warehouse=DuckDbWarehouse(ledger),
        hours=DuckDbHours(ledger),
        store=DynamoRollupStore(found.rollups_table),
        metrics=EmbeddedMetrics(found.aws_lambda_function_name, clock),
    )

    def handler(_event: Any, _context: Any) -> Any:
        return asdict(use.run(until=clock.now() + AUDIT_TIME))

    return handler


def recompute_of(found: Settings, progress: "Callable[[Progress], None]") -> "Recompute":
    """What the operator's command calls."""
    from abtest.adapters.dynamo import DynamoRollupStore
    from abtest.adapters.s3 import S3Blobs
    from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
    from abtest.services.recompute import Recompute
    from abtest.wiring.worlds import world_of

    ledger = S3Blobs(found.ledger_bucket)
    return Recompute(
        world=world_of(found),
        ledger=ledger,
        warehouse=DuckDbWarehouse(ledger),
        store=DynamoRollupStore(found.rollups_table),
        progress=progress,
    )
