"""Banned phrases in texts of any language: whole words, whatever their case, accents, punctuation and white space."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple
from unicodedata import category, combining, normalize

# Words of these scripts are written without spaces, so each of their characters begins and ends one.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]"
)

_ACCENTS = range(200, 241)
_POINTS = range(10, 36)
"""Combining classes of accents, and of the vowel points of Hebrew and Arabic. Other marks belong to their letter: the
voicing of kana, the tones of Thai, the vowels of Indic scripts."""


class _Words(NamedTuple):
    """Text without what does not count, and the places in it where words begin or end."""

    letters: str
    borders: frozenset[int]


def banned_phrases(texts: Iterable[str], phrases: Iterable[str]) -> list[str]:
    """Return the phrases that occur in the texts, in their order. A phrase does not run from one text into another."""
    read = [_words(text) for text in texts]
    return [phrase for phrase in phrases if any(_occurs(_words(phrase).letters, words) for words in read)]


def has_words(phrase: str) -> bool:
    """Return whether a phrase has letters or digits, without which it cannot occur."""
    return bool(_words(phrase).letters)


def _occurs(phrase: str, words: _Words) -> bool:
    return bool(phrase) and any(
        start in words.borders and start + len(phrase) in words.borders for start in _places(phrase, words.letters)
    )


def _places(phrase: str, letters: str) -> Iterator[int]:
    place = letters.find(phrase)
    while place >= 0:
        yield place
        place = letters.find(phrase, place + 1)


@lru_cache(maxsize=512)
def _words(text: str) -> _Words:
    letters: list[str] = []
    borders: set[int] = set()
    for character in normalize("NFKD", normalize("NFKD", text).casefold()):
        kind = category(character)[0]
        if kind == "M":
            # A mark belongs to the letter before it, so the border behind that letter moves behind the mark.
            if combining(character) not in _ACCENTS and combining(character) not in _POINTS:
                if len(letters) in borders:
                    borders.discard(len(letters))
                    borders.add(len(letters) + 1)
                letters.append(character)
        elif kind in "LN":
            if _UNSPACED.match(character):
                borders |= {len(letters), len(letters) + 1}
            letters.append(character)
        elif category(character) != "Cf":  # soft hyphens and joiners are inside of words
            borders.add(len(letters))
    return _Words("".join(letters), frozenset(borders | {0, len(letters)}))
