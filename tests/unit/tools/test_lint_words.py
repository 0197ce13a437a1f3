"""Word ratchet: which words count, and that a count may only fall."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tools import lint_words
from tools.lint_words import allowances, counted, exceeded, hits, lowered, main, moved, read_baseline

Files = Mapping[str, str]


@pytest.mark.parametrize(
    ("path", "source", "rule", "line"),
    [
        ("a.py", "def f():\n    '''The caller is told.'''", "told", 2),
        ("a.py", "x = 1  # the caller is told", "told", 1),
        ("a.py", "error = 'this is no address'", "is-no", 1),
        ("a.py", "error = f'{x} is no {y}'", "is-no", 1),
        ("a.py", "'''Line.\n\nIn\nearnest.'''", "anew", 3),
        ("a.py", "def tell_whoever(): ...", "somebody", 1),
        ("a.py", "def f(asked): ...", "asked", 1),
        ("a.py", "class _ToldShops: ...", "told", 1),
        ("a.py", "class RollupTally: ...", "name", 1),
        ("a.py", "self.found = 1", "found", 1),
        ("a.py", "import x as lineup", "name", 1),
        ("domain/ringing.py", "", "name", 1),
        ("domain/ringing/__init__.py", "", "name", 1),
        ("a.py", "'''What it is.'''", "opening", 1),
        ("a.py", "class A:\n    '''\n    Of each shop.'''", "opening", 3),
        ("a.js", "// nobody reads\nx()", "somebody", 1),
        ("a.js", "let a = /['\"]/\nconst asked = 1; asked()", "asked", 2),
        ("a.js", "throw Error('this is no selector')", "is-no", 1),
        ("a.md", "```\ntold\n```\nThe cache lies there.", "stands", 4),
        ("a.sh", "# made anew", "anew", 1),
    ],
)
def test_hits__an_avoided_word__is_one_at_its_line(path: str, source: str, rule: str, line: int) -> None:
    assert [(hit.rule.name, hit.line) for hit in hits(path, source)] == [(rule, line)]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", "x = answer['told'] or 'not_found'"),
        ("a.py", "client.told(asked=1)"),
        ("a.py", "'''Field `told` of the answer, \"said\" by the contract.'''"),
        ("a.py", "'''There is no shop; it is no longer stored. None stands for the default.'''"),
        ("a.py", "def test_read__of_an_order__is_not_found(): ..."),
        ("a.py", "besides, housekeeping, once_again = 1, 2, 3"),
        ("a.py", "'''Offers for whom?'''"),
        ("a.js", "import { told } from './x'\ntold(x.asked)"),
        ("a.md", "`told` and\n```\ntold\n```"),
    ],
)
def test_hits__contract_fields_third_party_names_and_quotations__are_none(path: str, source: str) -> None:
    assert hits(path, source) == []


def test_hit__shown__names_place_word_and_what_to_write() -> None:
    (hit,) = hits("shared/a.py", "told = 1")
    assert str(hit) == "shared/a.py:1: told: 'told' in 'told'; write reported, notified, returns or shows"


def test_counted__history_and_other_formats__are_not() -> None:
    assert counted("shared/abtest/kit/ids.py")
    assert counted("docs/runbook.md")
    assert not counted("CHANGELOG.md")
    assert not counted("docs/api/openapi.json")
    assert not counted("shared/abtest/storefront/dist/abtest.js")


def test_exceeded__a_count_above_its_row__is_one() -> None:
    assert exceeded({("a.py", "told"): 3}, {("a.py", "told"): 2}) == [("a.py", "told")]


def test_exceeded__a_count_below_its_row__is_none() -> None:
    assert exceeded({("a.py", "told"): 1}, {("a.py", "told"): 2}) == []


def test_allowances__of_a_new_file__are_none() -> None:
    counts, baseline = {("b.py", "told"): 1}, {("a.py", "told"): 2}
    assert exceeded(counts, allowances(counts, baseline, ["a.py", "b.py"])) == [("b.py", "told")]


def test_allowances__of_a_file_moved_to_another_folder__are_those_of_its_old_path() -> None:
    counts, baseline = {("new/a.py", "told"): 2}, {("old/a.py", "told"): 2}
    assert exceeded(counts, allowances(counts, baseline, ["new/a.py"])) == []


def test_allowances__of_two_files_with_the_name_of_one_that_is_gone__are_shared() -> None:
    counts = {("new/a.py", "told"): 2, ("other/a.py", "told"): 1}
    assert exceeded(counts, allowances(counts, {("old/a.py", "told"): 2}, ["new/a.py", "other/a.py"])) == [
        ("other/a.py", "told")
    ]


def test_moved__to_another_file_name__passes_on_only_what_is_no_longer_used() -> None:
    counts = {("old.py", "told"): 1, ("new.py", "told"): 3}
    after = moved(counts, {("old.py", "told"): 3}, "old.py", ["new.py"])
    assert after == {("old.py", "told"): 1, ("new.py", "told"): 2}
    assert exceeded(counts, after) == [("new.py", "told")]


def test_lowered__counts_that_fell_and_rose__never_rise() -> None:
    assert lowered({("a", "told"): 1, ("b", "told"): 4, ("c", "told"): 1}, {("a", "told"): 2, ("b", "told"): 3}) == {
        ("a", "told"): 1,
        ("b", "told"): 3,
    }


def test_read_baseline__with_two_rows_left_by_a_merge__takes_the_lower() -> None:
    assert read_baseline("a.py\ttold\t3\na.py\ttold\t1\na.py\tanew\t2\n") == {("a.py", "told"): 1, ("a.py", "anew"): 2}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of one documentation file with two avoided words, both in the baseline."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("told\ntold\n")
    (tmp_path / "words.baseline").write_text("docs/a.md\ttold\t2\n")
    monkeypatch.setattr(lint_words, "ROOT", tmp_path)
    monkeypatch.setattr(lint_words, "BASELINE", tmp_path / "words.baseline")
    files = lambda: [path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("docs/*.md")]  # noqa: E731
    monkeypatch.setattr(lint_words, "_paths", files)
    return tmp_path


def test_main__a_word_more__fails_with_its_place(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "docs/a.md").write_text("told\ntold\ntold\n")
    assert main([]) == 1
    assert "docs/a.md:3: told: 'told'; write reported" in capsys.readouterr().out


def test_main__a_word_less__passes_and_lower_writes_it(tree: Path) -> None:
    (tree / "docs/a.md").write_text("told\n")
    assert main([]) == 0
    assert (tree / "words.baseline").read_text() == "docs/a.md\ttold\t2\n"
    assert main(["--lower"]) == 0
    assert (tree / "words.baseline").read_text() == "docs/a.md\ttold\t1\n"


def test_main__a_new_file_with_a_word__fails_unless_the_word_moved_there(tree: Path) -> None:
    (tree / "docs/b.md").write_text("told\n")
    assert main([]) == 1
    assert main(["--lower"]) == 1
    (tree / "docs/a.md").write_text("told\n")
    assert main(["--moved", "docs/a.md", "docs/b.md"]) == 0
    assert main([]) == 0


def test_main__moved_without_names__passes_on_from_changed_files_only(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "docs/a.md").write_text("told\n")
    (tree / "docs/b.md").write_text("told\n")
    monkeypatch.setattr(lint_words, "_changed", list)
    assert main(["--moved"]) == 1
    monkeypatch.setattr(lint_words, "_changed", lambda: ["docs/a.md"])
    assert main(["--moved"]) == 0
    assert (tree / "words.baseline").read_text() == "docs/a.md\ttold\t1\ndocs/b.md\ttold\t1\n"


def test_main__list__shows_what_is_left(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "docs"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
