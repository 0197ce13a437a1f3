"""Exports on the wire."""

from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from abtest.contract.base import ABSENT, Confidential, DateTime, Id, Input, Moment, Output, Reference
from abtest.domain.exports.order import Dataset, Format
from abtest.domain.jobs.model import JobStatus

_EXAMPLE: dict[str, Any] = {
    "dataset": "events",
    "format": "csv",
    "from": "2026-03-01T00:00:00Z",
    "to": "2026-03-08T00:00:00Z",
}


FIRST_YEAR, LAST_YEAR = 2000, 2199
"""The ledger names its objects by the hour. Outside these years there are none, and names do not sort by time."""


def within_ledger_years(moment: str) -> str:
    """Return the moment unchanged. Raises PydanticCustomError when the ledger cannot have its year."""
    # `Moment` has already rewritten it to UTC, so the first four characters are the year that counts.
    if not FIRST_YEAR <= int(moment[:4]) <= LAST_YEAR:
        raise PydanticCustomError("date_time", "must be a date-time of the years 2000 to 2199")
    return moment


End = Annotated[Moment, AfterValidator(within_ledger_years)]


class ExportInput(Input):
    """Data from `from` (included) to `to` (excluded), at most 92 days.

    `events` are the rows of the ledger, each once, QA events included. `exposures` has the first exposure of each
    visitor, experiment and assignment epoch in the period, without QA events; `multiple_exposure` marks visitors seen
    in two variations. `results` has the figures of one experiment by goal, variation and UTC day of first exposure.
    `audit` has the changes of the shop, oldest first, as csv or ndjson; it needs the scope `audit:read` as well.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    dataset: Dataset
    format: Format
    from_: Annotated[End, Field(alias="from")]
    to: End
    experiment_id: Annotated[
        Reference | None, Field(description="Restrict to this experiment, by id or public id; required for results.")
    ] = ABSENT


class Export(Output):
    """An export. Anyone with `url` can download the file for an hour; files are kept for seven days, exports for 30."""

    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)

    id: Id
    status: JobStatus
    progress: Annotated[int, Field(ge=0, le=100, description="Percent.")]
    rows: Annotated[int | None, Field(description="Rows of the file, without the header; null until it is complete.")]
    url: Annotated[str | None, Confidential()]
    url_expires_at: DateTime | None
    dataset: Dataset
    format: Format
    from_: Annotated[DateTime, Field(alias="from")]
    to: DateTime
    experiment_id: Id | None
    created_at: DateTime
    completed_at: Annotated[DateTime | None, Field(description="End of the export, successful or not.")]
    error: Annotated[str | None, Field(description="Reason of the failure.")]
