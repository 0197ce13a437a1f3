"""Names of folders, blocks and goals in files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.experiment_files.part_names import (
    block_names,
    distinct,
    folders_of,
    is_name,
    slug_of,
    with_file_names,
)
from abtest.domain.experiment_files.paths import in_variation, place_of
from tests.unit.experiments.examples import CONTROL, TREATMENT, arm, experiment


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Dated banner", "dated-banner"),
        ("  Über — 20 % ", "uber-20"),
        ("日本", "variation"),
        ("NUL", "nul-variation"),
        ("a" * 300, "a" * 48),
        ("a" * 47 + " b", "a" * 47),
    ],
)
def test_slug__of_a_name__is_lower_case_ascii(text: str, slug: str) -> None:
    assert slug_of(text, "variation") == slug


@given(st.lists(st.tuples(st.none() | st.sampled_from(["a", "a-2", "b"]), st.text(max_size=60)), max_size=8))
def test_distinct__any_names__are_all_different_and_can_be_paths(names: list[tuple[str | None, str]]) -> None:
    chosen = distinct([(given_name, slug_of(text, "variation")) for given_name, text in names])
    assert len(set(chosen)) == len(chosen)
    assert all(is_name(name) and place_of(in_variation(name, "variation.json")) for name in chosen)


@given(st.lists(st.text(min_size=1, max_size=100), max_size=8))
def test_block_names__of_any_ids__are_stable_when_they_are_derived_from_themselves(ids: list[str]) -> None:
    assert block_names(block_names(ids)) == block_names(ids)


def test_folders__of_two_variations_with_one_name__have_a_number() -> None:
    twins = arm(arm(experiment(), 0, name="Same"), 1, name="Same")
    assert [name for name, _ in folders_of(twins)] == ["same", "same-2"]


def test_file_names__that_are_the_derived_ones__are_not_stored() -> None:
    plain = experiment()
    assert with_file_names(plain, ["a", "b"], ["buys"]).file_names is None
    named = with_file_names(plain, ["a", "treatment"], ["buys"])
    assert named.file_names is not None
    assert {CONTROL: "a", TREATMENT: "treatment"}.items() <= named.file_names.items()
    assert [name for name, _ in folders_of(arm(named, 1, name="Renamed"))] == ["a", "treatment"]
