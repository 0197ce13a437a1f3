"""Unified diffs that another program can apply, and whose work is bounded."""

from __future__ import annotations

import random
import re
import time

from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.experiment_files.diffs import MAX_CHARACTERS, Budget, unified

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "unique 1", "unique 2", "--- x", "+y", "@@ z"]), max_size=30)


def patched(lines: list[str], diff: str) -> list[str]:
    """The lines after a diff, applied hunk by hunk as `patch` does."""
    result, at = [], 0
    for hunk in re.split(r"^@@ ", diff, flags=re.MULTILINE)[1:]:
        header, *body = hunk.removesuffix("\n").split("\n")
        start, _, count = header.split(" ")[0][1:].partition(",")
        first = int(start) - 1 if count != "0" else int(start)
        result += lines[at:first]
        at = first
        for line in body:
            if line[0] != "+":
                assert lines[at] == line[1:]
                at += 1
            if line[0] != "-":
                result.append(line[1:])
    return result + lines[at:]


@given(LINES, LINES, st.sampled_from([0, 1000, 10**8]))
def test_unified__any_two_texts_and_any_budget__leads_from_one_to_the_other(
    old: list[str], new: list[str], work: int
) -> None:
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    diff = unified("f.js", before if old else None, after if new else None, Budget(work=work))
    assert patched(old, diff) == new


def test_unified__one_changed_line__has_three_lines_around_it() -> None:
    old = [f"line {number}" for number in range(1, 5001)]
    new = [*old[:9], "changed", *old[10:4000], "inserted", *old[4000:]]
    diff = unified("f.js", "\n".join(old) + "\n", "\n".join(new) + "\n", Budget())
    assert diff.splitlines()[:11] == [
        "--- a/f.js",
        "+++ b/f.js",
        "@@ -7,7 +7,7 @@",
        " line 7",
        " line 8",
        " line 9",
        "-line 10",
        "+changed",
        " line 11",
        " line 12",
        " line 13",
    ]
    assert diff.count("@@ -") == 2


def test_unified__new_and_deleted_file__names_dev_null() -> None:
    assert unified("f.js", None, "a\n", Budget()) == "--- /dev/null\n+++ b/f.js\n@@ -0,0 +1 @@\n+a\n"
    assert unified("f.js", "a\n", None, Budget()) == "--- a/f.js\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"


def test_unified__texts_made_to_be_slow__take_less_than_a_second_of_work() -> None:
    draw = random.Random(1)
    shuffled = [f"line {number}" for number in range(20_000)]
    other = draw.sample(shuffled, len(shuffled))
    few = [draw.choice("abc") for _ in range(20_000)]
    started = time.process_time()
    for old, new in ((shuffled, other), (few, few[::-1]), ([""] * 200_000, [""] * 199_999)):
        unified("f.js", "\n".join(old), "\n".join(new), Budget())
    assert time.process_time() - started < 3


def test_unified__more_characters_than_a_plan_may_have__is_cut_with_a_note() -> None:
    budget = Budget()
    whole = unified("f.js", None, "x" * (MAX_CHARACTERS - 100), budget)
    assert "left out" not in whole
    assert unified("g.js", None, "y" * 1000, budget).splitlines()[-1].startswith("\\ The rest is left out")
