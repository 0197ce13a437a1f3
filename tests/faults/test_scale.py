"""A twentieth of the simulation of many shops, in processes of their own: every roll-up is right, nothing is left.

Figures are printed and not judged here, because others work on the machine. `make scale` has them in full.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from benchmarks.scale.decisions import decisions
from benchmarks.scale.kills import WRITES, kills
from benchmarks.scale.large import large
from benchmarks.scale.rounds import rounds
from benchmarks.scale.settings import Sizes
from benchmarks.scale.table import Figure, lines

GATE = replace(Sizes.part(20), experiments=4, large=100_000, second=10_000, days=4, checked=2)


def shown(figures: list[Figure]) -> dict[str, Figure]:
    sys.stdout.write("\n".join(lines(figures)))
    return {figure.what: figure for figure in figures}


def test_rounds__of_many_shops__count_each_that_has_news_and_no_other() -> None:
    figures, measured = rounds(GATE, seed=20)
    units = {name: len({unit.shop for unit in work.units}) for name, work in measured.work.items()}
    assert units == {"cold": 50, "warm 5 %": 3, "warm 10 %": 5, "nothing new": 0, "flood": 1}
    assert shown(figures)["warm, nothing new: shops counted"].value == 0


def test_workers__killed_at_writes_and_at_random__leave_no_wrong_count() -> None:
    figures = shown(kills(GATE, seed=20))
    at = {name: figures[f"workers killed at {name}"].value for name in WRITES}
    assert all(number >= 2 for number in at.values()), at
    assert figures["killed: counted again after"].verdict == "met"


def test_decisions__of_all_running_experiments__leave_none_without_a_turn() -> None:
    figures = shown(decisions(GATE, seed=20))
    assert f"{GATE.shops * GATE.experiments} running experiments: CPU of both schedules" in figures


def test_large_shop__by_each_way__has_equal_rollups() -> None:
    figures = shown(large(replace(GATE, large=40_000, days=3), seed=20))
    assert "the whole, 4 partitions, next to four times a quarter by one worker" in figures
