"""CSS of a sanitised SVG: parsed by the CSS syntax rules, checked against the allow-lists, and written again."""

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

import tinycss2

from abtest.domain.assets.errors import InvalidAssetError
from abtest.domain.assets.svg_vocabulary import FUNCTIONS, PROPERTIES, PSEUDO_FUNCTIONS

MAX_CSS_BYTES = 512 << 10
MAX_CSS_DEPTH = 16
_PLAIN_VALUE = re.compile(r"[\w\s#.,%+-]*")
"""Values of names, numbers, colors and lists have no syntax that needs a parser."""

# Possessive quantifiers: spaces could belong to either part, and a failing match would try every split of them.
_PLAIN_DECLARATION = re.compile(r"([a-z-]++)\s*+:\s*+([\w\s#.,%+-]++|url\(#[\w.:-]++\))")
_REFERENCE = re.compile(r"#[\w.:-]+")
_BRACKETS = {"() block", "[] block", "{} block"}
_SIMPLE = {"ident", "hash", "number", "percentage", "dimension", "whitespace", "literal", "comment"}
_GROUPS = {"media", "supports"}


class Token(Protocol):
    """Attributes of tinycss2's tokens and blocks that are read here; each kind has some of them."""

    type: str
    value: str
    lower_name: str
    arguments: Sequence["Token"]
    content: Sequence["Token"]


class Declaration(Protocol):
    """Declaration of tinycss2, by its type; a block's contents have other nodes between declarations."""

    type: str
    lower_name: str
    value: Sequence[Token]
    important: bool


class Rule(Protocol):
    """Qualified rule or at-rule of tinycss2."""

    type: str
    lower_at_keyword: str
    prelude: Sequence[Token]
    content: Sequence[Token] | None


class CssFilter:
    """Filter for the CSS of one document, with a budget for what needs the parser: it takes a second per megabyte."""

    def __init__(self) -> None:
        self._bytes_left = MAX_CSS_BYTES
        self.removed: set[str] = set()

    def value(self, text: str) -> str | None:
        """Return a presentation attribute's value; None when it may not be kept."""
        if _PLAIN_VALUE.fullmatch(text):
            return text
        self._spend(text)
        return _allowed_value(tinycss2.parse_component_value_list(text, skip_comments=True))

    def style(self, text: str) -> str:
        """Return the declarations of a `style` attribute that may be kept."""
        declarations = [part.strip() for part in text.split(";") if part.strip()]
        plain = [_PLAIN_DECLARATION.fullmatch(part) for part in declarations]
        if all(plain):
            kept = [match for match in plain if match and match[1] in PROPERTIES]
            self.removed.update(match[1] for match in plain if match and match[1] not in PROPERTIES)
            return ";".join(f"{match[1]}:{match[2]}" for match in kept)
        self._spend(text)
        return self._declarations(tinycss2.parse_blocks_contents(text, skip_comments=True, skip_whitespace=True))

    def sheet(self, text: str) -> str:
        """Return the rules of a style sheet that may be kept."""
        self._spend(text)
        return self._rules(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True), depth=0)

    def _spend(self, text: str) -> None:
        self._bytes_left -= len(text)
        if self._bytes_left < 0:
            raise InvalidAssetError(f"the file is an SVG image with more than {MAX_CSS_BYTES >> 10} KiB of CSS")

    def _rules(self, rules: Iterable[Rule], depth: int) -> str:
        return "".join(self._rule(rule, depth) for rule in rules)

    def _rule(self, rule: Rule, depth: int) -> str:
        if rule.type == "qualified-rule":
            return self._qualified(rule)
        if rule.type == "at-rule":
            return self._at_rule(rule, depth)
        return ""

    def _qualified(self, rule: Rule) -> str:
        selector = _serialized(rule.prelude, PSEUDO_FUNCTIONS)
        contents = tinycss2.parse_blocks_contents(rule.content or [], skip_comments=True, skip_whitespace=True)
        declarations = self._declarations(contents)
        return f"{selector}{{{declarations}}}" if selector and declarations else ""

    def _at_rule(self, rule: Rule, depth: int) -> str:
        name = rule.lower_at_keyword
        is_kept = name in _GROUPS and depth < MAX_CSS_DEPTH
        if rule.content is None or not (is_kept or name in ("keyframes", "-webkit-keyframes")):
            self.removed.add(f"@{name}"[:40])
            return ""
        prelude = _serialized(rule.prelude, FUNCTIONS)
        inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
        return f"@{name} {prelude}{{{self._rules(inner, depth + 1)}}}" if prelude is not None else ""

    def _declarations(self, contents: Iterable[Declaration]) -> str:
        """Return the allowed declarations; rules that are nested between them are left out."""
        kept = []
        for node in contents:
            if node.type != "declaration":
                continue
            value = _allowed_value(node.value) if node.lower_name in PROPERTIES else None
            if value is None:
                self.removed.add(node.lower_name[:40])
            else:
                kept.append(f"{node.lower_name}:{value}{'!important' if node.important else ''}")
        return ";".join(kept)


def _allowed_value(tokens: Sequence[Token]) -> str | None:
    return _serialized(tokens, FUNCTIONS)


def _serialized(tokens: Sequence[Token], functions: frozenset[str]) -> str | None:
    """Return the text of tokens that are all allowed, else None.

    The serializer writes every name in its plain form, so `u\\72l(` is `url(` before it is checked. Where a backslash
    is left, browsers could read it otherwise than tinycss2, so the text is refused.
    """
    if not _are_allowed(tokens, functions, depth=0):
        return None
    text = tinycss2.serialize(tokens)
    return None if "\\" in text else text.strip()


def _are_allowed(tokens: Sequence[Token], functions: frozenset[str], depth: int) -> bool:
    return depth < MAX_CSS_DEPTH and all(_is_allowed(token, functions, depth) for token in tokens)


def _is_allowed(token: Token, functions: frozenset[str], depth: int) -> bool:
    if token.type == "string":
        # No allowed property has use for it; a function within a string is one only to a parser that is wrong.
        return "(" not in token.value
    if token.type in _SIMPLE:
        return True
    if token.type == "url":
        return functions is FUNCTIONS and _REFERENCE.fullmatch(token.value) is not None
    if token.type == "function":
        if token.lower_name == "url":
            return functions is FUNCTIONS and _is_quoted_reference(token.arguments)
        return token.lower_name in functions and _are_allowed(token.arguments, functions, depth + 1)
    return token.type in _BRACKETS and _are_allowed(token.content, functions, depth + 1)


def _is_quoted_reference(arguments: Sequence[Token]) -> bool:
    """Return whether the arguments of `url("#id")` are one string with a reference into this document."""
    strings = [token for token in arguments if token.type != "whitespace"]
    return len(strings) == 1 and strings[0].type == "string" and bool(_REFERENCE.fullmatch(strings[0].value))
