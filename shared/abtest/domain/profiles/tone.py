"""Tone of a store's texts as counted facts; judging it is left to people."""

import re
from collections import Counter
from collections.abc import Sequence

from abtest.domain.profiles.model import Tone
from abtest.domain.profiles.page import StorePage
from abtest.domain.profiles.signatures import second_person

MAX_CALLS = 8
MAX_CALL_WORDS = 6
_WORD = re.compile(r"[^\W\d_][\w'’]*")
_SENTENCE = re.compile(r"[.!?…]+(?=\s|$)")
MIN_WORDS = 50
"""Words from which rates mean anything."""


def tone_of(pages: Sequence[StorePage], language: str) -> Tone:
    """Return the tone of pages in a language (`de`)."""
    # Head and foot of a store are the same on each page, so a headline or a button counts once for the store.
    headlines = list(dict.fromkeys(text for page in pages for text in page.headings))
    lengths = [count for text in headlines if (count := len(_WORD.findall(text)))]
    words = [word.lower().replace("’", "'") for page in pages for word in _WORD.findall(page.text)]
    ends = [end for page in pages for end in _SENTENCE.findall(page.text)]
    addressing = second_person(language)
    calls = Counter(
        call for page in pages for call in dict.fromkeys(page.buttons) if 0 < len(_WORD.findall(call)) <= MAX_CALL_WORDS
    )
    is_enough = len(words) >= MIN_WORDS
    return Tone(
        headlines=len(lengths),
        words_per_headline=round(sum(lengths) / len(lengths), 1) if lengths else None,
        exclamation_share=round(sum("!" in end for end in ends) / len(ends), 3) if ends and is_enough else None,
        second_person_share=(
            round(sum(word in addressing for word in words) / len(words), 4) if addressing and is_enough else None
        ),
        calls_to_action=tuple(call for call, _ in calls.most_common(MAX_CALLS)),
    )
