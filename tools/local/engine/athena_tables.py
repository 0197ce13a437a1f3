"""Has ministack's Athena read tables of JSON as Athena does, and know UNLOAD. Runs in ministack's environment.

By itself it guesses the types of JSON from what the files hold, not from the table's columns: ids that look like dates
become dates, a column that is always null becomes JSON, an absent one is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

Table = dict[str, Any]
Answer = dict[str, Any]
MOST_BYTES_OF_A_LINE = 4 * 1024 * 1024
UNLOAD = re.compile(
    r"\s*UNLOAD\s*\((?P<query>.*)\)\s*TO\s*'s3://(?P<bucket>[^/']+)/(?P<prefix>[^']+/)'"
    r"\s*WITH\s*\(\s*format\s*=\s*'PARQUET'\s*\)\s*",
    re.DOTALL | re.IGNORECASE,
)


def install() -> None:
    """Change the running engine."""
    from ministack.services import athena

    by_itself: Callable[[Table, list[str]], str] = athena._table_relation

    def relation(table: Table, files: list[str]) -> str:
        return _json(athena, table, files) if athena._data_format(table) == "json" else by_itself(table, files)

    athena._table_relation = relation

    answered: Callable[..., Awaitable[Answer]] = athena._run_duckdb

    async def run(query: str, *context: Any) -> Answer:
        unload = UNLOAD.fullmatch(query)
        return await answered(query, *context) if unload is None else await _unloaded(answered, unload, *context)

    athena._run_duckdb = run


async def _unloaded(answered: Callable[..., Awaitable[Answer]], unload: re.Match[str], *context: Any) -> Answer:
    """As one Parquet file; like Athena it takes an empty target only."""
    from ministack.services import s3

    bucket, prefix = unload["bucket"], unload["prefix"]
    if any(key.startswith(prefix) for key in s3._buckets[bucket]["objects"]):
        raise ValueError(f"HIVE_PATH_ALREADY_EXISTS: Target directory for table already exists: s3://{bucket}/{prefix}")
    with TemporaryDirectory() as folder:
        file = Path(folder, "part.parquet")
        await answered(f"COPY ({unload['query']}) TO '{file}' (FORMAT parquet)", *context)
        content = file.read_bytes()
    status, _, body = s3._put_object(bucket, f"{prefix}{file.name}", content, {"content-length": str(len(content))})
    if status >= 300:
        raise ValueError(body.decode())
    return {"columns": [], "rows": [], "column_types": []}


def _json(athena: Any, table: Table, files: list[str]) -> str:
    storage = table["StorageDescriptor"]
    columns = ", ".join(f"'{column['Name']}': '{athena._duckdb_type(column)}'" for column in storage["Columns"])
    partitions = athena._hive_options(athena._path_partition_keys(table, files))
    forgiving = (storage.get("SerdeInfo") or {}).get("Parameters", {}).get("ignore.malformed.json") == "true"
    options = f"format = 'newline_delimited', maximum_object_size = {MOST_BYTES_OF_A_LINE}, ignore_errors = {forgiving}"
    return f"read_json({athena._sql_list(files)}, {options}, columns = {{{columns}}}, {partitions})"
