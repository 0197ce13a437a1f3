"""ECMAScript expressions on any text: code units, case, limits. Answers were taken from a browser's engine."""

import pytest

from abtest.domain.targeting.patterns import LONGEST_SEARCHED, compiles, expression, search


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("^..$", "😀", True),
        ("^.$", "😀", False),
        (r"\ud83d", "😀", True),
        (r"^[\ud83c-\udbff][\udc00-\udfff]$", "😀", True),
        (r"^[\u0000-\uffff]{2}$", "😀", True),
        (r"^[^\x00-\xff]+$", "€😀", True),
        ("[😀]", "\ud83d", True),
        ("^😀+$", "😀\ude00", True),
        (r"\w", "é", False),
        (r"^\S+$", "日本", True),
        (r"^\s$", "\ufeff", True),
        ("日", "本日", True),
        ("\ud800", "a\ud800b", True),
        (r"(?<😀>x)\k<😀>", "xx", False),
        (r"[\d-x]", "-", True),
        (r"[\b]", "\b", True),
        (r"\cJ", "\n", True),
        (r"\/\a\-", "/a-", True),
        (r"\u{3}", "uuu", True),
        (r"[\101]", "A", True),
    ],
)
def test_search__works_on_code_units(source: str, text: str, expected: bool) -> None:
    assert search(source, text) is expected


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("k", "\u212a", False),
        ("[a-z]", "\u212a", False),
        ("s", "\u017f", False),
        ("ß", "ẞ", False),
        ("σ", "ς", True),
        ("ı", "I", False),
        ("[À-Þ]", "é", True),
        ("[^a-z]", "Q", False),
        (r"\w", "\u017f", False),
        (r"^\x61\u0062c$", "ABC", True),
        (r"\S\W", "a!", True),
        (r"(?<name>a)\k<name>", "Aa", True),
        (r"\p", "P", True),
        ("\U00010428", "\U00010400", False),
        (r"(a)\1", "aA", True),
    ],
)
def test_search__ignoring_case__compares_capitals_of_single_units(source: str, text: str, expected: bool) -> None:
    assert expression(source, True)(text) is expected


@pytest.mark.parametrize("source", ["(", "[b-a]", "[😀-\ud83d]", "[", r"\b+", "a**", "(?<a>x)(?<a>y)"])
def test_compiles__of_what_browsers_refuse__is_no(source: str) -> None:
    assert not compiles(source)
    assert not search(source, source)


@pytest.mark.parametrize("letter", ["a", "é"])
def test_search__of_a_text_at_the_limit__still_searches(letter: str) -> None:
    assert search("b$", letter * (LONGEST_SEARCHED - 1) + "b")
    assert not search("b$", letter * LONGEST_SEARCHED + "b")


def test_search__of_an_astral_text__counts_code_units() -> None:
    assert search("$", "😀" * (LONGEST_SEARCHED // 2))
    assert not search("$", "😀" * (LONGEST_SEARCHED // 2) + "a")
