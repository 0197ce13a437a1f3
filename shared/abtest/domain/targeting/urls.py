"""URL rules: their patterns, and the compiled form (UrlRule of docs/data-model.md) that browsers evaluate."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from operator import attrgetter
from typing import Literal, NamedTuple
from urllib.parse import unquote_to_bytes

from ada_url import URL

from abtest.domain.targeting.patterns import compiles, expression, well_formed, whole_expression
from abtest.domain.targeting.shapes import CompiledUrlRule

RuleType = Literal["simple", "regex"]

# `.invalid` is reserved (RFC 2606), so that no address has this host by chance.
_PATTERN_BASE_HOST = "any-host.b7e2f1d4.invalid"
_PATTERN_BASE = f"https://{_PATTERN_BASE_HOST}"
_ADDRESS_BASE = "https://_"
_HOST_WITHOUT_SCHEME = re.compile(r"[^:/?]*\.")
_SPECIAL = re.compile(r"[.+?^${}()|[\]\\]")
_MATCHES_NOTHING: CompiledUrlRule = {"re": "[]"}
_MOST_BACKTRACKING_WILDCARDS = 2


class Address(NamedTuple):
    """Parts of a tested address under their names in `location`."""

    href: str
    origin: str
    host: str
    pathname: str
    search: str
    hash: str


def matches(rule_type: str, pattern: str, url: str) -> bool:
    """Return whether a raw rule holds on an address; never raises. A bad address or pattern matches nothing."""
    return matches_compiled(compile_rule(rule_type, pattern), url)


def matches_compiled(rule: CompiledUrlRule, url: str) -> bool:
    """Return whether a compiled rule holds on an address; a relative one has any host."""
    address = parse_address(url)
    return address is not None and prepare_rule(rule)(address)


@lru_cache(maxsize=256)
def parse_address(url: str) -> Address | None:
    """Return the parts of an address, or None when no browser could be on it."""
    parsed = parsed_url(url, _ADDRESS_BASE)
    if parsed is None:
        return None
    href: str = parsed.href
    if not href.startswith(("https://", "http://")):
        return Address(href, parsed.origin, parsed.host, parsed.pathname, parsed.search, parsed.hash)
    # Web addresses are cut up here, because reading each part from the parser would cost as much as parsing.
    before, _, fragment = href.partition("#")
    before, _, query = before.partition("?")
    scheme, _, rest = before.partition("://")
    authority, _, path = rest.partition("/")
    # A user name and password before `@` are not part of `location.host`.
    host = authority.rpartition("@")[2]
    return Address(href, f"{scheme}://{host}", host, f"/{path}", query and f"?{query}", fragment and f"#{fragment}")


def prepare_rule(rule: CompiledUrlRule) -> Callable[[Address], bool]:
    """Return the predicate of a compiled rule.

    Raises KeyError, TypeError or ValueError for documents of another form.
    """
    if "re" in rule:
        matches = expression(rule["re"])
        # Shops write `^/cart` as well as `^https://`, so both the address and its part behind the origin are searched.
        return lambda address: matches(address.href) or matches(address.href[len(address.origin) :])
    # A rule without `path` raises KeyError; otherwise an empty rule would match every page.
    parts = [part_matches(name, rule[name]) for name in ("path", "host", "hash") if name in rule or name == "path"]
    parts += [parameter_matches(name, source) for name, source in rule.get("query", ())]
    return parts[0] if len(parts) == 1 else lambda address: all(part(address) for part in parts)


def part_matches(name: str, source: str) -> Callable[[Address], bool]:
    """Return the predicate that a whole part of the address matches a source."""
    whole = whole_expression(source)
    part = attrgetter({"path": "pathname"}.get(name, name))
    return lambda address: whole(part(address))


def parameter_matches(name: str, source: str) -> Callable[[Address], bool]:
    """Return the predicate that the first value of a parameter matches a source."""
    whole = whole_expression(source)
    return lambda address: whole(first_values(address.search).get(name, ""))


def first_values(search_part: str) -> dict[str, str]:
    """Return the first value of each parameter of a query, decoded as browsers decode it."""
    # Reversed, because a later entry of a dict replaces an earlier one.
    return {name: decoded(value) for name, value in reversed(list(raw_pairs(search_part)))}


def compile_rule(rule_type: str, pattern: str) -> CompiledUrlRule:
    """Return the compiled form of a raw rule. A pattern that cannot be parsed compiles to one that matches nothing."""
    if rule_type == "regex":
        return {"re": pattern} if compiles(pattern) else _MATCHES_NOTHING
    if rule_type == "simple":
        return compile_simple(pattern)
    return _MATCHES_NOTHING


@lru_cache(maxsize=4096)
def compile_simple(pattern: str) -> CompiledUrlRule:
    """Return the compiled form of a simple pattern, an address in which stars are wildcards."""
    address = f"https://{pattern}" if _HOST_WITHOUT_SCHEME.match(pattern) else pattern
    parsed = parsed_url(address, _PATTERN_BASE)
    if parsed is None:
        return _MATCHES_NOTHING
    path = source_of(parsed.pathname.removeprefix("/").removesuffix("/").split("*"))
    # Browsers disagree on whether `|` and `^` are escaped in a path, so either form is right.
    path = path.replace(r"\|", r"(?:\||%7C)").replace("%5E", r"(?:\^|%5E)")
    rule: CompiledUrlRule = {"path": rf"\/?{path}\/?"}
    host: str = parsed.host
    if host not in (_PATTERN_BASE_HOST, "*"):
        rule["host"] = source_of(host.split("*"))
    # Values are split before they are decoded: a star that came from `%2A` is not a wildcard.
    values = ((name, [decoded(piece) for piece in value.split("*")]) for name, value in raw_pairs(parsed.search))
    if query := [[name, source_of(literals)] for name, literals in values]:
        rule["query"] = query
    if parsed.hash:
        rule["hash"] = source_of(parsed.hash.split("*"))
    return rule


def source_of(literals: list[str]) -> str:
    """Return an ECMAScript source for literals with any run of characters between them.

    With many wildcards plain `[^]*` would backtrack polynomially in shoppers' browsers. The leftmost place of each
    literal is always good enough, so each step is made atomic: a lookahead that captures, then the capture.
    """
    first, *rest = [_SPECIAL.sub(r"\\\g<0>", literal).replace("*", r"\*") for literal in literals]
    if not rest:
        return first
    *middle, last = rest
    # `**` is one wildcard.
    middle = [literal for literal in middle if literal]
    if len(middle) < _MOST_BACKTRACKING_WILDCARDS:
        return "[^]*".join([first, *middle, last])
    # `(?:)` ends the backreference, in case the next literal begins with a digit.
    steps = (rf"(?=([^]*?{literal}))\{number}(?:)" for number, literal in enumerate(middle, start=1))
    return f"{first}{''.join(steps)}[^]*{last}"


def raw_pairs(search_part: str) -> Iterator[tuple[str, str]]:
    """Yield decoded names and raw values, after the WHATWG parser of `application/x-www-form-urlencoded`."""
    for pair in search_part.removeprefix("?").split("&"):
        name, _, value = pair.partition("=")
        if pair:
            yield decoded(name), value


def decoded(text: str) -> str:
    """Return a name or value of a query, decoded as browsers decode it."""
    return unquote_to_bytes(text.replace("+", " ")).decode(errors="replace")


def parsed_url(text: str, base: str) -> URL | None:
    """Return the parsed address, or None where browsers would fail to parse it."""
    known = well_formed(text)
    try:
        # A base costs as much again, and an address in full has no use for it.
        return URL(known) if known.startswith(("https://", "http://")) else URL(known, base=base)
    except ValueError:
        return None
