"""Words of SQL that DuckDB and Athena (Trino) both understand: literals, lists, tables of constants."""

from collections.abc import Iterable, Sequence

Literal = str | int | bool
Table = tuple[str, str]
"""A name, and the query that stands for it."""

AMOUNT = "DECIMAL(38, 0)"
"""Sums of money: as many digits as either dialect has."""


def literal(value: Literal) -> str:
    """A constant. Texts cannot hold NUL: the ledger has none, so what asks for one finds nothing."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return f"CAST({value} AS BIGINT)"
    return "'" + value.replace("'", "''").replace("\0", "\ufffd") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """Whether the column is one of the texts; of none, never."""
    listed = ", ".join(literal(value) for value in sorted(set(values)))
    return f"{column} IN ({listed})" if listed else "FALSE"


def any_of(conditions: Iterable[str]) -> str:
    """Whether one of the conditions holds; of none, never."""
    return "(" + (" OR ".join(f"({condition})" for condition in conditions) or "FALSE") + ")"


def constants(columns: Sequence[str], rows: Iterable[Sequence[Literal]]) -> str:
    """A query whose answer is these rows, at least one."""
    lines = ", ".join("(" + ", ".join(literal(value) for value in row) + ")" for row in rows)
    return f"SELECT * FROM (VALUES {lines}) AS constants ({', '.join(columns)})"  # noqa: S608 - literals alone


def with_tables(tables: Iterable[Table], query: str) -> str:
    """The query with named tables before it, each of which may use those before itself."""
    named = ",\n".join(f"{name} AS (\n{text.strip()}\n)" for name, text in tables)
    return f"WITH {named}\n{query.strip()}"


def whole(number: str, unit: int) -> str:
    """How many whole units there are in a number: divided without remainder, for the dialects round differently."""
    return f"CAST(({number} - mod({number}, {unit})) / {unit} AS BIGINT)"
