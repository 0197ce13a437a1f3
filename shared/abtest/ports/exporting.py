"""What exports are made with: a workshop that turns ledger objects into a file, and the store that hands files out."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from abtest.domain.exports.order import ExportOrder
from abtest.domain.ledger.columns import ColumnType


class ExportTooLargeError(Exception):
    """The rows do not fit on the worker's disk or into its memory."""


class ExportFile(Protocol):
    """One file in the making. What takes long yields now and then, so that the caller can say that it lives, and stops
    when it is closed.

    All may raise ExportTooLargeError; those that read the ledger LedgerObjectError and BlobsUnavailableError.
    """

    @property
    def path(self) -> Path:
        """Where the file lies once it is written."""
        ...

    def take(self, parquet: Sequence[str], raw: Sequence[str]) -> None:
        """Set the rows of these objects aside, as far as the order may need them. Memory does not grow with them."""
        ...

    def write(self) -> Generator[None, None, None]:
        """Write what was set aside, of copies the one that stands, by time and event id."""
        ...

    def write_records(self, columns: Mapping[str, ColumnType], records: Iterable[Mapping[str, Any]]) -> None:
        """Write these records instead, in their order."""
        ...

    def rows(self) -> int:
        """How many rows the file holds."""
        ...


class ExportWorkshop(Protocol):
    """Where files are made."""

    def open(self, shop_id: str, order: ExportOrder) -> AbstractContextManager[ExportFile]:
        """Room for one file, cleared when the context ends."""
        ...


class ExportStore(Protocol):
    """Files that can be had by whoever has their link."""

    def store(self, key: str, path: Path, *, content_type: str) -> Generator[int, None, None]:
        """Upload a file of any size; the bytes that are there after each part. Nothing is stored before the last."""
        ...

    def size(self, key: str) -> int | None:
        """How many bytes are stored, None for nothing."""
        ...

    def link(self, key: str, *, file_name: str, seconds: int) -> str:
        """An address that gives the file to anybody, for so long."""
        ...
