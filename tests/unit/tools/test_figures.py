"""Figures of the code: what each count takes in, on small sources."""

import json
from pathlib import Path

import pytest

from tools.figures import (
    Module,
    aliases,
    comments_and_code,
    docstrings,
    family_size,
    functions,
    gate,
    is_private,
    small_private,
    untyped_functions,
)


def module(text: str, path: str = "shared/abtest/domain/a.py") -> Module:
    """A source file of the product."""
    return Module.parsed(path, text)


def test_private__one_leading_underscore__is_counted_in_methods_too() -> None:
    source = module("def a(): ...\ndef _b(): ...\nclass C:\n    def _d(self): ...\n    def __init__(self): ...")
    assert [each.name for each in functions(source) if is_private(each)] == ["_b", "_d"]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def _a():\n    return 1\n_a()", ["_a"]),
        ("def _a():\n    '''Long\n\n    docstring.\n    '''\n    return 1\n_a()", ["_a"]),
        ("class A:\n    def _a(self): ...\n    def b(self): self._a()", ["_a"]),
        ("def _a():\n    return 1\n_a(_a())", []),
        ("def _a(): ...", []),
        ("@cache\ndef _a(): ...\n_a()", []),
        ("def _a():\n    b = 1\n    c = 1\n    d = 1\n    e = 1\n    return b\n_a()", []),
        ("def a(): ...\na()", []),
    ],
)
def test_small_private__at_most_four_lines_and_one_caller__are_counted(source: str, names: list[str]) -> None:
    assert small_private(module(source)) == names


@pytest.mark.parametrize(
    "signature",
    [
        "a: Any",
        "*a: typing.Any",
        "a: Mapping[str, Any]",
        "a: list[dict[str, Any]]",
        "a: dict",
        "a: Mapping | None",
        "a: Document",
        "a: tuple[Document, ...]",
        "a: Loose",
    ],
)
def test_untyped__any_bare_mappings_and_their_aliases__are_counted(signature: str) -> None:
    kit = module("JsonObject = Mapping[str, Any]\nLimit = MAXIMUM", "shared/abtest/kit/json.py")
    package = module("from abtest.kit.json import JsonObject as Document", "shared/abtest/kit/__init__.py")
    source = module(f"from abtest.kit import Document\nLoose = Document | None\ndef f({signature}): ...")
    assert untyped_functions(source, aliases([source, package, kit])) == ["f"]


@pytest.mark.parametrize("signature", ["a: int", "a: dict[str, int]", "a: Shape", "a: JsonObject", "self"])
def test_untyped__typed_mappings_and_names_that_are_not_imported__are_not_counted(signature: str) -> None:
    kit = module("JsonObject = Mapping[str, Any]", "shared/abtest/kit/json.py")
    source = module(f"class Shape(TypedDict):\n    a: int\ndef f({signature}) -> None: ...")
    assert untyped_functions(source, aliases([source, kit])) == []


def test_comments__directives_and_signs_in_strings__are_not_counted() -> None:
    text = '# Why.\na = "# b"  # because\n\nc = 1  # noqa: E1\n"""\ntext\n"""\n'
    assert comments_and_code(text) == (2, 5)


def test_docstrings__of_module_classes_and_functions__are_read() -> None:
    assert docstrings(module("'''A.'''\nclass B:\n    '''B.'''\n    def c(self):\n        '''C.'''")) == [
        "A.",
        "B.",
        "C.",
    ]


def test_family_size__own_files_count_whole_and_others_where_they_name_it() -> None:
    own = module("a = 1\n\nb = 2\n", "shared/abtest/domain/labels/model.py")
    routes = module("from labels import Label\nx = 1\nROUTERS = [labels]\n", "functions/api/routes.py")
    other = module("x = 1\n")
    assert family_size([own, routes, other], "labels?") == (5, 2)


def test_gate__with_and_without_a_record__is_shown(tmp_path: Path) -> None:
    recorded = tmp_path / "gate.json"
    assert gate(recorded) == "not measured; run make test"
    recorded.write_text(json.dumps({"seconds": 900, "check_seconds": 345}))
    assert gate(recorded) == "make test 15.0 min, make check 5.8 min"
