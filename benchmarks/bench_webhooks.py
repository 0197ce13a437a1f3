"""Deliveries a second through the worker, and how long events are on their way, also beside an endpoint that hangs.

The worker runs on memory stores and sends to a receiver in another process, by a name that it looks up and checks for
each delivery. What it is measured beside is a loop of `requests.post` with a shared session and the same signing: that
looks up nothing, claims nothing, records nothing, retries nothing and trusts every address.

The fairness run: ten workers, fifty healthy endpoints, and one that hangs for longer than the ten seconds it is given
on each of a thousand deliveries. Then fifty that hang, with 200 deliveries each, and ten or fifty workers: with the
fairness of SQS by group and with workers that carry out other messages while they wait, with one of the two, and with
neither.
"""

import logging
import statistics
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.harness import line, milliseconds, peak_megabytes
from benchmarks.webhooks.fairness import HEALTHY, MANY, MANY_EVENTS, SLOW_EVENTS, WORKERS, Design, Ways, ways
from benchmarks.webhooks.receiver import receiving
from benchmarks.webhooks.throughput import ours, plain

HANGING = {"": "none", f", {SLOW_EVENTS} spread over the time": "spread", f", {SLOW_EVENTS} before all": "first"}


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--deliveries", type=int, default=400, help="a round")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=10, help="of events in each fairness run")
    parser.add_argument("--events", type=int, default=10, help="to each healthy endpoint in those seconds")
    parser.add_argument("--fairness-rounds", type=int, default=3)
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    with receiving() as base:
        _throughput(base, asked.deliveries, asked.rounds)
        _fairness(base, asked.events, asked.seconds, asked.fairness_rounds)
        for workers in (WORKERS, MANY):
            _many(base, asked.events, asked.seconds, asked.fairness_rounds, workers)
    print(f"  peak memory {peak_megabytes():.0f} MB")


def _throughput(base: str, count: int, rounds: int) -> None:
    print(f"Webhooks, {count} deliveries a round (aim: at least 0.8 of the plain loop's)")
    for threads in (1, 8):
        ours(base, count), plain(base, threads, count)
        pairs = [(ours(base, count), plain(base, threads, count)) for _ in range(rounds)]
        beside = f"requests.post, {threads} thread{'s' * (threads > 1)}"
        _compared("deliveries a second", [(a.rate, b.rate) for a, b in pairs], beside, "{:,.0f} /s")
        _compared("deliveries a second of CPU", [(1 / a.cpu, 1 / b.cpu) for a, b in pairs], beside, "{:,.0f} /s")


def _compared(claim: str, pairs: Sequence[tuple[float, float]], beside: str, form: str) -> None:
    first, second = (statistics.median(side) for side in zip(*pairs, strict=True))
    line(claim, form.format(first), beside, form.format(second), statistics.median(a / b for a, b in pairs))


def _fairness(base: str, events: int, seconds: float, rounds: int) -> None:
    print(
        f"Event to arrival, {WORKERS} workers, {HEALTHY} healthy endpoints, {HEALTHY * events} events in {seconds:g} s"
        " (aim: p95 beside one that hangs at most twice that without)"
    )
    found = [[ways(base, events, seconds, slow=slow) for slow in HANGING.values()] for _ in range(rounds)]
    for number, claim in enumerate(HANGING):
        shares = [(each[number].percentile(95) / each[0].percentile(95)) for each in found]
        _show(f"beside one that hangs{claim}" if claim else "without", [each[number] for each in found], shares)


DESIGNS = {
    "groups, workers that help": Design(),
    "workers that help": Design(is_fair=False),
    "groups": Design(is_helpful=False),
    "neither": Design(is_helpful=False, is_fair=False),
}


def _many(base: str, events: int, seconds: float, rounds: int, workers: int) -> None:
    print(
        f"Event to arrival, {workers} workers, {HEALTHY} healthy endpoints, {MANY} that hang on {MANY_EVENTS} each"
        " (aim: p95 at most 1.5 of that without)"
    )
    without = [ways(base, events, seconds, design=Design(workers=workers)) for _ in range(rounds)]
    _show("without", without, [1.0])
    for claim, design in DESIGNS.items():
        # What is only compared with is slow, and far from the others.
        count = rounds if design.is_helpful else 1
        some = [ways(base, events, seconds, slow="many", design=replace(design, workers=workers)) for _ in range(count)]
        shares = [one.percentile(95) / other.percentile(95) for one, other in zip(some, without, strict=False)]
        _show(f"with those that hang, {claim}", some, shares)


def _show(claim: str, found: Sequence[Ways], shares: Sequence[float]) -> None:
    every = Ways([way for each in found for way in each.seconds], sum(each.missing for each in found))
    percentiles = ", ".join(f"p{number} {milliseconds(every.percentile(number))}" for number in (50, 95, 99))
    ratio = statistics.median(shares)
    print(f"  {claim:<52} {percentiles}, {every.missing} missing   p95 ratio {ratio:5.2f}")


if __name__ == "__main__":
    main()
