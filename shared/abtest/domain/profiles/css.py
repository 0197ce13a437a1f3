"""Rules and declarations of style sheets, scanned in one pass: sheets of stores are large, and may be broken."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

MAX_STYLES = 1024 * 1024
"""Characters of all styles that are read."""

MAX_RULES = 30_000
MAX_SELECTOR = 300
MAX_VALUE = 300
_DECLARATION = re.compile(r"([a-z-][\w-]{0,80})\s{0,8}:\s{0,8}([^;{}]{1,300})", re.IGNORECASE)
_COMMENT = re.compile(r"/\*[^*]{0,5000}\*+(?:[^/*][^*]{0,5000}\*+)*/")
_VARIABLE = re.compile(r"var\(\s{0,4}(--[\w-]{1,80})\s{0,4}(?:,\s{0,4}([^()]{0,80}))?\)")
_ROOTS = frozenset({":root", "html", "body", "*", ":host"})
_UNCONDITIONAL = ("@layer", "@supports")
_NESTED_VARIABLES = 3


class Rule(NamedTuple):
    """Rule that holds on every screen: the selectors, and the declarations in their order."""

    selectors: tuple[str, ...]
    declarations: tuple[tuple[str, str], ...]

    @property
    def is_root(self) -> bool:
        """Return whether the rule is about the whole page."""
        return not _ROOTS.isdisjoint(self.selectors)


def readable(styles: Iterable[str]) -> list[str]:
    """Return the beginnings of style sheets without their comments, up to the limit of all."""
    sheets, room = [], MAX_STYLES
    for style in styles:
        sheets.append(_COMMENT.sub(" ", style[:room]))
        room = max(0, room - len(style))
    return sheets


def declarations_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of each declaration, whatever it is in. Names are in lower case but for variables."""
    for match in _DECLARATION.finditer(text):
        name = match[1] if match[1].startswith("--") else match[1].lower()
        yield name, match[2].strip()


def rules_of(sheet: str) -> Iterator[Rule]:
    """Yield the rules outside of media queries, which hold for some screens, for print or in the dark."""
    yield from islice(_rules_of(sheet), MAX_RULES)


def _rules_of(sheet: str) -> Iterator[Rule]:
    start, conditions = 0, 0
    opened: list[str] = []
    for brace in re.finditer("[{}]", sheet):
        part = sheet[start : brace.start()]
        start = brace.end()
        if brace[0] == "{":
            opened.append(part.rpartition(";")[2][-MAX_SELECTOR:].strip().lower())
            conditions += _is_condition(opened[-1])
        elif opened:
            prelude = opened.pop()
            conditions -= _is_condition(prelude)
            if ":" in part and not conditions and not prelude.startswith("@"):
                yield Rule(tuple(each.strip() for each in prelude.split(",")), tuple(declarations_of(part)))


def _is_condition(prelude: str) -> bool:
    return prelude.startswith("@") and not prelude.startswith(_UNCONDITIONAL)


def variables_of(sheets: Iterable[str], rules: Iterable[Rule]) -> dict[str, str]:
    """Return the custom properties. Those of the whole page win over those of its parts, themes and screens."""
    anywhere = (each for sheet in sheets for each in declarations_of(sheet))
    of_page = (each for rule in rules if rule.is_root for each in rule.declarations)
    return {name: value for part in (anywhere, of_page) for name, value in part if name.startswith("--")}


def computed(value: str, variables: Mapping[str, str]) -> str:
    """Return a value with its custom properties put in, and these with theirs."""

    def known(match: re.Match[str]) -> str:
        return variables.get(match[1], match[2] or "")[:MAX_VALUE]

    for _ in range(_NESTED_VARIABLES):
        if "var(" not in value:
            break
        value = _VARIABLE.sub(known, value)[:MAX_VALUE]
    return value
