"""The README lists what the contract has and the OpenAPI document lacks, and nothing else."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.support.openapi import contract

ROOT = Path(__file__).parents[3]
FAMILIES: Mapping[str, Sequence[str]] = tomllib.loads((ROOT / "tests/data/contract_routes.toml").read_text())
README = " ".join((ROOT / "README.md").read_text().split())
MISSING = re.findall(r"Not available yet: (.+?)\.", README)[0].split(", ")


def unnamed(path: str) -> str:
    """An address whose ids have no names."""
    return re.sub(r"\{[^}]+\}", "{}", path)


def routes(family: str) -> Iterator[tuple[str, str]]:
    for line in FAMILIES[family]:
        *methods, path = line.split()
        yield from ((method, unnamed(path)) for method in methods)


@pytest.fixture(scope="module")
def documented() -> set[tuple[str, str]]:
    paths = contract().document["paths"].items()
    return {(method.upper(), unnamed(path)) for path, item in paths for method in item if method != "servers"}


@pytest.mark.parametrize("family", FAMILIES)
def test_family__of_the_contract__is_in_the_document_or_in_the_list_of_the_readme(
    family: str, documented: set[tuple[str, str]]
) -> None:
    every = set(routes(family))
    assert every & documented == (set() if family in MISSING else every)


def test_list__of_the_readme__names_families_of_the_contract_in_order() -> None:
    assert [family for family in FAMILIES if family in MISSING] == MISSING
    assert MISSING
