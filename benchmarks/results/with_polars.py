"""Polars, lazy and streaming: totals by goal and variation, without refunds, judged goals and other currencies."""

import sys

import polars as pl
from polars import col

from benchmarks.results.cost import measured

NULLS = {
    "received_at": 0, "ts": 0, "type": "", "visitor_id": "", "experiment_id": "", "variation_id": "",
    "assignment_epoch": 0, "goal_id": "", "event_name": "", "order_id": "", "revenue_minor": -1, "currency": "",
    "shop_revenue_minor": -1, "shop_currency": "", "cohort": "", "holdout_config_epoch": 0, "qa_mode": False,
}  # fmt: skip
"""What orders copies, with what null compares as: of copies that differ in anything the same one counts as in ours."""

ORDER = [col(name).fill_null(null) for name, null in NULLS.items()]
BEGINS = 1_766_275_200_000
MINE = (col.shop_id == "shop") & (col.received_at >= BEGINS)
COUNTS = ~col.qa_mode & (col.ts >= BEGINS)
MATTERS = COUNTS & (
    (
        (col.type == "experiment_viewed")
        & (col.experiment_id == "experiment")
        & col.variation_id.is_in(["variation-0", "variation-1"])
        & (col.assignment_epoch.is_null() | (col.assignment_epoch == 1))
    )
    | (col.type == "order")
    | ((col.type == "goal") & (col.goal_id == "click"))
    | ((col.type == "custom") & (col.event_name == "add_to_cart"))
)
GOAL = pl.when(col.type == "order").then(pl.lit("revenue")).when(col.type == "goal").then(pl.lit("click"))
WEEK = 7 * 86_400_000


def counted(folder: str) -> list[list[object]]:
    """Rows of the answer."""
    events = pl.scan_parquet(f"{folder}/*.parquet").filter(MINE).select("event_id", *NULLS)
    repeated = (
        events.group_by("event_id").len().filter(col.len > 1).select("event_id").collect(engine="streaming").lazy()
    )
    once = events.filter(MATTERS).join(repeated, on="event_id", how="anti")
    copies = events.join(repeated, on="event_id", how="semi").sort(ORDER)
    copies = copies.unique("event_id", keep="first", maintain_order=True).filter(MATTERS)
    kept = pl.concat([once, copies]).with_columns(
        at=pl.min_horizontal("ts", "received_at"), goal=GOAL.otherwise(pl.lit("cart"))
    )
    kept = kept.select("event_id", "type", "visitor_id", "at", "goal", "variation_id", "order_id", "revenue_minor")
    kept = kept.collect(engine="streaming").lazy()
    exposures = kept.filter(col.type == "experiment_viewed").group_by("visitor_id")
    exposures = exposures.agg(exposed_at=col.at.min(), variation=col.variation_id.min(), last=col.variation_id.max())
    exposures = exposures.collect(engine="streaming").lazy()
    faithful = exposures.filter(col.variation == col("last"))
    hits = kept.filter(col.type != "experiment_viewed")
    orders = (
        hits.filter(col.type == "order").sort("at", "event_id").unique("order_id", keep="first", maintain_order=True)
    )
    worth = pl.when(col.type == "order").then(col.revenue_minor).otherwise(1)
    totals = (
        pl.concat([hits.filter(col.type != "order"), orders])
        .join(faithful, on="visitor_id")
        .filter((col.at >= col.exposed_at) & (col.at < col.exposed_at + WEEK))
        .group_by("goal", "variation", "visitor_id")
        .agg(hits=pl.len(), total=worth.sum())
        .group_by("goal", "variation")
        .agg(
            converters=pl.len(),
            hits=col.hits.sum(),
            total=col("total").sum(),
            squares=(col("total").cast(pl.Int128) * col("total")).sum(),
        )
        .collect(engine="streaming")
    )
    visitors = faithful.group_by("variation").len().collect(engine="streaming")
    aside = exposures.filter(col.variation != col("last")).select(pl.len()).collect(engine="streaming").item()
    rows: list[list[object]] = [["visitors", *row] for row in visitors.iter_rows()]
    return [*rows, ["aside", "", aside], *(list(row) for row in totals.iter_rows())]


def main(folder: str) -> None:
    """Print what was rows, and what it took."""
    print(measured(lambda: counted(folder)))


if __name__ == "__main__":
    main(sys.argv[1])
