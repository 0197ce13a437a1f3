"""Ranges of exclusion groups: they never overlap, and nobody moves who need not."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.exclusion_groups.allocation import Shares, reallocate
from abtest.domain.exclusion_groups.documents import exclusion_group_document, exclusion_group_from
from abtest.domain.exclusion_groups.editing import edited
from abtest.domain.exclusion_groups.model import ExclusionGroup, Member
from abtest.kit.errors import ValidationFailedError

MOMENT, LATER = "2026-03-02T09:00:00.000Z", "2026-03-03T09:00:00.000Z"
IDS = [f"e{number}" for number in range(20)]


@st.composite
def shares(draw: st.DrawFn) -> Shares:
    """Up to twenty members whose shares sum to 1 at most, whole buckets or not."""
    ids = draw(st.lists(st.sampled_from(IDS), unique=True, max_size=20))
    parts = draw(st.lists(st.floats(0, 1), min_size=len(ids), max_size=len(ids)))
    total = draw(st.floats(0, 1))
    scale = total / sum(parts) if sum(parts) > 0 else 0
    return [(found, min(1.0, part * scale)) for found, part in zip(ids, parts, strict=True)]


def buckets(member: Member) -> set[int]:
    return {bucket for start, end in member.ranges for bucket in range(start, end)}


def held(members: Sequence[Member]) -> dict[str, set[int]]:
    return {member.experiment_id: buckets(member) for member in members}


def history(*changes: Shares) -> tuple[Member, ...]:
    members: tuple[Member, ...] = ()
    for change in changes:
        members = reallocate(members, change)
    return members


@given(st.lists(shares(), max_size=5), shares())
def test_ranges__after_any_history__never_overlap_and_fill_the_shares(before: list[Shares], now: Shares) -> None:
    members = history(*before, now)
    ranges = sorted(found for member in members for found in member.ranges)
    assert all(0 <= start < end <= 10_000 for start, end in ranges)
    assert all(end <= start for (_, end), (start, _) in pairwise(ranges))
    asked = [int(10_000 * share + 0.5) for _, share in now]
    given_buckets = [len(found) for found in held(members).values()]
    assert sum(given_buckets) == min(10_000, sum(asked))
    assert all(got <= wish for got, wish in zip(given_buckets, asked, strict=True))
    assert [(member.experiment_id, member.share) for member in members] == list(now)


@given(st.lists(shares(), min_size=1, max_size=5), shares())
def test_ranges__when_shares_change__nobody_leaves_a_member_that_does_not_shrink(
    before: list[Shares], now: Shares
) -> None:
    old = held(history(*before))
    for experiment_id, kept in held(reallocate(history(*before), now)).items():
        had = old.get(experiment_id, set())
        assert kept <= had or kept >= had
        if len(kept) < len(had):
            assert int(10_000 * dict(now)[experiment_id] + 0.5) == len(kept)


@given(st.lists(shares(), max_size=4), shares())
def test_ranges__stated_again__stay(before: list[Shares], now: Shares) -> None:
    members = history(*before, now)
    assert reallocate(members, now) == members
    assert held(reallocate(members, list(reversed(now)))) == held(members)


def test_ranges__of_the_adr__fifth_member_takes_a_fifth_of_the_rest() -> None:
    quarters = history([(found, 0.25) for found in IDS[:4]])
    assert [member.ranges for member in quarters] == [
        ((0, 2500),),
        ((2500, 5000),),
        ((5000, 7500),),
        ((7500, 10_000),),
    ]
    *rest, fifth = reallocate(quarters, [*((found, 0.2) for found in IDS[:4]), (IDS[4], 0.2)])
    assert fifth.ranges == ((2000, 2500), (4500, 5000), (7000, 7500), (9500, 10_000))
    assert rest[0].ranges == ((0, 2000),)


def test_ranges__rounding_that_asks_for_too_much__leaves_the_last_short() -> None:
    first, last = history([("a", 0.33335), ("b", 0.66665)])
    assert (first.ranges, last.ranges) == (((0, 3334),), ((3334, 10_000),))
    assert held(reallocate((first, last), [("a", 0.33335), ("b", 0.66665)])) == held((first, last))


def group(*members: tuple[str, float]) -> ExclusionGroup:
    blank = ExclusionGroup(id="g", shop_id="s", name="Checkout tests", created_at=MOMENT, updated_at=MOMENT)
    return edited(blank, {"members": stated(*members)}, MOMENT) if members else blank


def stated(*members: tuple[str, float]) -> list[Any]:
    return [{"experiment_id": found, "share": share} for found, share in members]


def test_epoch__rises_with_members_and_shares_only() -> None:
    before = group(("a", 0.5), ("b", 0.5))
    assert edited(before, {"name": "Other"}, LATER).epoch == before.epoch
    assert edited(before, {"members": stated(("b", 0.5), ("a", 0.5))}, LATER).epoch == before.epoch
    assert edited(before, {"members": stated(("a", 0.4), ("b", 0.5))}, LATER).epoch == before.epoch + 1
    assert edited(before, {"members": stated(("a", 0.5))}, LATER).epoch == before.epoch + 1


def test_edit__that_changes_nothing__is_the_same_group() -> None:
    before = group(("a", 0.5))
    assert edited(before, {"name": before.name, "members": stated(("a", 0.5))}, LATER) is before


@pytest.mark.parametrize("members", [(("a", 0.4), ("b", 0.6)), (("a", 0.5), ("b", 0.5 + 9e-7)), (("a", 0.0),), ()])
def test_members__whose_shares_sum_to_1_or_less__are_taken(members: tuple[tuple[str, float], ...]) -> None:
    taken = edited(group(("z", 1.0)), {"members": stated(*members)}, LATER)
    assert exclusion_group_from(exclusion_group_document(taken)) == taken


@pytest.mark.parametrize(
    ("members", "path"),
    [
        ((("a", 0.5), ("b", 0.5 + 2e-6)), "members"),
        ((("a", 0.1), ("b", 0.1), ("a", 0.1)), "members[2].experiment_id"),
    ],
)
def test_members__that_cannot_be__are_refused(members: tuple[tuple[str, float], ...], path: str) -> None:
    with pytest.raises(ValidationFailedError) as refusal:
        edited(group(), {"members": stated(*members)}, LATER)
    assert [found.path for found in refusal.value.fields] == [path]
