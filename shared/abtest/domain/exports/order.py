"""An order for an export: what, in which form, from when to when; and the names of its file."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from abtest.domain.ledger.events import DAY_MS
from abtest.kit.clock import Timestamp, parse_milliseconds
from abtest.kit.documents import Document, decode, encode
from abtest.kit.errors import FieldError, ValidationFailedError

Dataset = Literal["exposures", "events", "results"]
Format = Literal["csv", "ndjson", "parquet"]

MAX_DAYS = 92
LINK_SECONDS = 3600
FILE_KEPT = timedelta(days=7)
"""How long the file can be had; the bucket's lifecycle rule for `exports/` says the same."""

CONTENT_TYPES: Mapping[Format, str] = {
    "csv": "text/csv; charset=utf-8; header=present",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}

BEFORE_MS = DAY_MS
"""Events may have been received so much before the order's begin that have a later copy within: clocks differ."""

AFTER_MS = 22 * DAY_MS
"""How much later than the order's end its events may be written: 7 days late, 14 in the queue, one for the clocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOrder:
    """What somebody wants: events that happened at `since` or later and before `until`.

    `results` are of one experiment; for events and exposures the experiment narrows what is exported.
    """

    dataset: Dataset
    format: Format
    since: Timestamp
    until: Timestamp
    experiment_id: str | None = None

    @property
    def since_ms(self) -> int:
        """The begin in Unix milliseconds."""
        return parse_milliseconds(self.since)

    @property
    def until_ms(self) -> int:
        """The end in Unix milliseconds, which is not part of it."""
        return parse_milliseconds(self.until)

    def may_hold(self, hour: int) -> bool:
        """Whether objects of that hour (its Unix milliseconds) can hold rows that the order needs."""
        return self.since_ms - 2 * BEFORE_MS < hour < self.until_ms + AFTER_MS

    def check(self) -> None:
        """Raises ValidationFailedError for fields that contradict each other."""
        problems = list(self._problems())
        if problems:
            raise ValidationFailedError(problems[0].message, fields=problems)

    def _problems(self) -> list[FieldError]:
        found = []
        if self.since_ms >= self.until_ms:
            found.append(FieldError("to", "an export ends after it begins"))
        elif self.until_ms - self.since_ms > MAX_DAYS * DAY_MS:
            found.append(FieldError("to", f"an export spans {MAX_DAYS} days at most"))
        if self.dataset == "results" and self.experiment_id is None:
            found.append(FieldError("experiment_id", "results are those of one experiment: say which"))
        return found


def order_document(order: ExportOrder) -> Document:
    """The order as a job keeps it."""
    return encode(order)


def order_from(document: Mapping[str, object]) -> ExportOrder:
    """The order that a job keeps."""
    return decode(ExportOrder, document)


def export_key(shop_id: str, export_id: str, order: ExportOrder) -> str:
    """Where the file lies in the ledger's bucket."""
    return f"exports/{shop_id}/{export_id}.{order.format}"


def file_name(order: ExportOrder) -> str:
    """What the file is called once it is downloaded: `events-2026-03-01-2026-03-08.csv`."""
    return f"{order.dataset}-{order.since[:10]}-{order.until[:10]}.{order.format}"
