"""Tables of results that `make demo` prints."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE
from rich.table import Table


def goal_table(goal: Mapping[str, Any]) -> Table:
    """One goal: a line for each variation, narrow enough for eighty columns."""
    table = Table(title=goal["name"], title_justify="left", box=SIMPLE, pad_edge=False, collapse_padding=True)
    table.add_column("variation", no_wrap=True)
    counts_money = any(row["revenue"] is not None for row in goal["rows"])
    amount = "revenue" if counts_money else "rate"
    for heading in ("visitors", "converted", amount, "lift", "95 % interval", "p"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in goal["rows"]:
        table.add_row(row["variation_name"], *_cells(row, counts_money))
    return table


def _cells(row: Mapping[str, Any], counts_money: bool) -> Sequence[str]:
    interval, p_value = row["ci"], row["adjusted_p_value"]
    amount = f"{row['revenue'] or 0:,.0f} {row['currency']}" if counts_money else f"{row['rate'] or 0:.2%}"
    return [
        f"{row['visitors']:,}",
        f"{row['conversions']:,}",
        amount,
        f"{row['lift']:+.1%}" if row["lift"] is not None else "",
        f"{interval['lower']:+.0%} to {interval['upper']:+.0%}" if interval else "",
        f"{p_value:.4f}{' *' if row['is_significant'] else ''}" if p_value is not None else "",
    ]
