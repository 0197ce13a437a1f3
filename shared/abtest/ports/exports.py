"""Writer of export files from ledger objects, and the store from which customers download them."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from abtest.domain.exports.order import ExportOrder
from abtest.domain.ledger.columns import ColumnType
from abtest.domain.ledger.objects import ShopFiles


class ExportTooLargeError(Exception):
    """Export whose rows do not fit on the worker's disk or into its memory."""


class ExportFile(Protocol):
    """Export file while it is written.

    Long calls yield now and then, so that the caller can stop them by closing the generator. All calls may raise
    ExportTooLargeError; those that read the ledger also LedgerObjectError and BlobsUnavailableError.
    """

    @property
    def path(self) -> Path:
        """Path of the file once it is written."""
        ...

    def take(self, files: ShopFiles) -> None:
        """Copy the rows that the order may need from these objects to disk. Memory does not grow with their number."""
        ...

    def write(self) -> Generator[None, None, None]:
        """Write the rows that were taken, sorted by time and event id, with the valid one of each event's copies."""
        ...

    def write_records(self, columns: Mapping[str, ColumnType], records: Iterable[Mapping[str, Any]]) -> None:
        """Write these records, in their order, instead of rows of the ledger."""
        ...

    def rows(self) -> int:
        """Return the number of rows in the file."""
        ...


class ExportWorkshop(Protocol):
    """Factory of export files."""

    def open(self, shop_id: str, order: ExportOrder) -> AbstractContextManager[ExportFile]:
        """Open a file in a directory of its own, which is deleted when the context ends."""
        ...


class ExportStore(Protocol):
    """Store of finished files, which anyone with a link can download."""

    def store(self, key: str, path: Path, *, content_type: str) -> Generator[int, None, None]:
        """Upload a file of any size; yield the bytes sent after each part. The object exists only after the last."""
        ...

    def size(self, key: str) -> int | None:
        """Return the size of the stored file in bytes, or None when there is none."""
        ...

    def link(self, key: str, *, file_name: str, seconds: int) -> str:
        """Return a URL that downloads the file under `file_name`, without credentials, for so many seconds."""
        ...
