"""SQL fragments for both DuckDB and Athena (Trino): literals, lists, tables of constants."""

from collections.abc import Iterable, Mapping, Sequence

Literal = str | int | bool
Table = tuple[str, str]
"""Name of a table in a statement, and its query."""

AMOUNT = "DECIMAL(38, 0)"
"""Type of sums of money, with as many digits as both dialects support."""


def literal(value: Literal) -> str:
    """Return a value as a literal. NUL, which literals cannot contain and the ledger never has, is replaced."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        # Both dialects type a small number as INTEGER, whose products can overflow.
        return f"CAST({value} AS BIGINT)"
    return "'" + value.replace("'", "''").replace("\0", "\ufffd") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """Return the condition that a column has one of the values; false without values."""
    listed = ", ".join(literal(value) for value in sorted(set(values)))
    return f"{column} IN ({listed})" if listed else "FALSE"


def any_of(conditions: Iterable[str]) -> str:
    """Return the condition that one of the conditions holds; false without conditions."""
    return "(" + (" OR ".join(f"({condition})" for condition in conditions) or "FALSE") + ")"


def constants(columns: Sequence[str], rows: Iterable[Sequence[Literal]]) -> str:
    """Return a query for these rows. There must be at least one."""
    lines = ", ".join("(" + ", ".join(literal(value) for value in row) + ")" for row in rows)
    return f"SELECT * FROM (VALUES {lines}) AS constants ({', '.join(columns)})"  # noqa: S608 - literals alone


def values(columns: Mapping[str, Literal], rows: Iterable[Sequence[Literal]]) -> str:
    """Return a query for many rows in little text. Columns have the types of these examples, the row without rows."""
    # One cast for a column instead of one for each number.
    types = {bool: "BOOLEAN", int: "BIGINT", str: "VARCHAR"}
    cast = ", ".join(f"CAST({name} AS {types[type(example)]}) AS {name}" for name, example in columns.items())
    lines = ", ".join(f"({', '.join(map(_short, row))})" for row in [*rows] or [tuple(columns.values())])
    return f"SELECT {cast} FROM (VALUES {lines}) AS listed ({', '.join(columns)})"  # noqa: S608 - literals alone


def _short(value: Literal) -> str:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else literal(value)


def with_tables(tables: Iterable[Table], query: str) -> str:
    """Return the query with named tables before it. A table may use the ones before itself."""
    named = ",\n".join(f"{name} AS (\n{text.strip()}\n)" for name, text in tables)
    return f"WITH {named}\n{query.strip()}"


def whole(number: str, unit: int) -> str:
    """Return the expression for the whole units in a number."""
    # The remainder is subtracted first, because the dialects round quotients differently.
    return f"CAST(({number} - mod({number}, {unit})) / {unit} AS BIGINT)"
