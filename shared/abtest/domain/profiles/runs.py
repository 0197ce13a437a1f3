"""Runs of a shop's profile: how often they begin, and what they report."""

from collections.abc import Mapping
from dataclasses import dataclass

from abtest.kit.documents import Document, decode, encode
from abtest.kit.errors import ServiceError


class RunInProgressError(ServiceError):
    """Run of the shop that has not ended; the body names it."""

    status = 409
    code = "conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """Page that a run requested: its status, or the problem for which it was not read."""

    kind: str
    url: str
    status: int | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """Progress of a run, and the pages that it has requested. `url` is the one that it requests now."""

    done: int = 0
    of: int = 0
    url: str | None = None
    pages: tuple[RunPage, ...] = ()

    @property
    def percent(self) -> int:
        """Return the progress in percent."""
        return 100 * self.done // max(1, self.of)


def report_document(report: RunReport) -> Document:
    """Return the stored form, which is the result of a job."""
    return encode(report)


def report_from(document: Mapping[str, object]) -> RunReport:
    """Return the report of a stored form; an empty one for a job without a result."""
    return decode(RunReport, document)
