"""`python -m tools.cost`: the table of docs/analytics.md; every assumption is an option (`--help` lists them)."""

from __future__ import annotations

from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

from tools.cost.model import (
    MILLION,
    Assumptions,
    Prices,
    athena_a_day,
    duckdb_a_day,
    most_history,
    prices,
    run_seconds,
    way_of_a_million,
)

VOLUMES = (100_000, 1_000_000, 10_000_000, 100_000_000)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = ArgumentParser(prog="python -m tools.cost", formatter_class=ArgumentDefaultsHelpFormatter)
    for field in fields(Assumptions):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=float, default=field.default, help=" ")
    print("\n".join(report(Assumptions(**vars(parser.parse_args(arguments))), prices())))


def report(given: Assumptions, price: Prices) -> Iterator[str]:
    """Lines of Markdown."""
    way = way_of_a_million(given, price)
    yield "| a million events, from the browser into Parquet | USD |"
    yield "|---|---|"
    yield from (f"| {step} | {dollars:.3f} |" for step, dollars in way.items())
    yield f"| **together** | **{sum(way.values()):.3f}** |"
    yield ""
    at = (f"every {given.rollup_minutes:g} min", f"every {given.athena_minutes:g} min")
    yield (
        f"| counting a million new events, {given.shops:g} shops with {given.experiments:g} experiments of"
        f" {given.experiment_days:g} days | DuckDB, {at[0]} | Athena, {at[1]} | Athena, {at[0]} |"
    )
    yield "|---|---|---|---|"
    for volume in VOLUMES:
        yield _counting(replace(given, events_a_day=volume), price)
    yield ""
    most = most_history(given)
    days = given.experiment_days
    yield (
        f"One process holds about {most / MILLION:.0f} million rows: a shop of {most / days / MILLION:.1f} million"
        f" events a day with experiments of {days:g} days."
    )
    yield (
        f"One run of Athena waits about {run_seconds(given):.0f} s for {given.shops:g} shops, if a query takes"
        f" {given.query_seconds:g} s; the function has 890 s."
    )


def _counting(given: Assumptions, price: Prices) -> str:
    share = MILLION / given.events_a_day
    costs = (
        duckdb_a_day(given, price),
        athena_a_day(given, price),
        athena_a_day(given, price, given.rollup_minutes),
    )
    return f"| {given.events_a_day:,.0f} events a day | " + " | ".join(f"{cost * share:.2f}" for cost in costs) + " |"


if __name__ == "__main__":
    main()
