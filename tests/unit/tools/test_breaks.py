"""Deliberate breaks still match the code that they break."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.breaks import BREAKS, Break

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("each", BREAKS, ids=lambda each: each.rule.replace(" ", "_"))
def test_break__of_the_present_code__changes_one_place_and_names_tests_that_exist(each: Break) -> None:
    source = (ROOT / each.path).read_text()
    assert each.applied(source) != source
    assert all((ROOT / tests).exists() for tests in each.tests)
