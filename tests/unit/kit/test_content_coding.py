"""If-None-Match: which tags of a client name the response, alone or in any coding."""

import pytest

from abtest.kit.content_coding import is_held


@pytest.mark.parametrize(
    ("header", "expected", "in_any_coding"),
    [
        (None, False, False),
        ('"ab-br"', True, True),
        ('W/"ab-br"', True, True),
        ('"x", "ab-br"', True, True),
        ("*", True, True),
        (" * ", True, True),
        ('"ab"', False, True),
        ('"x", W/"ab-gzip"', False, True),
        ('"ab-br-br"', False, False),
        ("ab-br", False, False),
        ("", False, False),
    ],
)
def test_tag__of_a_variant__is_held_weakly_compared(header: str | None, expected: bool, in_any_coding: bool) -> None:
    assert is_held(header, '"ab-br"') is expected
    assert is_held(header, '"ab-br"', in_any_coding=True) is in_any_coding


def test_tag__that_is_weak__is_held_by_its_strong_form_as_well() -> None:
    assert is_held('"3"', 'W/"3"')
    assert not is_held('W/"33"', 'W/"3"')
