"""Identifiers."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.kit.ids import (
    Randomness,
    SystemRandomness,
    base62,
    before_uuid7,
    is_uuid,
    named_uuid7,
    public_id,
    random_base62,
    uuid7,
    uuid7_milliseconds,
)

NOW = datetime(2026, 1, 31, 12, 0, 0, 123_000, tzinfo=UTC)
MOMENTS = st.integers(0, 253_370_764_800_000_000).map(
    lambda us: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=us)
)


class Bits:
    """Randomness that always gives the highest or the lowest bits."""

    def __init__(self, ones: bool) -> None:
        self._ones = ones

    def bits(self, count: int) -> int:
        return (1 << count) - 1 if self._ones else 0


def test_uuid7__example_of_the_rfc__has_its_layout() -> None:
    value = uuid.UUID(uuid7(datetime(2022, 2, 22, 19, 22, 22, tzinfo=UTC), Bits(ones=False)))
    assert str(value) == "017f22e2-79b0-7000-8000-000000000000"


def test_uuid7_milliseconds__of_the_rfcs_example__is_its_moment_and_of_another_version_none() -> None:
    assert uuid7_milliseconds("017f22e2-79b0-7cc3-98c4-dc0c0c07398f") == 1_645_557_742_000
    for text in ("919108f7-52d1-4320-9bac-f847db4148a8", "no id"):
        with pytest.raises(ValueError):
            uuid7_milliseconds(text)


@given(MOMENTS, st.booleans())
def test_uuid7__any_moment__is_version_7_of_the_rfc_variant(moment: datetime, ones: bool) -> None:
    value = uuid.UUID(uuid7(moment, Bits(ones)))
    assert (value.version, value.variant) == (7, uuid.RFC_4122)
    assert is_uuid(str(value))


@given(MOMENTS, MOMENTS)
def test_uuid7__of_two_milliseconds__sorts_as_they_do(one: datetime, other: datetime) -> None:
    earlier, later = sorted((one, other))
    if later - earlier >= timedelta(milliseconds=1):
        assert uuid7(earlier, Bits(ones=True)) < uuid7(later, Bits(ones=False))


def test_uuid7__in_one_millisecond__never_repeats() -> None:
    assert len({uuid7(NOW, SystemRandomness()) for _ in range(10_000)}) == 10_000


def test_named_uuid7__of_a_moment_and_a_name__is_one_of_version_7_for_ever() -> None:
    """Releases may differ between who begins something and who repeats it."""
    found = named_uuid7(NOW, "inbox one")
    assert found == "019c13ec-9e7b-7000-af32-256c0d2e24da"
    assert uuid7_milliseconds(found) == uuid7_milliseconds(uuid7(NOW, SystemRandomness()))
    assert (uuid.UUID(found).version, uuid.UUID(found).variant) == (7, uuid.RFC_4122)
    others = {named_uuid7(NOW, "audit one"), named_uuid7(NOW + timedelta(milliseconds=1), "inbox one")}
    assert len(others | {found}) == 3


@pytest.mark.parametrize("text", ["017f22e2-79b0-7000-8000-000000000000", "017F22E2-79B0-7000-8000-00000000000A"])
def test_is_uuid__canonical_form__in_either_case(text: str) -> None:
    assert is_uuid(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "017f22e279b070008000000000000000",
        "{017f22e2-79b0-7000-8000-000000000000}",
        "urn:uuid:017f22e2-79b0-7000-8000-000000000000",
        "017f22e2-79b0-7000-8000-00000000000g",
        "017f22e2-79b0-7000-8000-00000000000\n",
        "017f22e2-79b0-7000-8000-0000000000٠٠",
        "017f22e27-9b0-7000-8000-000000000000",
        "x" * 36,
        "-" * 36,
    ],
)
def test_is_uuid__anything_else__is_none(text: str) -> None:
    assert not is_uuid(text)


@given(st.text(max_size=40))
def test_is_uuid__any_text__never_raises(text: str) -> None:
    assert is_uuid(text) in (True, False)


def test_public_id__any_randomness__has_ten_digits_and_starts_with_none_of_zero() -> None:
    sources: list[Randomness] = [Bits(ones=False), Bits(ones=True), *[SystemRandomness()] * 1_000]
    for randomness in sources:
        found = public_id(randomness)
        assert len(found) == 10
        assert found.isdigit()
        assert found[0] != "0"


@given(
    st.integers(0, 200_000_000_000_000_000).map(
        lambda count: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=count)
    )
)
def test_before_uuid7__of_a_moment__divides_its_ids_from_those_of_earlier_milliseconds(moment: datetime) -> None:
    whole = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    assert before_uuid7(moment) == before_uuid7(whole) < uuid7(whole, SystemRandomness())
    earlier = whole - timedelta(microseconds=1)
    if earlier.year >= 1970:
        assert uuid7(earlier, SystemRandomness()) < before_uuid7(moment)


def test_base62__number__is_padded_and_cut_to_its_lowest_digits() -> None:
    assert (base62(0, 3), base62(61, 3), base62(62, 3), base62(62**3 + 5, 3)) == ("000", "00z", "010", "005")


@given(st.integers(0, 62**8 - 1))
def test_base62__any_number__can_be_read_back(value: int) -> None:
    alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    read = 0
    for digit in base62(value, 8):
        read = read * 62 + alphabet.index(digit)
    assert read == value


def test_random_base62__many__uses_every_digit_about_equally() -> None:
    text = random_base62(62_000, SystemRandomness())
    counts = [text.count(digit) for digit in set(text)]
    assert len(counts) == 62
    assert 800 < min(counts) <= max(counts) < 1_200
