"""The comparison tool: it says how many it asked, and each difference, and its exit code tells."""

from collections.abc import Sequence

import pytest

from tools.golden import answers
from tools.golden.compare import main


def test_compare__of_implementations_that_agree__finds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cases", "400", "--seeds", "5", "6"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("condition, seed 5: 160 questions, 0 differences")
    assert (len(told), told[-1]) == (13, "0 differences")


def test_compare__of_implementations_that_differ__shows_some_and_counts_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def another(mode: str, lines: Sequence[str]) -> list[dict[str, object]]:
        return [{"id": number, "result": {"bucket": -1}} for number, _ in enumerate(lines)]

    monkeypatch.setattr(answers, "in_node", another)
    assert main(["--cases", "400", "--modes", "hash"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert len([line for line in told if line.startswith('{"question"')]) == 5
    assert told[-1] == "20 differences"


def test_answers__when_lines_are_missing__are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_NODE", ["true"])
    with pytest.raises(ValueError, match="0 answers to 1 questions"):
        answers.in_node("hash", ['{"id": 1}'])
