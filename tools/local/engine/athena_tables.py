"""Has ministack's Athena read tables of JSON as Athena does: by the table's columns. Runs in ministack's environment.

By itself it guesses types from what the files hold: ids that look like dates become dates, a column that is always
null becomes JSON, an absent one is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Table = dict[str, Any]
MOST_BYTES_OF_A_LINE = 4 * 1024 * 1024


def install() -> None:
    """Change the running engine."""
    from ministack.services import athena

    by_itself: Callable[[Table, list[str]], str] = athena._table_relation

    def relation(table: Table, files: list[str]) -> str:
        return _json(athena, table, files) if athena._data_format(table) == "json" else by_itself(table, files)

    athena._table_relation = relation


def _json(athena: Any, table: Table, files: list[str]) -> str:
    storage = table["StorageDescriptor"]
    columns = ", ".join(f"'{column['Name']}': '{athena._duckdb_type(column)}'" for column in storage["Columns"])
    partitions = athena._hive_options(athena._path_partition_keys(table, files))
    forgiving = (storage.get("SerdeInfo") or {}).get("Parameters", {}).get("ignore.malformed.json") == "true"
    options = f"format = 'newline_delimited', maximum_object_size = {MOST_BYTES_OF_A_LINE}, ignore_errors = {forgiving}"
    return f"read_json({athena._sql_list(files)}, {options}, columns = {{{columns}}}, {partitions})"
