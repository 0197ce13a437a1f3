"""SQL of exports: rows taken from the ledger, and the rows of the file."""

from abtest.adapters.warehouse.exposures_sql import IN_SENDERS_ORDER, MOMENTS
from abtest.adapters.warehouse.raw_rows import NAMES, TYPED_NAMES
from abtest.adapters.warehouse.valid_rows_sql import HAPPENED_AT, precedence
from abtest.domain.exports.columns import EXPOSURES, FORMULA_SIGNS
from abtest.domain.exports.order import Dataset
from abtest.domain.ledger.columns import ColumnType
from abtest.domain.ledger.rows import PRECEDENCE

_IN_RANGE = f"shop_id = $shop AND received_at >= $received_since AND {HAPPENED_AT} < $until"

CREATE_TAKEN = f"CREATE TABLE taken ({TYPED_NAMES})"

TAKE_PARQUET = f"""
INSERT INTO taken BY NAME
SELECT COLUMNS(name -> list_contains($columns, name)) FROM read_parquet($files, union_by_name = true)
WHERE {_IN_RANGE}"""  # noqa: S608 - constants

TAKE_RAW = f"INSERT INTO taken SELECT {NAMES} FROM staged WHERE {_IN_RANGE}"  # noqa: S608 - constants

_ORDER = precedence(column for column, _ in PRECEDENCE)

# Few events have copies, and only those are sorted. The first copy in this order is the valid one.
REPEATED = "CREATE TABLE repeated AS SELECT event_id FROM taken GROUP BY event_id HAVING count(*) > 1"

VALID_ROWS = f"""
CREATE VIEW valid_rows AS
WITH once AS (
    SELECT * FROM taken ANTI JOIN repeated USING (event_id)
    UNION ALL
    SELECT * FROM taken SEMI JOIN repeated USING (event_id)
    QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY {_ORDER}) = 1
)
SELECT *, {", ".join(MOMENTS)} FROM once"""  # noqa: S608 - constants

_WITHIN = "happened_at >= {since} AND happened_at < {until}"

_ROWS: dict[Dataset, str] = {
    "events": f"SELECT {NAMES} FROM valid_rows WHERE {{within}} ORDER BY happened_at, event_id",  # noqa: S608 - constants
    "exposures": f"""
SELECT {", ".join(EXPOSURES)} FROM (
    SELECT * EXCLUDE (assignment_epoch), assignment_epoch, min(happened_at) OVER mine AS exposed_at,
        min(variation_id) OVER mine <> max(variation_id) OVER mine AS multiple_exposure,
        row_number() OVER (mine ORDER BY {IN_SENDERS_ORDER}) AS place
    FROM valid_rows
    WHERE {{within}} AND type = 'experiment_viewed' AND NOT qa_mode
        AND experiment_id IS NOT NULL AND variation_id IS NOT NULL
    WINDOW mine AS (PARTITION BY experiment_id, assignment_epoch, visitor_id)
) WHERE place = 1
ORDER BY exposed_at, event_id, experiment_id""",  # noqa: S608 - constants
}

_COPY = {
    "csv": "FORMAT csv, HEADER, NEW_LINE '\\r\\n'",
    "ndjson": "FORMAT json",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}


def rows_of(dataset: Dataset, since: int, until: int, *, of_experiment: bool) -> str:
    """Return the query of a dataset, which reads the experiment's id from the variable `experiment`."""
    within = _WITHIN.format(since=int(since), until=int(until))
    narrowed = " AND experiment_id = getvariable('experiment')" if of_experiment else ""
    return _ROWS[dataset].format(within=within + narrowed)


def copy(query: str, columns: dict[str, ColumnType], file_format: str, path: str) -> str:
    """Return the statement that writes a query's rows to a file and returns their number."""
    shown = ", ".join(_written_column(name, kind, file_format) for name, kind in columns.items())
    target = path.replace("'", "''")
    return f"COPY (SELECT {shown} FROM ({query})) TO '{target}' ({_COPY[file_format]})"  # noqa: S608 - our own texts


def _written_column(name: str, kind: ColumnType, file_format: str) -> str:
    if file_format != "csv" or kind != "text":
        return f'"{name}"'
    # A spreadsheet would evaluate a text that begins with such a sign as a formula; the quote prevents that.
    signs = ", ".join(f"chr({ord(sign)})" for sign in FORMULA_SIGNS)
    return f"""CASE WHEN "{name}"[1] IN ({signs}) THEN '''' || "{name}" ELSE "{name}" END AS "{name}\""""
