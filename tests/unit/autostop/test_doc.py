"""docs/autostop.md says what the code does."""

import re
from pathlib import Path
from typing import get_args

from abtest.domain.autostop.settings import MIN_CONVERSIONS, MIN_VISITORS, OURS, Mode
from abtest.domain.autostop.verdicts import MESSAGES, Evaluated, WaitingFor
from abtest.domain.goals.currency_residue import RESIDUE_ORDERS, RESIDUE_SHARE
from abtest.domain.stats.mixture_scale import PLANNED_VISITORS

TEXT = (Path(__file__).parents[3] / "docs" / "autostop.md").read_text()


def test_doc__names_every_mode_outcome_and_reason() -> None:
    outcomes = get_args(Evaluated.__annotations__["outcome"])
    assert outcomes
    names = [*get_args(Mode), *outcomes, *get_args(WaitingFor)]
    assert [name for name in names if f"`{name}`" not in TEXT] == []


def test_sayings__are_there_for_every_reason() -> None:
    assert list(MESSAGES) == list(get_args(WaitingFor))


def test_doc__tells_our_defaults_and_limits() -> None:
    row = next(line for line in TEXT.splitlines() if line.startswith("| `sequential.min_visitors`"))
    assert row.endswith(f"| {MIN_VISITORS}, {MIN_CONVERSIONS} |")
    assert f"about {PLANNED_VISITORS:,} visitors" in TEXT
    assert re.search(rf"at least {RESIDUE_ORDERS} orders surely more than {100 * RESIDUE_SHARE:g} %", TEXT)
    assert (OURS.mode, OURS.min_runtime_minutes, OURS.pauses_inconclusive) == ("off", 0, False)
