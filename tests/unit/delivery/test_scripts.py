"""Scripts: what the checker refuses, and that safe embedding changes nothing a script does."""

from typing import Any

import pytest
import quickjs

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.delivery.scripts import UnsafeScriptError, as_function, made_safe

CHECKER = QuickJsChecker()


def parses(source: str) -> bool:
    return CHECKER.check(source) is None


def value_of(script: str) -> Any:
    """What the script returns when it runs as a function."""
    return quickjs.Context().eval(f"JSON.stringify(({script})())")


@pytest.mark.parametrize(
    "source",
    [
        "",
        "var a = 1",
        "return 5",
        "// a comment at the end",
        "a <!-- an old comment",
        "let _; let __",
        "with (a) {}",
        "const f = async () => { for await (const x of y) {} }",
        "class A { #x = 1; static { } }",
        "x = /(?<=a)b/v",
        "'\u2028'",
        "a = '\0'",
    ],
)
def test_checker__given_a_script_that_browsers_parse__has_nothing_to_say(source: str) -> None:
    assert CHECKER.check(source) is None


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("a = ;", 1, 5),
        ("\n\n  foo(", 3, 7),
        ("ok();\r\n = 3", 2, 2),
        ("éé = = 3", 1, 6),
        ("'😀' + = 3", 1, 8),
        ("'\ud800'", 1, 2),
        ("import 'x'", 1, 8),
        ("await x", 1, 7),
        ("let a; let a", 1, 13),
    ],
)
def test_checker__given_a_broken_script__says_where(source: str, line: int, column: int) -> None:
    error = CHECKER.check(source)
    assert error is not None
    assert (error.line, error.column) == (line, column)


@pytest.mark.parametrize("source", ["x = /(?<a/", "(" * 100_000, "'use strict'; with (a) {}"])
def test_checker__given_other_broken_scripts__says_so(source: str) -> None:
    error = CHECKER.check(source)
    assert error is not None
    assert error.message


@pytest.mark.parametrize(
    "source",
    [
        "}); evil(); (function(){",
        "}(1), function(){",
        "}[x] = function(){",
        "} while (true) {",
        "}(() => { while (true) {} })(), function(){",
        "})/*",
        "}, g(){",
    ],
)
def test_checker__given_a_script_that_leaves_its_function__refuses_without_running_it(source: str) -> None:
    assert CHECKER.check(source) is not None


DANGEROUS = ["</script", "</SCRIPT", "<!--", "\u2028", "\u2029"]


@pytest.mark.parametrize(
    "source",
    [
        "return 'a</script>b'",
        "return `a</script>${1}<!--`",
        'return "<!--" + "\\<!--" + "\\\\<!--"',
        "return 5 </script/.test('script')",
        "return 5<</script/.lastIndex",
        "return [/<!--/.test('<!--'), /[<!--a]/.test('+'), /(?<!--)a/.test('--a'), /(?<!--)a/.test('xa')]",
        "var a = 1 // </script>\nreturn a /* <!-- </script> */",
        "var b = 2, a = b<!--b\nreturn a",
        "var b = 9, a = b /3<!-- b\nreturn a",
        "return '\u2028'.length + '\\\u2028'.length",
        "return `\u2028\u2029`.charCodeAt(1)",
        "var a = 1; // one\u2028a = 2\nreturn a /* \u2029 */",
        "var a = 1\u2028return a",
        "var a = 1\u2028-->not code\nreturn a",
        "return /\\u2028/.test('\u2028')",
        "return '</script>\u2028' + `\u2029` // <!--\u2028 + 1",
    ],
)
def test_made_safe__of_a_dangerous_script__does_the_same_without_the_danger(source: str) -> None:
    safe = made_safe(source, parses)
    assert not [sequence for sequence in DANGEROUS if sequence.lower() in safe.lower()]
    assert value_of(as_function(source, parses)) == value_of(f"function(){{{source}\n}}")


def test_made_safe__of_thousands_of_strings__asks_the_parser_a_few_times() -> None:
    asked = 0

    def counted(source: str) -> bool:
        nonlocal asked
        asked += 1
        return parses(source)

    made_safe("x('</script>', '\u2028');\n" * 4000, counted)
    assert asked <= 5


def test_made_safe__of_too_many_different_places__gives_up() -> None:
    with pytest.raises(UnsafeScriptError):
        made_safe("x = '</script>'; y = 1 </script/.z;\n" * 400, parses)


def test_made_safe__of_an_untagged_harmless_script__is_the_script() -> None:
    assert made_safe("a < b; c <! --d", lambda _: False) == "a < b; c <! --d"


@pytest.mark.parametrize("source", ['x="a"' + '+"b"' * 12_000, "[" * 5_000 + "]" * 5_000])
def test_checker__given_a_script_that_no_stack_holds__names_the_remedy(source: str) -> None:
    error = CHECKER.check(source)
    assert error is not None
    assert "split the expression" in error.message
