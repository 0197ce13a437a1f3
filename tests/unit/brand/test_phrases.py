"""Banned phrases: which spellings are the same phrase, in which places of a text, in which languages."""

from __future__ import annotations

import time

import pytest

from abtest.domain.brand.phrases import banned_phrases, has_words


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("best seller", "Our BEST  SELLER."),
        ("best seller", "A best-seller, again"),
        ("best seller", "bestseller"),
        ("Best-Seller!", "the best\nseller"),
        ("dont worry", "Don’t worry"),
        ("best", "the be\u00adst lamp"),
        ("creme brulee", "Crème brûlée"),
        ("Crème", "CREME"),
        ("strasse", "Große Straße 1"),
        ("ΟΔΟΣ", "η οδός μας"),
        ("100", "100% sure"),
        ("wow", "ｗｏｗ"),
        ("дешевый", "Самый дешевый, точно"),
        ("שלום", "שָׁלוֹם"),
        ("最安値", "当店は最安値です"),
        ("が", "水が美味しい"),
        ("ถูกที่สุด", "ราคาถูกที่สุดในไทย"),
        ("सस्ता", "सबसे सस्ता दीपक"),
        ("값싼", "값싼 램프"),
        ("guaranteed", "“Guaranteed”"),
    ],
)
def test_phrase__in_another_spelling__occurs(phrase: str, text: str) -> None:
    assert banned_phrases([text], [phrase]) == [phrase]


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("art", "A party for smart hearts"),
        ("best seller", "the best sellers"),
        ("best seller", "seller best"),
        ("cheap", "cheaper"),
        ("か", "水が美味しい"),
        ("सस्त", "सबसे सस्ता दीपक"),
        ("100", "1000 lamps"),
        ("!!!", "Now!!!"),
        ("", "Anything"),
        ("lamp", ""),
    ],
)
def test_part_of_a_word__or_another_word__does_not_occur(phrase: str, text: str) -> None:
    assert banned_phrases([text], [phrase]) == []


def test_phrase__over_two_texts__does_not_occur() -> None:
    assert banned_phrases(["the best", "seller of all", "cheap"], ["best seller", "cheap", "of all"]) == [
        "cheap",
        "of all",
    ]


def test_phrases__that_nearly_match_everywhere__take_no_long_time() -> None:
    texts = ["a" * 10_000, "a " * 5_000]
    began = time.process_time()
    assert banned_phrases(texts, ["a" * 299 + "b", *("a" * length for length in range(2, 50))]) == [
        "a" * length for length in range(2, 50)
    ]
    assert time.process_time() - began < 5


def test_phrase__of_signs_alone__has_no_words() -> None:
    assert [has_words(phrase) for phrase in ("!!!", "…", "no. 1", "最")] == [False, False, True, True]
