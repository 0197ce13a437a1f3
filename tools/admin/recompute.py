"""The operator's recomputation: every roll-up against the raw ledger, with progress where a person watches."""

import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TextIO

from abtest.adapters.dynamo import DynamoRollupStore
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
from abtest.services.recompute import Progress, Recompute, Recomputed
from abtest.wiring.settings import Settings
from abtest.wiring.worlds import world_of

NEEDED = ("catalog_table", "rollups_table", "blobs_bucket", "ledger_bucket")
MAX_LISTED = 50


class RecomputeIncompleteError(ValueError):
    """Some roll-ups could not be counted, or were written by others each time; the message names them."""


class Display:
    """How far it is: one line that rewrites itself on a terminal, nothing elsewhere."""

    def __init__(self, out: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        self._out, self._now = out, now
        self._began = now()
        self._watched = out.isatty()

    def show(self, progress: Progress) -> None:
        """The experiment that is counted next."""
        if not self._watched:
            return
        spent = self._now() - self._began
        left = f", about {spent / progress.done * (progress.total - progress.done):.0f} s left" if progress.done else ""
        line = (
            f"{progress.done} of {progress.total} experiments, shop {progress.shop_id}, {progress.objects} raw objects"
        )
        print(f"\r\x1b[K{line}{left}", end="", file=self._out, flush=True)

    def end(self) -> None:
        """Leave the line."""
        if self._watched:
            print(file=self._out)


def recompute_of(config: Settings, progress: Callable[[Progress], None]) -> Recompute:
    """The use case over the deployment of these settings."""
    ledger = S3Blobs(config.ledger_bucket)
    return Recompute(
        world=world_of(config),
        ledger=ledger,
        warehouse=DuckDbWarehouse(ledger),
        store=DynamoRollupStore(config.rollups_table),
        progress=progress,
    )


def recompute(
    settings: Settings, *, shop_id: str | None, experiment_id: str | None, dry_run: bool, out: TextIO = sys.stderr
) -> dict[str, Any]:
    """Recount and compare; `result` is "equal" or "different". Raises RecomputeIncompleteError."""
    settings.need(*NEEDED)
    display = Display(out)
    try:
        done = recompute_of(settings, display.show).run(shop_id=shop_id, experiment_id=experiment_id, dry_run=dry_run)
    finally:
        display.end()
    if done.failed or done.overtaken:
        raise RecomputeIncompleteError(_incomplete(done))
    differing = {name: list(differences[:MAX_LISTED]) for name, differences in done.differing.items()}
    return {"result": "different" if differing else "equal", **asdict(done), "differing": differing}


def _incomplete(done: Recomputed) -> str:
    parts = [
        f"{what}: {', '.join(names[:MAX_LISTED])}"
        for what, names in (
            ("could not be counted", done.failed),
            ("was written by another run each time", done.overtaken),
        )
        if names
    ]
    return "; ".join([*parts, f"{done.written} others were written, {done.experiments} looked at"])
