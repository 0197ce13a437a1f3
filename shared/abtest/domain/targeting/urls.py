"""URL rules: what a pattern means, and its compiled form (UrlRule of docs/data-model.md) that browsers evaluate."""

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

_PATTERN_BASE_HOST = "any-host.b7e2f1d4.invalid"
_PATTERN_BASE = f"https://{_PATTERN_BASE_HOST}"
_ADDRESS_BASE = "https://_"
_HOST_WITHOUT_SCHEME = re.compile(r"[^:/?]*\.")
_SPECIAL = re.compile(r"[.+?^${}()|[\]\\]")
_MATCHES_NOTHING: CompiledUrlRule = {"re": "[]"}
_MOST_BACKTRACKING_WILDCARDS = 2


class Address(NamedTuple):
    """The parts of a tested address, named as `location` names them."""

    href: str
    origin: str
    host: str
    pathname: str
    search: str
    hash: str


def matches(rule_type: str, pattern: str, url: str) -> bool:
    """Whether a raw rule holds on an address; never raises. An address or a pattern that is none matches nothing."""
    return matches_compiled(compile_rule(rule_type, pattern), url)


def matches_compiled(rule: CompiledUrlRule, url: str) -> bool:
    """Whether a compiled rule holds on an address, which may be relative: its host then is any host."""
    address = parse_address(url)
    return address is not None and prepare_rule(rule)(address)


@lru_cache(maxsize=256)
def parse_address(url: str) -> Address | None:
    """The parts of an address, or None when no browser could be on it."""
    parsed = _parse(url, _ADDRESS_BASE)
    if parsed is None:
        return None
    href: str = parsed.href
    if href.startswith(("https://", "http://")):
        return _web_address(href)
    return Address(href, parsed.origin, parsed.host, parsed.pathname, parsed.search, parsed.hash)


def prepare_rule(rule: CompiledUrlRule) -> Callable[[Address], bool]:
    """What tells of an address whether a compiled rule holds on it. Raises KeyError, TypeError or ValueError for what
    is no compiled rule."""
    if "re" in rule:
        found = expression(rule["re"])
        return lambda address: found(address.href) or found(address.href[len(address.origin) :])
    parts = [_part(name, rule[name]) for name in ("path", "host", "hash") if name in rule or name == "path"]
    parts += [_parameter(name, source) for name, source in rule.get("query", ())]
    return parts[0] if len(parts) == 1 else lambda address: all(part(address) for part in parts)


def first_values(search_part: str) -> dict[str, str]:
    """The first value of each parameter of a query, decoded as browsers decode it."""
    return {name: _decoded(value) for name, value in reversed(list(_raw_pairs(search_part)))}


def compile_rule(rule_type: str, pattern: str) -> CompiledUrlRule:
    """The compiled form of a raw rule. A pattern that cannot be understood compiles to one that matches nothing."""
    if rule_type == "regex":
        return {"re": pattern} if compiles(pattern) else _MATCHES_NOTHING
    if rule_type == "simple":
        return _compile_simple(pattern)
    return _MATCHES_NOTHING


@lru_cache(maxsize=4096)
def _compile_simple(pattern: str) -> CompiledUrlRule:
    parsed = _parse(_with_scheme(pattern), _PATTERN_BASE)
    if parsed is None:
        return _MATCHES_NOTHING
    rule: CompiledUrlRule = {"path": rf"\/?{_path_source(_without_outer_slashes(parsed.pathname))}\/?"}
    host: str = parsed.host
    if host not in (_PATTERN_BASE_HOST, "*"):
        rule["host"] = _source(host)
    if query := [[name, _query_source(value)] for name, value in _raw_pairs(parsed.search)]:
        rule["query"] = query
    if parsed.hash:
        rule["hash"] = _source(parsed.hash)
    return rule


def _web_address(href: str) -> Address:
    """The parts of a serialised web address, cut out here: to ask the parser for each would cost as much again."""
    before, _, fragment = href.partition("#")
    before, _, query = before.partition("?")
    scheme, _, rest = before.partition("://")
    authority, _, path = rest.partition("/")
    host = authority.rpartition("@")[2]
    return Address(href, f"{scheme}://{host}", host, f"/{path}", query and f"?{query}", fragment and f"#{fragment}")


def _with_scheme(pattern: str) -> str:
    return f"https://{pattern}" if _HOST_WITHOUT_SCHEME.match(pattern) else pattern


def _without_outer_slashes(path: str) -> str:
    return path.removeprefix("/").removesuffix("/")


def _source(part: str) -> str:
    return _joined(part.split("*"))


def _path_source(path: str) -> str:
    """Browsers disagree on whether `|` and `^` are escaped in a path, so either form is right."""
    return _source(path).replace(r"\|", r"(?:\||%7C)").replace("%5E", r"(?:\^|%5E)")


def _query_source(raw_value: str) -> str:
    """Only a star that stands in the pattern is a wildcard; one that came from `%2A` is a star."""
    return _joined([_decoded(piece) for piece in raw_value.split("*")])


def _joined(literals: list[str]) -> str:
    """An ECMAScript source for literals with any run of characters between them.

    With many wildcards plain `[^]*` would backtrack polynomially in shoppers' browsers. The leftmost place of each
    literal is always good enough, so each step is made atomic: a lookahead that captures, then the capture.
    """
    first, *rest = [_SPECIAL.sub(r"\\\g<0>", literal).replace("*", r"\*") for literal in literals]
    if not rest:
        return first
    *middle, last = rest
    middle = [literal for literal in middle if literal]
    if len(middle) < _MOST_BACKTRACKING_WILDCARDS:
        return "[^]*".join([first, *middle, last])
    steps = (rf"(?=([^]*?{literal}))\{number}(?:)" for number, literal in enumerate(middle, start=1))
    return f"{first}{''.join(steps)}[^]*{last}"


def _part(name: str, source: str) -> Callable[[Address], bool]:
    whole = whole_expression(source)
    part = attrgetter({"path": "pathname"}.get(name, name))
    return lambda address: whole(part(address))


def _parameter(name: str, source: str) -> Callable[[Address], bool]:
    whole = whole_expression(source)
    return lambda address: whole(first_values(address.search).get(name, ""))


def _raw_pairs(search_part: str) -> Iterator[tuple[str, str]]:
    """Names decoded, values as they stand, after the WHATWG parser of `application/x-www-form-urlencoded`."""
    for pair in search_part.removeprefix("?").split("&"):
        name, _, value = pair.partition("=")
        if pair:
            yield _decoded(name), value


def _decoded(text: str) -> str:
    return unquote_to_bytes(text.replace("+", " ")).decode(errors="replace")


def _parse(text: str, base: str) -> URL | None:
    known = well_formed(text)
    try:
        # A base costs as much again, and an address in full has no use for it.
        return URL(known) if known.startswith(("https://", "http://")) else URL(known, base=base)
    except ValueError:
        return None
