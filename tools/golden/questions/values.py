"""Random JSON values, of every type and mostly awkward ones."""

from random import Random
from typing import Any

TEXTS = [
    "",
    "a",
    "A",
    "DE",
    "de",
    "de-DE",
    "summer sale",
    "chrome",
    "10",
    " 10 ",
    "+10",
    "1e1",
    "10.0",
    "010",
    ".5",
    "5.",
    "-0",
    "0x1F",
    "0X1f",
    "0b11",
    "0o17",
    "0x",
    "-0x10",
    "1_000",
    "1,000",
    "١٢",
    "\u00a07\ufeff",
    "\u00857",
    "\u180e7",
    "7\n",
    "Infinity",
    "-Infinity",
    "infinity",
    "NaN",
    "nan",
    "1e400",
    "-1e400",
    "1e-400",
    "true",
    "false",
    "null",
    "undefined",
    "[object Object]",
    "1.2.3",
    "v1.2.3",
    "1.2.3-beta.2",
    "1.2.3-beta.10",
    "1.2.3+build.5",
    "1.10.0",
    "1.2",
    "1.2.3.4",
    "vv1.2.3",
    "1..2",
    "-1.2.3",
    "1.٢.3",
    "123456.1.1",
    "ß",
    "ẞ",
    "SS",
    "İ",
    "i̇",
    "ı",
    "ſ",
    "K",
    "k",
    "ΑΣ",
    "ας",
    "ΑΣΑ",
    "ǅ",
    "Å",
    "😀",
    "😀😃",
    "\ud83d",
    "\ude00",
    "\ude00\ud83d",
    "\uffff",
    "\U00010400",
    "\U00010428",
    "\u0000",
    "a\nb",
    "\u2028",
    "monday",
    "13:05",
    "constructor",
    "x" * 300,
]
NUMBERS = [
    0,
    -0.0,
    1,
    -1,
    2,
    7,
    10,
    15,
    31,
    0.1,
    0.5,
    1.5,
    0.1 + 0.2,
    100,
    1e21,
    1e20,
    123456789012345680000,
    1e-6,
    1e-7,
    1.7976931348623157e308,
    5e-324,
    2**31,
    2**32,
    2**53,
    2**53 + 1,
    -(2**53) - 1,
    2**63,
    2**64,
    10**30,
    -1.5e-10,
    12345.678,
    4.35,
    1e16,
    1.2,
]
NAMES = ["a", "b", "country", "tags", "cart", "", "length", "0", "1", "01", "__proto__", "constructor", "toString", "é"]


def scalar(random: Random) -> Any:
    """Null, a boolean, a number or a text."""
    kind = random.random()
    if kind < 0.08:
        return None
    if kind < 0.2:
        return random.random() < 0.5
    if kind < 0.5:
        return number(random)
    return text(random)


def number(random: Random) -> int | float:
    """A number: awkward, small, or any double."""
    kind = random.random()
    if kind < 0.6:
        return random.choice(NUMBERS)
    if kind < 0.8:
        return random.randrange(-5, 120)
    return random.uniform(-1, 1) * 10.0 ** random.randrange(-25, 25)


def text(random: Random) -> str:
    """A text: awkward, or two joined, or of any code units."""
    kind = random.random()
    if kind < 0.8:
        return random.choice(TEXTS)
    if kind < 0.93:
        return random.choice(TEXTS)[:20] + random.choice(TEXTS)[:20]
    return "".join(chr(random.choice([random.randrange(0x250), random.randrange(0x10000)])) for _ in range(5))


def value(random: Random, depth: int = 2) -> Any:
    """Any JSON value."""
    kind = random.random() if depth else 1.0
    if kind < 0.2:
        return [value(random, depth - 1) for _ in range(random.choice([0, 1, 1, 2, 3]))]
    if kind < 0.35:
        return {name(random): value(random, depth - 1) for _ in range(random.choice([0, 1, 1, 2]))}
    return scalar(random)


def exact(given: Any) -> Any:
    """The value with whole numbers beyond 2^53 as the doubles that every JSON reader of a browser makes of them."""
    if isinstance(given, list):
        return [exact(item) for item in given]
    if isinstance(given, dict):
        return {key: exact(item) for key, item in given.items()}
    return float(given) if isinstance(given, int) and abs(given) > 2**53 else given


def name(random: Random) -> str:
    """The name of a property."""
    return random.choice(NAMES) if random.random() < 0.9 else text(random)[:8]


def near(random: Random, given: Any) -> Any:
    """The value itself, or one that a careless comparison takes for it."""
    if random.random() < 0.5:
        return given
    if isinstance(given, bool):
        return random.choice([not given, int(given), str(given).lower(), None])
    if isinstance(given, int | float):
        return random.choice([given + 1, -given, float(given) if abs(given) < 1e300 else 0, f"{given}", given > 0])
    if isinstance(given, str):
        return random.choice([given.swapcase(), given + " ", given[1:], given.lower(), _parsed(given), [given]])
    if isinstance(given, list):
        return random.choice([given[:1], given[::-1], [*given, None], given[0] if given else {}, {}])
    return random.choice([False, 0, "", "null", {}, [], None])


def _parsed(text_: str) -> Any:
    try:
        return int(text_)
    except ValueError:
        return len(text_)
