"""`python -m tools.cost`: the table of docs/analytics.md; every assumption is an option (`--help` lists them)."""

from __future__ import annotations

from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

from abtest.domain.ledger.partitions import MOST_PARTITIONS, MOST_ROWS
from tools.cost.audit import Auditing, audit_by_scale
from tools.cost.counting import Counting
from tools.cost.large import Large, counting_of_one_shop
from tools.cost.model import (
    MILLION,
    WORKERS,
    Assumptions,
    Prices,
    athena_a_day,
    most_history,
    prices,
    run_seconds,
    shop_seconds,
    way_of_a_million,
)
from tools.cost.scales import counting_by_parts, counting_by_scale, counting_by_settings, whole

KINDS = (Assumptions, Counting, Auditing, Large)
VOLUMES = (100_000, 1_000_000, 10_000_000, 100_000_000)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = ArgumentParser(prog="python -m tools.cost", formatter_class=ArgumentDefaultsHelpFormatter)
    for field in (field for kind in KINDS for field in fields(kind)):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=float, default=field.default, help=" ")
    given = vars(parser.parse_args(arguments))
    values = [{field.name: given[field.name] for field in fields(kind)} for kind in KINDS]
    others = Counting(**values[1]), Auditing(**values[2]), Large(**values[3])
    print("\n".join(report(Assumptions(**values[0]), prices(), *others)))


def report(
    given: Assumptions,
    price: Prices,
    counting: Counting | None = None,
    auditing: Auditing | None = None,
    large: Large | None = None,
) -> Iterator[str]:
    """Lines of Markdown."""
    way = way_of_a_million(given, price)
    yield "| a million events, from the browser into Parquet | USD |"
    yield "|---|---|"
    yield from (f"| {step} | {dollars:.3f} |" for step, dollars in way.items())
    yield f"| **together** | **{sum(way.values()):.3f}** |"
    yield ""
    counting = counting or Counting()
    yield from counting_by_scale(counting, price)
    yield ""
    yield from counting_by_parts(counting, price)
    yield ""
    yield from counting_by_settings(counting, price)
    yield ""
    yield from audit_by_scale(auditing or Auditing(), counting, price)
    yield ""
    own = replace(
        counting,
        counting_shops=given.shops,
        counting_experiments=given.experiments,
        counting_days=given.experiment_days,
    )
    at = (f"every {given.rollup_minutes:g} min", f"every {given.athena_minutes:g} min")
    yield (
        f"| counting a million new events, {given.shops:g} shops with {given.experiments:g} experiments of"
        f" {given.experiment_days:g} days | DuckDB | Athena, {at[1]} | Athena, {at[0]} |"
    )
    yield "|---|---|---|---|"
    for volume in VOLUMES:
        yield _counting(replace(given, events_a_day=volume), price, own)
    yield ""
    yield from counting_of_one_shop(large or Large(), own, given, price)
    yield ""
    most, held = MOST_PARTITIONS * MOST_ROWS, own.held(1)
    yield (
        f"One worker could hold about {most_history(given) / MILLION:.0f} million rows of one shop. A shop is divided"
        f" beyond {MOST_ROWS / MILLION:g} million, into at most {MOST_PARTITIONS} partitions, so it ends near"
        f" {most / MILLION:.0f} million rows: {most / held / MILLION:.0f} million events a day with experiments of"
        f" {given.experiment_days:g} days."
    )
    yield (
        f"A worker waits {shop_seconds(given):.0f} s for Athena's answers about a shop, if a query takes"
        f" {given.query_seconds:g} s; {WORKERS} workers count {given.shops:g} shops in {run_seconds(given):.0f} s."
    )


def _counting(given: Assumptions, price: Prices, own: Counting) -> str:
    share = MILLION / given.events_a_day
    costs = (
        whole(own, given.events_a_day, price),
        athena_a_day(given, price),
        athena_a_day(given, price, given.rollup_minutes),
    )
    return f"| {given.events_a_day:,.0f} events a day | " + " | ".join(f"{cost * share:.2f}" for cost in costs) + " |"


if __name__ == "__main__":
    main()
