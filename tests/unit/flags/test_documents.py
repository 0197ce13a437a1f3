"""The stored form of flags, and what of a change is told."""

from dataclasses import replace

import pytest

from abtest.domain.changes.change import Change
from abtest.domain.flags.model import Flag
from abtest.kit import canonical_json
from abtest.kit.documents import decode, encode
from abtest.services.flags.store import FLAGS
from tests.support.any_json import any_json

NOW = "2026-03-02T09:00:00.000Z"
FLAG = Flag(
    id="f",
    shop_id="s",
    key="k",
    name="K",
    targeting={"pageMatchMode": "all"},
    on_value=None,
    created_at=NOW,
    updated_at=NOW,
)


def test_document__as_json__is_the_flag_again() -> None:
    assert decode(Flag, canonical_json.loads(canonical_json.encode(encode(FLAG)))) == FLAG


def test_document__of_another_release__has_defaults_and_loses_what_is_not_known() -> None:
    old = {"id": "f", "shop_id": "s", "key": "k", "name": "K", "created_at": NOW, "updated_at": NOW}
    assert decode(Flag, old | {"younger": 1}) == replace(FLAG, targeting=None, on_value=True)


def test_document__without_what_every_flag_has__is_refused() -> None:
    with pytest.raises(TypeError):
        decode(Flag, {"id": "f"})


@pytest.mark.parametrize("value", [1, 1.0, "True", [True]])
def test_change__of_true_to_what_python_takes_for_it__is_one(value: object) -> None:
    before = replace(FLAG, on_value=True)
    change = Change(before=before, after=replace(before, on_value=value), action="flag.update")
    assert not change.is_empty
    assert FLAGS.diff(change) == {"on_value": [True, value]}


def test_change__to_the_same__is_empty() -> None:
    assert Change(before=FLAG, after=replace(FLAG), action="flag.update").is_empty


def test_diff__of_a_large_value__tells_its_hash() -> None:
    change = Change(before=FLAG, after=replace(FLAG, on_value="x" * 60_000), action="flag.update")
    assert any_json(FLAGS.diff(change))["on_value"][1] == {
        "sha256": canonical_json.sha256("x" * 60_000),
        "length": 60_000,
    }
