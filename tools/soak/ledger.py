"""Stored events: distinct events of a shop in the ledger's bucket, counted from raw objects and from Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

OBJECTS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Stored:
    """Rows with their copies, and distinct events."""

    rows: int
    distinct: int


class Bucket:
    """The ledger's bucket of a running stack."""

    def __init__(self, s3: Any, name: str) -> None:
        self._s3 = s3
        self._name = name

    def raw(self, shop_id: str) -> Stored:
        """Out of the objects that workers wrote."""
        source = "read_json($files, format = 'newline_delimited', columns = {event_id: 'VARCHAR', shop_id: 'VARCHAR'})"
        return self._count("raw/", source, shop_id)

    def parquet(self, shop_id: str) -> Stored:
        """Out of what compaction made of them."""
        return self._count(f"events/shop={shop_id}/", "read_parquet($files)", shop_id)

    def _count(self, prefix: str, source: str, shop_id: str) -> Stored:
        with TemporaryDirectory(prefix="soak-") as folder, duckdb.connect() as database:
            database.execute("CREATE TABLE ids (event_id VARCHAR)")
            for files in self._files(prefix, Path(folder)):
                database.execute(
                    f"INSERT INTO ids SELECT event_id FROM {source} WHERE shop_id = $shop",  # noqa: S608 - our own text
                    {"files": [str(path) for path in files], "shop": shop_id},
                )
            ((rows, distinct),) = database.execute("SELECT count(*), count(DISTINCT event_id) FROM ids").fetchall()
        return Stored(rows, distinct)

    def _files(self, prefix: str, folder: Path) -> Iterator[Sequence[Path]]:
        pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._name, Prefix=prefix)
        keys = [entry["Key"] for page in pages for entry in page.get("Contents", ())]
        for start in range(0, len(keys), OBJECTS_AT_ONCE):
            with self._downloaded(keys[start : start + OBJECTS_AT_ONCE], folder) as paths:
                yield paths

    @contextmanager
    def _downloaded(self, keys: Sequence[str], folder: Path) -> Iterator[Sequence[Path]]:
        paths = []
        for number, key in enumerate(keys):
            path = folder / f"{number}{''.join(Path(key).suffixes[-2:])}"
            path.write_bytes(self._s3.get_object(Bucket=self._name, Key=key)["Body"].read())
            paths.append(path)
        yield paths
        for path in paths:
            path.unlink()
