"""Deciding through 100 experiments: in Node beside GrowthBook and Amplitude, in Python beside GrowthBook's package.

Node: one process, the sides in turn, the same visitors; ours and GrowthBook must give the same variations. GrowthBook
is asked in both its ways (one instance that is told the next visitor's attributes, and its client for servers), and the
better one counts. Amplitude's engine hashes otherwise, so it is held to shares, not to answers.
"""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

from benchmarks import bench_decide
from benchmarks.bench_decide import EXPERIMENTS, SECTIONS, WEIGHTS
from benchmarks.storefront.peers import HERE
from benchmarks.storefront.report import Amount, Row, median

SOURCE = HERE.parents[1] / "shared/abtest/storefront/src"
NODE_AIM = 30_000
PYTHON_AIM = 1_500
ROUND_MS = 200
Json = dict[str, Any]


def rows(quick: bool) -> Iterator[Row]:
    """Node without and with rules, then Python with rules."""
    for what, rules in (("no rules", False), ("address and audience rules", True)):
        yield _node(what, rules, 5 if quick else 15)
    yield _python()


def _node(what: str, rules: bool, rounds: int) -> Row:
    asked = _questions(rules) | {"rounds": rounds, "milliseconds": ROUND_MS}
    answer = subprocess.run(
        ["node", "evaluate.mjs"], cwd=HERE, input=json.dumps(asked), check=True, stdout=subprocess.PIPE, text=True
    )
    found = json.loads(answer.stdout)
    speeds = {name: median(values, "users/s") for name, values in found["speeds"].items()}
    theirs = max(speeds["growthbook"], speeds["growthbook_client"], key=lambda each: each.value)
    ours, best = speeds["ours"], max(theirs.value, speeds["amplitude"].value)
    aim, wanted = ("as fast as the fastest", best) if rules else (f">= {NODE_AIM:,} users/s", NODE_AIM)
    return Row(
        f"{EXPERIMENTS} experiments in Node, {what}",
        ours,
        [("GrowthBook", theirs), ("Amplitude", speeds["amplitude"])],
        ours.value / best,
        aim,
        ours.value >= wanted,
        f"a second of the processor; median of {rounds} rounds of {ROUND_MS} ms in turn; {found['megabytes']:.0f} MB "
        "for all three together",
    )


def _questions(rules: bool) -> Json:
    numbers = range(EXPERIMENTS)
    ours = [_without(bench_decide.ours(number), rules, "pages", "audience") for number in numbers]
    everybody = [{"attributes": attributes, "url": url} for attributes, url in bench_decide.shoppers()]
    return {
        "source": str(SOURCE),
        "parts": [name for name in ("weekdays", "audiences") if (SOURCE / f"{name}.js").exists()],
        "config": {"experiments": ours},
        "growthbook": [_growthbook(number, rules) for number in numbers],
        "amplitude": [_amplitude(number, rules) for number in numbers],
        "shoppers": everybody,
    }


def _without(whole: Json, rules: bool, *names: str) -> Json:
    return whole if rules else {name: value for name, value in whole.items() if name not in names}


def _growthbook(number: int, rules: bool) -> Json:
    address = {"$regex": rf"^https://shop\.example/{SECTIONS[number % len(SECTIONS)]}/"}
    whole = {
        "key": bench_decide.key(number),
        "variations": [0, 1],
        "weights": WEIGHTS,
        "coverage": bench_decide.COVERAGE,
        "hashVersion": 2,
        "condition": {**bench_decide.condition(number), "url": address},
    }
    return _without(whole, rules, "condition")


def _amplitude(number: int, rules: bool) -> Json:
    asked = bench_decide.condition(number)
    conditions = [
        {"selector": ["context", "user", "country"], "op": "is", "values": asked["country"]["$in"]},
        {"selector": ["context", "user", "device"], "op": "is not", "values": [asked["device"]["$ne"]]},
        {"selector": ["context", "user", "visits"], "op": "greater or equal", "values": [str(asked["visits"]["$gte"])]},
        {
            "selector": ["context", "user", "url"],
            "op": "contains",
            "values": [f"shop.example/{SECTIONS[number % len(SECTIONS)]}/"],
        },
    ]
    share = int(100 * bench_decide.COVERAGE)
    halves = [{"variant": name, "range": span} for name, span in (("off", [0, 21474837]), ("on", [21474837, 42949673]))]
    bucket = {
        "selector": ["context", "user", "user_id"],
        "salt": bench_decide.key(number),
        "allocations": [{"range": [0, share], "distributions": halves}],
    }
    return {
        "key": bench_decide.key(number),
        "variants": {name: {"key": name, "value": name} for name in ("off", "on")},
        "segments": [{"bucket": bucket} | ({"conditions": [conditions]} if rules else {})],
    }


def _python() -> Row:
    found = bench_decide.measured()
    return Row(
        f"{EXPERIMENTS} experiments in Python on one core, with rules",
        Amount(1 / found.ours, "users/s"),
        [("GrowthBook for Python", Amount(1 / found.baseline, "users/s"))],
        1 / found.ratio,
        f">= {PYTHON_AIM:,} users/s",
        1 / found.ours >= PYTHON_AIM,
        "benchmarks/bench_decide.py: the same variations",
    )
