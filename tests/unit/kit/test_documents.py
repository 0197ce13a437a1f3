"""Dataclasses as documents: what each hint becomes, and what happens across releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypedDict

import pytest

from abtest.kit import canonical_json
from abtest.kit.documents import decode, encode


class Place(TypedDict):
    path: str


@dataclass(frozen=True, slots=True)
class Leaf:
    name: str
    span: tuple[int, int] = (0, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    id: str
    kind: Literal["oak", "pine"] = "oak"
    leaves: tuple[Leaf, ...] = ()
    crown: Leaf | None = None
    fallen: tuple[Leaf, ...] | None = None
    spans: tuple[tuple[int, int], ...] = ()
    names: frozenset[str] = frozenset()
    place: Place | None = None
    extra: Mapping[str, Any] | None = None
    anything: Any = None
    version: int = 1


FULL = Tree(
    id="t",
    kind="pine",
    leaves=(Leaf("a"), Leaf("b", (2, 3))),
    crown=Leaf("c"),
    fallen=(Leaf("d"),),
    spans=((0, 5), (7, 9)),
    names=frozenset({"y", "x"}),
    place={"path": "/"},
    extra={"k": [1, {"n": None}]},
    anything=[1],
    version=7,
)


def through_json(document: Mapping[str, Any]) -> dict[str, Any]:
    document = canonical_json.loads(canonical_json.encode(dict(document)))
    return dict(document)


@pytest.mark.parametrize("tree", [FULL, Tree(id="least")])
def test_document__of_a_dataclass__gives_it_back(tree: Tree) -> None:
    assert decode(Tree, through_json(encode(tree))) == tree


def test_document__of_a_dataclass__is_plain_json() -> None:
    document = encode(FULL)
    assert document["leaves"] == [{"name": "a", "span": [0, 1]}, {"name": "b", "span": [2, 3]}]
    assert document["crown"] == {"name": "c", "span": [0, 1]}
    assert document["names"] == ["x", "y"]
    assert document["extra"] is FULL.extra


def test_document__without_a_field_that_is_stored_elsewhere__takes_it_from_the_caller() -> None:
    document = encode(FULL, omit=("version",))
    assert "version" not in document
    assert decode(Tree, through_json(document), version=7) == FULL


def test_document__of_another_release__has_defaults_and_no_unknown_fields() -> None:
    assert decode(Tree, {"id": "t", "younger": 1, "leaves": [{"name": "a", "colour": "red"}]}) == Tree(
        id="t", leaves=(Leaf("a"),)
    )


def test_document__without_a_required_field__is_refused() -> None:
    with pytest.raises(TypeError, match="id"):
        decode(Tree, {})
    with pytest.raises(TypeError, match="name"):
        decode(Tree, {"id": "t", "leaves": [{}]})


class Pair(NamedTuple):
    left: int


@dataclass(frozen=True)
class Ambiguous:
    either: Leaf | str


@dataclass(frozen=True)
class Unknown:
    pair: Pair


@dataclass(frozen=True)
class Mixed:
    both: tuple[Leaf, int]


@pytest.mark.parametrize("value", [Ambiguous(Leaf("a")), Unknown(Pair(1)), Mixed((Leaf("a"), 1))])
def test_type__that_the_stored_form_does_not_tell__is_refused_at_once(value: Any) -> None:
    with pytest.raises(TypeError, match="no stored form"):
        encode(value)
