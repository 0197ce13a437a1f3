"""Redirect destinations: the cases of the storefront's own test, and answers of Node for odd addresses."""

import pytest

from abtest.domain.assignment.destination import destination_of

CASES = [
    ("https://a.example/new", "https://a.example/old", "https://a.example/new"),
    ("/new", "https://a.example/old?x=1#top", "https://a.example/new?x=1#top"),
    ("/new?x=2#mine", "https://a.example/old?x=1&y=3#top", "https://a.example/new?x=2&y=3#mine"),
    ("/new", "https://a.example/old?x=1&x=2", "https://a.example/new?x=1&x=2"),
    ("/p?view=alt", "https://a.example/p?u=1", "https://a.example/p?view=alt&u=1"),
]


@pytest.mark.parametrize(("target", "here", "expected"), CASES)
def test_destination__with_the_visitors_query_and_fragment__lets_its_own_win(
    target: str, here: str, expected: str
) -> None:
    assert destination_of(target, here) == expected


@pytest.mark.parametrize(("target", "here", "expected"), CASES)
def test_destination__from_itself__leads_nowhere(target: str, here: str, expected: str) -> None:
    assert destination_of(target, expected) is None


@pytest.mark.parametrize(
    ("target", "here"),
    [
        ("/p?view=alt", "https://a.example/p?u=1&view=alt"),
        ("/p", "https://a.example/p?u=1#x"),
        ("javascript:alert(1)", "https://a.example/p"),
        ("http://", "https://a.example/p"),
        ("http://\ud800", "https://a.example/p"),
    ],
)
def test_destination__that_is_none_or_here__leads_nowhere(target: str, here: str) -> None:
    assert destination_of(target, here) is None


@pytest.mark.parametrize(
    ("target", "here", "expected"),
    [
        ("/n?a=%2A b", "https://a.example/o", "https://a.example/n?a=%2A%20b"),
        ("/n?a=%2A b", "https://a.example/o?c=é&c&=", "https://a.example/n?a=*+b&c=%C3%A9&c=&="),
        ("https://A.example:443/é", "http://a.example/%c3%a9?\ud800=1", "https://a.example/%C3%A9?%EF%BF%BD=1"),
        ("/p?a=1&a=2", "https://a.example/p?a=1", "https://a.example/p?a=1&a=2"),
        ("/p#other", "https://a.example/p#this", "https://a.example/p#other"),
    ],
)
def test_destination__of_odd_addresses__is_what_browsers_make_of_it(target: str, here: str, expected: str) -> None:
    assert destination_of(target, here) == expected
