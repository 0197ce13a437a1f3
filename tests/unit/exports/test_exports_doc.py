"""What docs/exports.md tells of columns is what files have."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from abtest.domain.exports.columns import AUDIT, EVENTS, EXPOSURES, FORMULA_SIGNS, RESULTS

DOC = (Path(__file__).parents[3] / "docs" / "exports.md").read_text()
CONTROLS = {"tab": "\t", "CR": "\r", "LF": "\n"}


@pytest.mark.parametrize(
    ("dataset", "columns"),
    [("audit", AUDIT), ("events", EVENTS), ("exposures", EXPOSURES), ("results", RESULTS)],
    ids=lambda one: str(one)[:9],
)
def test_columns__of_a_file__are_all_told_in_their_order(dataset: str, columns: Mapping[str, str]) -> None:
    table = DOC.split(f"| column of {dataset} |")[1].split("\n\n")[0]
    told = [name for line in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", line.split(" | ")[0])]
    assert told == list(columns)


def test_signs__that_get_an_apostrophe__are_told() -> None:
    (told,) = re.findall(r"for a formula \((.*?) at its beginning\)", DOC)
    signs = [sign.strip("`") for sign in re.split(", | or ", told)]
    assert "".join(CONTROLS.get(sign, sign) for sign in signs) == FORMULA_SIGNS
