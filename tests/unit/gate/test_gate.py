"""The gate's own rules: every folder has a lane and a budget, and the sums and the verdicts are right."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tools.gate.__main__ import close, closing_line
from tools.gate.budgets import Cost, costs, dearest, table
from tools.gate.lanes import LANES, folders_with_tests, lane_of, paths
from tools.gate.tally import folder_of, slowdown


def cost(seconds: float, slowdown: float = 1.0) -> Cost:
    return Cost(lane="check", folder="unit", seconds=seconds, slowdown=slowdown, budget=100)


def test_lanes__together__have_a_budget_for_every_folder() -> None:
    assert {folder for lane in LANES.values() for folder in lane.budgets} == folders_with_tests()


@pytest.mark.parametrize(
    ("folder", "marks", "lane"),
    [
        ("unit", set(), "check"),
        ("integration", {"parametrize"}, "check"),
        ("integration", {"stack"}, "waiting"),
        ("property", {"browser"}, "waiting"),
        ("browser", set(), "waiting"),
        ("e2e", set(), "waiting"),
        ("faults", set(), "long"),
    ],
)
def test_lane__of_a_test__follows_folder_and_marks(folder: str, marks: set[str], lane: str) -> None:
    assert lane_of(folder, frozenset(marks)) == lane
    assert folder in LANES[lane].budgets


def test_paths__of_the_waiting_lane__include_marked_files_of_other_folders() -> None:
    assert {"tests/browser", "tests/e2e", "tests/integration/local/test_lifecycle.py"} <= set(paths("waiting"))
    assert paths("long") == [f"tests/{name}" for name in ("stories", "faults", "contract", "property", "budgets")]


@pytest.mark.parametrize(
    ("seconds", "slowdown", "is_broken"), [(99, 1, False), (199, 1, False), (201, 1, True), (600, 3.1, False)]
)
def test_budget__on_machines_of_any_speed__is_broken_at_twice_its_seconds(
    seconds: float, slowdown: float, is_broken: bool
) -> None:
    assert cost(seconds, slowdown).is_broken is is_broken


def test_table__of_a_broken_budget__names_the_folder_and_what_to_do() -> None:
    *_, last = table(costs("check", {"unit": 100, "e2e": 50}, {"unit": 250.0}, 1.0))
    assert last.startswith("tests/unit takes 250 s of its 100 s: ")


def test_slowdown__of_an_idle_machine__is_none() -> None:
    assert slowdown([], 4) == slowdown([0.5, 3.5], 4) == 1.0


def test_slowdown__of_a_busy_machine__grows_with_its_load() -> None:
    assert slowdown([8.0, 12.0], 4) == 2.5


@pytest.mark.parametrize(
    ("outcomes", "line"),
    [
        ({"passed": 7}, "7 passed in 61.50s (0:01:02)"),
        ({"passed": 7, "failed": 2, "skipped": 1}, "2 failed, 7 passed, 1 skipped in 61.50s (0:01:02)"),
        ({"passed": 7, "error": 1}, "7 passed, 1 error in 61.50s (0:01:02)"),
        ({}, "no tests ran in 61.50s (0:01:02)"),
    ],
)
def test_closing_line__of_outcomes__reads_as_pytests(outcomes: dict[str, int], line: str) -> None:
    assert closing_line(Counter(outcomes), 61.5) == line


def test_folder__of_a_test_id__is_the_first_below_tests() -> None:
    assert folder_of("tests/unit/gate/test_gate.py::test_x[a/b]") == "unit"


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["one process", "two workers"])
def test_tally__of_a_run__counts_outcomes_and_seconds_by_folder(tmp_path: Path, workers: list[str]) -> None:
    for folder, body in {"unit": "time.sleep(0.1)", "e2e": "assert time is None"}.items():
        (tmp_path / "tests" / folder).mkdir(parents=True)
        (tmp_path / "tests" / folder / f"test_{folder}.py").write_text(f"import time\ndef test(): {body}\n")
    options = ["-q", "-c", "/dev/null", "--rootdir", ".", "-p", "tools.gate.tally", "--tally", "tally.json"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-p", "no:cacheprovider", *workers, "tests"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    tally = json.loads((tmp_path / "tally.json").read_text())
    assert {name: count for name, count in tally["outcomes"].items() if count} == {"passed": 1, "failed": 1}
    assert tally["folders"].keys() == {"unit", "e2e"}
    assert tally["folders"]["unit"] > 0.1
    assert list(tally["files"]) == ["unit/test_unit.py", "e2e/test_e2e.py"]
    assert tally["slowdown"] >= 1


def test_close__of_lanes__adds_them_up_and_writes_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".local/gate").mkdir(parents=True)
    outcomes = {"check": {"passed": 3}, "long": {"passed": 2, "failed": 1}}
    for name, counts in outcomes.items():
        tally = {"outcomes": counts, "seconds": 1.0, "folders": {"stories": 9.0}, "load": 1.0, "slowdown": 1.0}
        (tmp_path / f".local/gate/{name}.json").write_text(json.dumps(tally))
    assert close(["check"], {"check_seconds": 60.0}) == 0
    assert close(["check", "long"], {"check_seconds": 61.0, "seconds": 80.0}) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 failed, 5 passed in 80.00s (0:01:20)"
    report = json.loads((tmp_path / ".local/gate.json").read_text())
    assert (report["check_seconds"], report["seconds"], report["folders"]["long/stories"]) == (61.0, 80.0, 9.0)


def test_dearest__of_lanes__names_their_files() -> None:
    lines = dearest({"check": {"files": {"unit/test_x.py": 12.4, "unit/test_y.py": 3.0}}, "long": {}})
    assert list(lines) == [
        "dearest files of check: unit/test_x.py 12 s, unit/test_y.py 3 s",
        "dearest files of long: not measured",
    ]


def test_close__with_a_broken_budget__fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".local/gate").mkdir(parents=True)
    tally = {"outcomes": {"passed": 3}, "seconds": 1.0, "folders": {"golden": 9e5}, "load": 1.0, "slowdown": 1.0}
    (tmp_path / ".local/gate/check.json").write_text(json.dumps(tally))
    assert close(["check"], {"check_seconds": 60.0}) == 1
    out = capsys.readouterr().out
    assert "tests/golden takes 900000 s" in out
    assert out.splitlines()[-1] == "3 passed, 1 error in 60.00s (0:01:00)"
