"""Random regular expressions that tend to trouble, and texts that are hostile to each; the same for the same seed.

The expression and the words it matches come from one tree of lists made here, so nothing of the analysis under test is
used to attack it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

LENGTH = 2000

SETS = {
    ".": "abx/-?.",
    "[^]": "abx/\n",
    "[^/]": "abx-?=",
    "[^?]": "abx/-",
    r"[\w-]": "abx-19",
    r"\w": "abx19",
    r"\d": "0129",
    r"\S": "abx/9",
    "[a-z]": "abx",
    "[ab]": "ab",
    "[bx]": "bx",
    r"\D": "ab/-",
    r"\s": " \n",
    r"[^\s/]": "ab-x",
}
LITERALS = ["a", "b", "x", "ab", "aa", "aba", "/", "/p/", "-", "-x", r"\.", r"\?", "=", "q=", "shop", "xx", "1", "a/b"]
WORDS_BETWEEN = ["", "x", "/", "-", "ab", "?", "b", "=", "\n"]


@dataclass(frozen=True)
class Grown:
    """An expression, and a maker of words that it matches, its assertions apart."""

    source: str
    word: Callable[[Random], str]


@dataclass(frozen=True)
class Question:
    """An expression, texts of 2,000 characters against it, and short ones to see whether forms of it agree."""

    source: str
    hostile: list[str]
    short: list[str]


def question(random: Random) -> Question:
    """One expression with its texts."""
    grown = _whole(random)
    words = [grown.word(random)[:200] for _ in range(8)]
    return Question(grown.source, _hostile(random, words, 8), _short(random, words))


def texts_for(source: str, random: Random) -> list[str]:
    """Texts against an expression that was not made here: from its own letters and words."""
    pieces = [piece for piece in _split(source) if piece]
    return _hostile(random, pieces or ["a"], 8)


def _split(source: str) -> list[str]:
    plain = "".join(letter if letter.isalnum() or letter in "/-=_.&" else " " for letter in source)
    return [*plain.split(), *plain.replace(" ", ""), "a", "/", "-", "1"]


def _whole(random: Random) -> Grown:
    start = random.choice(["", "", "", "^", "^", r"\b"])
    end = random.choice(["", "", "$", "$", "x", "[^]$", r"\b"])
    if random.random() < 0.1:
        options = [_sequence(random, 2), _sequence(random, 2)]
        return Grown(start + "|".join(each.source for each in options) + end, options[0].word)
    inner = _sequence(random, 2)
    return Grown(start + inner.source + end, inner.word)


def _sequence(random: Random, depth: int) -> Grown:
    parts = [_part(random, depth) for _ in range(random.choice([1, 2, 2, 3, 4]))]
    return Grown("".join(part.source for part in parts), lambda chance: "".join(part.word(chance) for part in parts))


def _part(random: Random, depth: int) -> Grown:
    atom = _atom(random, depth)
    least, most, sign = random.choice(
        [(1, 1, ""), (1, 1, ""), (1, 1, ""), (0, 9, "*"), (1, 9, "+"), (0, 1, "?"), (0, 9, "*?"), _count(random)]
    )
    return Grown(
        atom.source + sign, lambda chance: "".join(atom.word(chance) for _ in range(chance.randint(least, most)))
    )


def _count(random: Random) -> tuple[int, int, str]:
    least = random.choice([0, 1, 2, 5])
    most = least + random.choice([0, 1, 3, 10, 40])
    return random.choice([(least, most, f"{{{least},{most}}}"), (least, least + 9, f"{{{least},}}"), (2, 2, "{2}")])


def _atom(random: Random, depth: int) -> Grown:
    kind = random.random()
    if depth and kind < 0.25:
        inner = _sequence(random, depth - 1)
        return Grown(random.choice(["(", "(?:"]) + inner.source + ")", inner.word)
    if depth and kind < 0.4:
        options = [_sequence(random, depth - 1) for _ in range(random.choice([2, 2, 3]))]
        return Grown(
            f"({'|'.join(each.source for each in options)})", lambda chance: chance.choice(options).word(chance)
        )
    if kind < 0.7:
        name, letters = random.choice(list(SETS.items()))
        return Grown(name, lambda chance: chance.choice(letters))
    literal = random.choice(LITERALS)
    plain = literal.replace("\\", "")
    return Grown(literal if len(plain) == 1 else f"(?:{literal})", lambda chance: plain)


def _hostile(random: Random, words: list[str], count: int) -> list[str]:
    made = [_pumped(random, words) for _ in range(count)]
    return [*made, "a" * LENGTH, random.choice(words)[:1] * LENGTH]


def _pumped(random: Random, words: list[str]) -> str:
    """Up to three stretches, each a word or a part of one, repeated; then what breaks a match."""
    stretches = random.choice([1, 1, 2, 3])
    text = random.choice(["", random.choice(words)])
    for _ in range(stretches):
        word = random.choice(words) + random.choice(WORDS_BETWEEN)
        cut = sorted((random.randrange(len(word) + 1), random.randrange(len(word) + 1)))
        pump = random.choice([word, word[cut[0] : cut[1]], word[: cut[1]]]) or "a"
        text += (pump * LENGTH)[: (LENGTH - len(text)) if stretches == 1 else LENGTH // stretches]
    return text[: LENGTH - 2] + random.choice(["", "!", "\n", "/", "\n!"])


def _short(random: Random, words: list[str]) -> list[str]:
    """Short texts near to a match."""
    made = []
    for word in words:
        text = random.choice(["", *WORDS_BETWEEN]) + word[: random.randrange(1, 25)] + random.choice(WORDS_BETWEEN)
        at = random.randrange(len(text) + 1)
        made += [text, text[:at] + random.choice(WORDS_BETWEEN) + text[at:], text[:at] + text[at + 1 :]]
    return made
