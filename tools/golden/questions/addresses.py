"""Hostile questions about URL rules and hashes, the same for the same seed."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any

Question = dict[str, Any]

_BROKEN_LABEL = re.compile(r"xn--(?!bcher-kva\.example)")

# Left out: `^` in paths and broken `xn--` labels, about which browsers changed their minds after Node 20; spaces in
# hosts, which Chromium escapes where the standard refuses them; files, whose origin every engine makes up for itself.
HOSTS = [
    "example.com",
    "EXAMPLE.com",
    "shop.example.co.uk",
    "bücher.example",
    "xn--bcher-kva.example",
    "faß.de",
    "例え.jp",
    "localhost",
    "192.168.0.1",
    "0x7f.1",
    "[::1]",
    "[2001:DB8:0:0::1]",
    "example.com.",
    "a_b.example",
    "user:pw@example.com",
    "me@example.com",
    "exa%6Dple.com",
    "ex<ample.com",
    "example.com:8443",
    "example.com:443",
    "example.com:80",
    "localhost:3000",
    "_",
    "any-host.b7e2f1d4.invalid",
]
SCHEMES = [
    "https://",
    "http://",
    "//",
    "",
    "https:",
    "HTTP://",
    "ftp://",
    "ws://",
    "\thttps://",
    "mailto:",
    "app:",
    "*://",
    "ht*ps://",
]
SEGMENTS = [
    "",
    ".",
    "..",
    "%2e",
    "foo",
    "Foo",
    "products",
    "f",
    "a b",
    "é",
    "e\u0301",
    "%C3%A9",
    "%c3%a9",
    "%2F",
    "%2A",
    "😀",
    "\ud83d",
    "\udc00x",
    "(x)",
    "[y]",
    "{z}",
    "x.y",
    "a+b",
    "a$b",
    "|",
    "\\",
    "_____",
    "a\tb",
    "a\nb",
    "-",
    "%",
    "%zz",
    "ß",
    "ſ",
    "K",
    "İ",
    "ǅ",
    "10",
    "\u2028",
    "\ufeff",
    "'",
    '"',
    "<",
    "`",
]
NAMES = ["a", "b", "A", "utm_source", "q", "", "é", "%61", "a b", "a+b", "[]", "__proto__", "*", "\ud800"]
FRAGMENTS = ["", "#", "#top", "#Top", "#/r/1", "#é", "#a b", "#😀", "#a?b", "#a#b", "#%41"]
EXPRESSIONS = [
    r"^/post/[0-9]+",
    r"example\.com.*/post",
    r"(?<h>www)\.",
    r"/(foo|products)(/|$)",
    r"^https?://[^/]+/foo$",
    r"^/(?!foo)",
    r"(?<=/)foo",
    r"\bfoo\b",
    r"[a-z]+\d*$",
    r"%[0-9A-F]{2}",
    r"^.{20,40}$",
    r"\x61|\u0062|\u{63}",
    r"(a)\1",
    r"(?:)",
    r"[]",
    r"[^]",
    r"a{,2}",
    r"x{1",
    r"]",
    r"}",
    r"(",
    r"*",
    r"[b-a]",
    r"\c",
    r"\cA",
    r"[\w-z]",
    r"\_",
    r"\k<a>",
    r"(?=f)*f",
    r"\8",
    r"[\8]",
    r"\0",
    r"(?<a>f)\k<a>",
    r"a**",
    "é+",
    "[😀]|f",
    "😀?foo",
    r"\p{L}",
    r"^\S+$",
    "\ud800?f",
    r"#top$",
    r"\/foo\/",
    r"(?=.*foo)(?=.*bar)",
]
_ATOMS = [
    "a",
    "f",
    "o",
    "/",
    r"\.",
    ".",
    r"\d",
    r"\w",
    "[a-f]",
    "[^/]",
    "(?:o)",
    "(o)",
    r"\b",
    "^",
    "$",
    "-",
    "é",
    r"\1",
    "(?=f)",
    "(?!x)",
    "{",
    "}",
    "]",
    ",",
]
_QUANTIFIERS = ["", "", "", "*", "+", "?", "{1,2}", "{2}", "*?", "{,1}"]


def url_questions(random: Random, count: int) -> Iterator[Question]:
    """`{"type", "url", "pattern"}`; about half of the patterns are made from the address to match."""
    for _ in range(count):
        kind = random.choice(["simple", "simple", "simple", "regex"])
        url = address(random)
        pattern = expression(random) if kind == "regex" else simple_pattern(random, url)
        if not _BROKEN_LABEL.search(pattern.lower()):
            yield {"type": kind, "url": url, "pattern": pattern}


def hash_questions(random: Random, count: int) -> Iterator[Question]:
    """`{"seed", "value"}` over every kind of code unit."""
    for _ in range(count):
        yield {"seed": _text(random), "value": _text(random)}


def address(random: Random) -> str:
    """An address, often one that no browser shows."""
    place = random.choice(SCHEMES[:3] if random.random() < 0.7 else SCHEMES) + random.choice(HOSTS)
    if random.random() < 0.1:
        place = random.choice(["", "/", "?", "."])
    path = "/".join(["", *(random.choice(SEGMENTS) for _ in range(random.randrange(4)))])
    return place + path + _query(random) + random.choice(FRAGMENTS)


def simple_pattern(random: Random, url: str) -> str:
    """The address itself, mutilated; or one of its own making."""
    pattern = url if random.random() < 0.6 else address(random)
    for _ in range(random.randrange(3)):
        at = random.randrange(len(pattern) + 1)
        pattern = random.choice(
            [
                pattern[:at] + "*" + pattern[at + random.randrange(6) :],
                pattern.partition("://")[2] or pattern,
                pattern[: at or None],
                pattern[at:],
                pattern.swapcase(),
                pattern.replace("/", "/*", 1),
                pattern.replace("=", "=*"),
                pattern.partition("?")[0],
            ]
        )
    return pattern


def expression(random: Random) -> str:
    """A regular expression, sometimes a broken one."""
    if random.random() < 0.5:
        return random.choice(EXPRESSIONS)
    return "".join(random.choice(_ATOMS) + random.choice(_QUANTIFIERS) for _ in range(random.randrange(1, 7)))


def _query(random: Random) -> str:
    if random.random() < 0.4:
        return ""
    pairs = [_pair(random) for _ in range(random.randrange(4))]
    return "?" + "&".join(pairs)


def _pair(random: Random) -> str:
    name = random.choice(NAMES)
    return (
        name
        if random.random() < 0.1
        else f"{name}={random.choice(SEGMENTS)}{random.choice(['', '', '1', '=', '*', '+'])}"
    )


def _text(random: Random) -> str:
    low, high = random.choice(
        [(0, 0x7F), (0x20, 0x7E), (0x80, 0x7FF), (0x800, 0xFFFF), (0xD800, 0xDFFF), (0x10000, 0x10FFFF)]
    )
    return "".join(chr(random.randint(low, high)) for _ in range(random.randrange(40)))
