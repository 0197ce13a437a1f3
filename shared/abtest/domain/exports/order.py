"""Order of an export: its dataset, format and period; and the names of its file."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from abtest.domain.ledger.events import DAY_MS
from abtest.kit.clock import Timestamp, parse_milliseconds
from abtest.kit.documents import Document, decode, encode
from abtest.kit.errors import FieldError, ValidationFailedError

Dataset = Literal["exposures", "events", "results", "audit"]
Format = Literal["csv", "ndjson", "parquet"]

MAX_DAYS = 92
LINK_SECONDS = 3600
FILE_KEPT = timedelta(days=7)
"""Time for which the file can be downloaded; equals the bucket's lifecycle rule for `exports/`."""

CONTENT_TYPES: Mapping[Format, str] = {
    "csv": "text/csv; charset=utf-8; header=present",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}

BEFORE_MS = DAY_MS
"""Time before the order's begin in which a copy of an event within may have been received: clocks differ."""

AFTER_MS = 22 * DAY_MS
"""Time after the order's end in which its events may be written: 7 days late, 14 in the queue, one for the clocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOrder:
    """Requested export: events that happened at `since` or later and before `until`.

    `results` are of one experiment; for events and exposures the experiment narrows what is exported.
    """

    dataset: Dataset
    format: Format
    since: Timestamp
    until: Timestamp
    experiment_id: str | None = None

    @property
    def since_ms(self) -> int:
        """Return the begin in Unix milliseconds."""
        return parse_milliseconds(self.since)

    @property
    def until_ms(self) -> int:
        """Return the end in Unix milliseconds, which is not part of the period."""
        return parse_milliseconds(self.until)

    def may_hold(self, hour: int) -> bool:
        """Return whether objects of that hour (its Unix milliseconds) can hold rows that the order needs."""
        return self.since_ms - 2 * BEFORE_MS < hour < self.until_ms + AFTER_MS

    def check(self) -> None:
        """Raise ValidationFailedError for fields that contradict each other."""
        problems = []
        if self.since_ms >= self.until_ms:
            problems.append(FieldError("to", "must come after the begin of the export"))
        elif self.until_ms - self.since_ms > MAX_DAYS * DAY_MS:
            problems.append(FieldError("to", f"must be at most {MAX_DAYS} days after the begin of the export"))
        if self.dataset == "audit" and self.format == "parquet":
            problems.append(FieldError("format", "must be csv or ndjson for the audit"))
        if self.dataset == "audit" and self.experiment_id is not None:
            problems.append(
                FieldError("experiment_id", "must be absent for the audit, which is that of the whole shop")
            )
        if self.dataset == "results" and self.experiment_id is None:
            problems.append(FieldError("experiment_id", "must be given for results: they are those of one experiment"))
        if problems:
            raise ValidationFailedError(problems[0].message, fields=problems)


def order_document(order: ExportOrder) -> Document:
    """Return the stored form of an order, which its job keeps."""
    return encode(order)


def order_from(document: Mapping[str, object]) -> ExportOrder:
    """Return the order of a stored form."""
    return decode(ExportOrder, document)


def export_key(shop_id: str, export_id: str, order: ExportOrder) -> str:
    """Return the key of the file in the ledger's bucket."""
    return f"exports/{shop_id}/{export_id}.{order.format}"


def file_name(order: ExportOrder) -> str:
    """Return the name under which the file is downloaded: `events-2026-03-01-2026-03-08.csv`."""
    return f"{order.dataset}-{order.since[:10]}-{order.until[:10]}.{order.format}"
