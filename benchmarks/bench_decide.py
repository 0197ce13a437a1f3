"""Deciding for a visitor through 100 experiments with URL and audience rules, beside GrowthBook's Python package.

Both are asked about the same visitors, addresses, experiments, splits and conditions, and must give the same
variations. GrowthBook's package has no URL rules for experiments, so there the address is an attribute and the rule a
condition with `$regex`; one instance is told the next visitor's attributes, its cheapest use. We also say which
experiments a visitor is in elsewhere (assignments that only attribute goals); that work is in our time.
"""

import statistics
import time
from random import Random
from typing import Any

from growthbook import Experiment, GrowthBook

from abtest.domain.assignment.allocation import ranges
from abtest.domain.assignment.decide import Decision, Prepared, Visitor, decide, prepare
from abtest.domain.assignment.hash import fold
from abtest.domain.targeting.urls import compile_rule
from benchmarks.harness import Comparison, compare, line, milliseconds, peak_megabytes
from tests.support.any_json import any_json

EXPERIMENTS = 100
VISITORS = 500
WEIGHTS = [0.5, 0.5]
COVERAGE = 0.8
COUNTRIES = ["DE", "AT", "CH", "FR", "IT", "ES", "NL", "SE"]
DEVICES = ["mobile", "desktop", "tablet"]
SECTIONS = ["shoes", "shirts", "sale", "hats", "new"]
NOW = 1_766_275_200_000

Shopper = tuple[dict[str, Any], str]


def condition(number: int) -> dict[str, Any]:
    """An audience of three comparisons that about half of the shoppers meet."""
    countries = [COUNTRIES[(number + step) % len(COUNTRIES)] for step in range(6)]
    return {
        "country": {"$in": countries},
        "device": {"$ne": DEVICES[number % len(DEVICES)]},
        "visits": {"$gte": number % 3},
    }


def key(number: int) -> str:
    """The id of an experiment, as long as ours are."""
    return f"0191f5a0-7b3c-7def-8123-{number:012d}"


def ours(number: int) -> dict[str, Any]:
    """One experiment of the published config."""
    cuts = ranges(WEIGHTS, COVERAGE)
    rule = compile_rule("simple", f"https://shop.example/{SECTIONS[number % len(SECTIONS)]}/*")
    return {
        "id": key(number),
        "epoch": 1,
        "state": fold(key(number)),
        "pages": {"mode": "any", "in": [{"include": [rule]}], "out": []},
        "audience": {"mode": "any", "in": [condition(number)], "out": []},
        "variations": [{"id": str(index), "range": list(cut)} for index, cut in enumerate(cuts)],
    }


def theirs(number: int) -> Experiment[int]:
    """The same experiment, as GrowthBook has it."""
    source = rf"^https://shop\.example/{SECTIONS[number % len(SECTIONS)]}/"
    return Experiment(
        key=key(number),
        variations=[0, 1],
        weights=WEIGHTS,
        coverage=COVERAGE,
        condition={**condition(number), "url": {"$regex": source}},
        hashVersion=2,
    )


def shoppers() -> list[Shopper]:
    """Attributes, id among them, and address of each shopper."""
    random = Random(20260101)
    return [
        (
            {
                "id": f"{random.getrandbits(128):032x}",
                "country": random.choice(COUNTRIES),
                "device": random.choice(DEVICES),
                "visits": random.randrange(10),
            },
            f"https://shop.example/{random.choice(SECTIONS)}/{random.randrange(10_000)}?utm_source=newsletter",
        )
        for _ in range(VISITORS)
    ]


def our_answer(prepared: Prepared, shopper: Shopper) -> Decision:
    """All that we decide about a shopper."""
    attributes, url = shopper
    return decide(prepared, Visitor(id=attributes["id"], attributes=attributes), url, NOW)


def their_answer(sdk: GrowthBook, experiments: list[Experiment[int]], shopper: Shopper) -> dict[str, int]:
    """The variations that GrowthBook puts a shopper into."""
    attributes, url = shopper
    sdk.set_attributes({**attributes, "url": url})
    results = [(each.key, sdk.run(each)) for each in experiments]
    return {name: result.variationId for name, result in results if result.inExperiment}


def slowest(prepared: Prepared, everybody: list[Shopper]) -> float:
    """The 99th percentile of single decisions, in seconds."""
    times = []
    for shopper in everybody * 4:
        begun = time.perf_counter()
        our_answer(prepared, shopper)
        times.append(time.perf_counter() - begun)
    return statistics.quantiles(times, n=100)[98]


def measured() -> Comparison:
    """Seconds a visitor of both sides, in turn, after they have given the same variations to a hundred visitors."""
    everybody = shoppers()
    prepared = prepare(any_json({"experiments": [ours(number) for number in range(EXPERIMENTS)]}))
    sdk = GrowthBook()
    experiments = [theirs(number) for number in range(EXPERIMENTS)]
    for shopper in everybody[:100]:
        active = {a.experiment["id"]: a.index for a in our_answer(prepared, shopper).assignments if a.active}
        assert active == their_answer(sdk, experiments, shopper)
    turn, other_turn = iter(everybody * 1000), iter(everybody * 1000)
    return compare(
        lambda: our_answer(prepared, next(turn)),
        lambda: their_answer(sdk, experiments, next(other_turn)),
        repeat=50,
    )


def main() -> None:
    found = measured()
    prepared = prepare(any_json({"experiments": [ours(number) for number in range(EXPERIMENTS)]}))
    print(f"Deciding through {EXPERIMENTS} experiments with URL and audience rules, one core (aim: ratio 20 or more)")
    line(
        "visitors a second",
        f"{1 / found.ours:,.0f}",
        "growthbook (Python), same variations",
        f"{1 / found.baseline:,.0f}",
        1 / found.ratio,
    )
    p99 = slowest(prepared, shoppers())
    print(f"  warm decision, p99 {milliseconds(p99)} (aim: under 5 ms); peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()
