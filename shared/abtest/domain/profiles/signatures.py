"""Platforms and tools by their signs. The signs are data, in `signatures.toml`; this module reads and compares them."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from abtest.domain.profiles.page import Clue, StorePage

ToolKind = Literal["platform", "consent", "tag_manager", "analytics", "experiments", "framework"]
PageKind = Literal["home", "product", "collection", "cart", "content"]

ENOUGH = 0.8
"""Confidence from which a statement is made. Below it nothing is reported: a wrong guess is worse than none."""

MAX_CLUES = 3
_AROUND = 80
_BY_PATH: tuple[PageKind, ...] = ("cart", "product", "collection")


class Sign(NamedTuple):
    """Sign of a tool: where it is looked for, what must match, what it is worth, and the detail that it shows."""

    place: str
    pattern: re.Pattern[str]
    weight: float
    detail: str | None


class Signature(NamedTuple):
    """Tool with its signs."""

    key: str
    name: str
    kind: ToolKind
    signs: tuple[Sign, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """Tool that the pages show, how sure that is, and why. `details` are such as theme, version or id."""

    key: str
    name: str
    kind: ToolKind
    confidence: float
    details: Mapping[str, Sequence[str]]
    clues: tuple[Clue, ...]
    sources: Mapping[str, Clue]
    """Quotation that shows the first value of each detail."""


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("signatures.toml").read_text("utf-8"))


@cache
def signatures() -> tuple[Signature, ...]:
    """Return all signatures, in the order of the file."""
    return tuple(
        Signature(
            key=tool["key"],
            name=tool["name"],
            kind=tool["kind"],
            signs=tuple(
                Sign(sign["in"], re.compile(sign["match"], re.IGNORECASE), sign["weight"], sign.get("detail"))
                for sign in tool["signs"]
            ),
        )
        for tool in _table()["tool"]
    )


@cache
def _paths() -> Mapping[str, re.Pattern[str]]:
    return {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _table()["paths"].items()}


@cache
def second_person(language: str) -> frozenset[str]:
    """Return the words that address the reader in a language (`de`, `en`); none for a language without a row."""
    return frozenset(_table()["second_person"].get(language, "").split())


def kind_of_path(path: str) -> PageKind | None:
    """Return the kind of page that a path (with its query) suggests; None for one that is not to be opened."""
    if _paths()["skipped"].search(path):
        return None
    bare = path.partition("?")[0]
    if bare in ("", "/"):
        return "home"
    return next((kind for kind in _BY_PATH if _paths()[kind].search(bare)), "content")


def detected(pages: Sequence[StorePage]) -> list[Detection]:
    """Return the tools with enough evidence in the pages, in the order of the file."""
    texts = [(page, _places(page)) for page in pages]
    each = (_detection(signature, texts) for signature in signatures())
    return [detection for detection in each if detection is not None]


def _places(page: StorePage) -> Mapping[str, Sequence[str]]:
    return {
        "script": [script.url for script in page.scripts],
        "style": page.stylesheets,
        "inline": page.inline,
        "meta": [f"{name}={content}" for name, content in page.metas],
        "header": [f"{name}: {value}" for name, value in page.headers],
        "cookie": page.cookies,
        "class": [page.body_class],
        "mark": page.marks,
    }


def _detection(
    signature: Signature, texts: Iterable[tuple[StorePage, Mapping[str, Sequence[str]]]]
) -> Detection | None:
    doubt = 1.0
    clues: list[Clue] = []
    details: dict[str, dict[str, None]] = {}
    sources: dict[str, Clue] = {}
    seen: set[Sign] = set()
    for page, places in texts:
        for sign, match in _matches(signature.signs, places):
            if sign.detail:
                details.setdefault(sign.detail, {})[match["value"]] = None
                sources.setdefault(sign.detail, page.clue(_quoted(sign.place, match)))
            # A sign counts once: the same script on a hundred pages is worth as much as on one.
            if sign not in seen and sign.weight:
                seen.add(sign)
                doubt *= 1 - sign.weight
                clues.append(page.clue(_quoted(sign.place, match)))
    confidence = round(1 - doubt, 3)
    if confidence < ENOUGH:
        return None
    return Detection(
        key=signature.key,
        name=signature.name,
        kind=signature.kind,
        confidence=confidence,
        details={name: list(values)[:MAX_CLUES] for name, values in details.items()},
        clues=tuple(clues[:MAX_CLUES]),
        sources=sources,
    )


def _matches(signs: Iterable[Sign], places: Mapping[str, Sequence[str]]) -> Iterator[tuple[Sign, re.Match[str]]]:
    for sign in signs:
        for text in places[sign.place]:
            if match := sign.pattern.search(text):
                yield sign, match
                break


def _quoted(place: str, match: re.Match[str]) -> str:
    """Return the match with what surrounds it, after the name of its place."""
    text = match.string[max(0, match.start() - _AROUND) : match.end() + _AROUND]
    return f"{place}: {' '.join(text.split())}"
