"""Columns of the files of each dataset."""

from collections.abc import Mapping
from typing import Final

from abtest.domain.ledger.columns import COLUMNS, ColumnType

EVENTS: Final[Mapping[str, ColumnType]] = COLUMNS
"""The ledger's own columns. `data` is a text of JSON; times are Unix milliseconds, money is in minor units."""

EXPOSURES: Final[Mapping[str, ColumnType]] = {
    "experiment_id": "text",
    "assignment_epoch": "integer",
    "visitor_id": "text",
    "variation_id": "text",
    "exposed_at": "integer",
    "event_id": "text",
    "device": "text",
    "country": "text",
    "visitor_kind": "text",
    "source": "text",
    "multiple_exposure": "flag",
}
"""A visitor's first exposure in each experiment and assignment epoch; `multiple_exposure`: also seen in another one."""

RESULTS: Final[Mapping[str, ColumnType]] = {
    "experiment_id": "text",
    "measurement_epoch": "integer",
    "date": "text",
    "goal_id": "text",
    "goal_name": "text",
    "variation_id": "text",
    "variation_name": "text",
    "visitors": "integer",
    "converters": "integer",
    "count": "integer",
    "sum": "integer",
    "sum_squares": "text",
    "currency": "text",
    "denominator_sum": "integer",
    "denominator_sum_squares": "text",
    "sum_products": "text",
    "generation": "integer",
}
"""By UTC day of the first exposure. `sum` is money in minor units of `currency` for goals with money, else `count`;
`sum_squares` sums the squares of visitors' totals, decimal digits that may outgrow 64 bits. Of a ratio `sum` is Σy of
the numerator; Σx, Σx² and Σxy of its denominator have columns of their own, null for other goals. Items are in
hundredths."""

AUDIT: Final[Mapping[str, ColumnType]] = {
    "id": "text",
    "created_at": "text",
    "user_id": "text",
    "action": "text",
    "entity_type": "text",
    "entity_id": "text",
    "entity_name": "text",
    "diff": "text",
}
"""Changes of the shop, oldest first. `diff` is a text of JSON."""

FORMULA_SIGNS: Final = "=+-@\t\r\n"
"""A spreadsheet takes a text that begins with one of these for a formula; in CSV an apostrophe goes before it."""
