"""1,000 experiments x 3 variations x 5 goals by all three engines: from the totals of a roll-up to rows of results.

Every experiment has numbers of its own and is evaluated as the API does it: its totals, the question of the shop,
comparisons, sentences, models of the contract. Next to it the same formulas as arrays without rows
(`tools.stats.batched`; its Bayesian form has no intervals), and whole results through the use case, with health, plan,
coverage and guardrails. Seconds are those of the processor; the least of the rounds. ARGS: --experiments N, --rounds N.
"""

import logging
import time
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from abtest.contract import results as contract
from abtest.domain.experiments.model import Experiment
from abtest.services.experiments.records import experiment_of
from abtest.services.results import Results, ResultsQuery, RollupReader
from abtest.services.results.bayesian import forget
from abtest.services.results.counts import counts_of_totals
from abtest.services.results.rows import goal_results
from abtest.services.results.shop_rules import ShopRules, chosen_goals
from abtest.services.results.snapshots import ReadItems, Snapshot
from benchmarks.bench_dashboard import Dashboard, made
from benchmarks.harness import line, peak_megabytes
from tests.support.memory import MemoryLookStore, MemoryRollupStore
from tools.stats import batched

ENGINES: tuple[contract.Engine, ...] = ("frequentist", "sequential", "bayesian")
RATES = (0.03, 0.3, 0.1, 0.05, 0.01)
AIM = 2.0

Document = Mapping[str, Any]


def totals_of(template: Document, number: int) -> Document:
    """Totals like the template's, with numbers that no other experiment has."""
    random = np.random.default_rng(number)
    visitors = {variation: int(random.integers(5_000, 60_000)) for variation in template["variations"]}
    goals: dict[str, dict[str, Any]] = {}
    for place, (goal, by_variation) in enumerate(template["goals"].items()):
        goals[goal] = {}
        for variation, entry in by_variation.items():
            converters = int(random.binomial(visitors[variation], RATES[place] * random.uniform(0.95, 1.1)))
            total = converters * int(random.integers(3000, 9000))
            counted = {"converters": converters, "count": converters, "sum_minor": total}
            goals[goal][variation] = {**entry, **counted, "sum_squares_minor": str(3 * total * total // converters)}
    variations = {name: {**entry, "visitors": visitors[name]} for name, entry in template["variations"].items()}
    return {**template, "variations": variations, "goals": goals}


class Evaluation:
    """The rows of every experiment by one engine."""

    def __init__(self, board: Dashboard, documents: Sequence[Document]) -> None:
        self._board = board
        self._store = MemoryRollupStore()
        self._documents = documents
        self._experiment: Experiment = experiment_of(board.api.world.catalog, board.caller.shop_id, board.experiment_id)
        self.whole = Results(board.api.world, RollupReader(board.store), MemoryLookStore())

    def rows(self, engine: contract.Engine) -> int:
        """Evaluate all experiments; the number of rows."""
        rows = 0
        rules = ShopRules(self._board.api.world.catalog, self._board.caller.shop_id)
        for totals in self._documents:
            snapshot = Snapshot(totals, self._store, ReadItems())
            question = rules.question(self._experiment, snapshot.totals, engine=engine)
            goals = goal_results(question, chosen_goals(self._experiment, ()), counts_of_totals(totals))
            rows += sum(len(goal.rows) for goal in goals)
        return rows

    def results(self, engine: contract.Engine) -> contract.Results:
        """Read the whole results of one experiment."""
        return self.whole.read(self._board.caller, self._board.experiment_id, ResultsQuery(engine=engine))


def arrays(documents: Sequence[Document]) -> dict[str, Callable[[], object]]:
    """The same comparisons as arrays: (experiments, goals, treatments)."""
    visitors = np.array([[entry["visitors"] for entry in each["variations"].values()] for each in documents])
    entries = [[list(goal.values()) for goal in each["goals"].values()] for each in documents]
    converters = np.array([[[one["converters"] for one in goal] for goal in each] for each in entries])
    n = np.broadcast_to(visitors[:, None, :], converters.shape)
    rates = (converters[..., :1], n[..., :1], converters[..., 1:], n[..., 1:])
    return {
        "frequentist": lambda: batched.compare_rates(*rates, alpha=0.05, correction="holm"),
        "sequential": lambda: batched.mixture_test(batched.differences_of_rates(*rates), alpha=0.05),
        "bayesian": lambda: batched.bayesian_rates(*rates),
    }


def seconds(call: Callable[[], object], rounds: int) -> float:
    """The least of the rounds, on the processor."""
    times = []
    for _ in range(rounds):
        forget()
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return min(times)


def main() -> None:
    """Evaluate by each engine; print the sum next to the aim."""
    parser = ArgumentParser()
    parser.add_argument("--experiments", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    logging.disable(logging.INFO)
    board = made()
    template = board.store.totals(board.experiment_id, board.epoch)
    assert template is not None
    documents = [totals_of(template, number) for number in range(options.experiments)]
    evaluation, alternatives = Evaluation(board, documents), arrays(documents)
    whole = baseline = 0.0
    for engine in ENGINES:
        assert evaluation.rows(engine) == 15 * options.experiments
        ours = seconds(partial(evaluation.rows, engine), options.rounds)
        base = seconds(alternatives[engine], options.rounds)
        line(f"{engine}: rows", f"{ours:.2f} s", "rates as arrays, no rows", f"{base:.3f} s", ours / base)
        one = seconds(partial(evaluation.results, engine), 20)
        each = ours / options.experiments
        line("  whole results, each", f"{1000 * one:.2f} ms", "its rows", f"{1000 * each:.2f} ms", one / each)
        whole, baseline = whole + ours, baseline + base
    line("all engines", f"{whole:.2f} s", "rates as arrays, no rows", f"{baseline:.3f} s", whole / baseline)
    print(f"  aim: {AIM * options.experiments / 1000:.1f} s; peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()
