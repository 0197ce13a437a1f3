"""Install snippet: the SDK called with the config and the customers' scripts as real functions."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from abtest.domain.delivery.chunks import Chunk, script_chunk, style_chunk
from abtest.domain.delivery.inlined import inlined
from abtest.domain.delivery.literals import as_text, expression, literal
from abtest.domain.delivery.scripts import Scripts, UnsafeScriptError, as_function
from abtest.domain.delivery.sdk_parts import parts_of
from abtest.domain.delivery.shapes import PublishedConfig

Part = Mapping[str, object]
"""Any part of a config; its fields are read by name."""

Published = TypeVar("Published", bound=Part)

Bundle = Callable[[Collection[str]], str]
"""The SDK with parts of these names: an expression that evaluates to a function."""

TEXT_FROM = 24 << 10
"""Characters of a config. Below, reading it faster is not worth the bytes: a tenth of a millisecond at 11 KB."""
_SCRIPT_FIELDS = {"js": "JS", "reset_js": "reset JS"}
_WITH_SCRIPTS = ("experiments", "personalizations", "experiences", "variations", "blocks")
"""Lists of parts that hold scripts. Other fields are not searched, even for fields that are named like scripts."""


@dataclass(frozen=True, slots=True)
class DraftCode:
    """Part of a config as pages read it, its scripts as JavaScript expressions, and the chunks that it loads."""

    part: str
    functions: str
    chunks: Sequence[Chunk]


@dataclass(frozen=True, slots=True)
class Snippet:
    """Text of the snippet, and the chunks that it loads when it needs them."""

    text: str
    chunks: Sequence[Chunk]


def without_broken_scripts(parts: Iterable[Published], scripts: Scripts) -> tuple[list[Published], list[str]]:
    """Return parts of a config without scripts that do not parse or cannot be embedded, and the reason for each.

    The rest of an experiment with a broken script is delivered: the script would have thrown in the browser as well.
    """
    reasons: list[str] = []

    def filtered(part: Part, place: str) -> dict[str, object]:
        whole = dict(part)
        for name in filter(_SCRIPT_FIELDS.__contains__, part):
            problem = problem_of(part[name], scripts)
            if problem is not None:
                reasons.append(f"{place}: {_SCRIPT_FIELDS[name]} is left out: {problem}")
                del whole[name]
        for name in filter(whole.__contains__, _WITH_SCRIPTS):
            whole[name] = [
                filtered(child, f"{place} / {_place(child, index)}")
                for index, child in enumerate(_children(whole[name]))
            ]
        return whole

    # Only scripts go, and each of them may be absent: what is left has the shape of the part.
    return [cast(Published, filtered(part, _place(part))) for part in parts], reasons


def render_snippet(config: PublishedConfig, bundle: Bundle, scripts: Scripts, assets_url: str) -> Snippet:
    """Return the JavaScript `<bundle>(<config>,[function(){…},…]);`, escaped where HTML or old engines would stumble.

    The bundle has the parts that the config calls for. The scripts of `config` must be without problems. A long config
    is a text of JSON, which browsers read faster than an expression of that size; the SDK has a part that reads it.
    """
    code = _Code(scripts)
    rest = code.taken_from(config)
    if code.chunks:
        rest["runtime"] = {**rest["runtime"], "assets_url": assets_url}
    parts, needed = parts_of(rest), inlined(rest)
    if "ids" in needed:
        parts |= {"ids"}
    written = literal(needed)
    if len(written) >= TEXT_FROM:
        parts, written = parts | {"parsing"}, as_text(needed)
    # An expression to be called: a semicolon would end it.
    sdk = bundle(parts).strip().removesuffix(";")
    return Snippet(f"{sdk}({written},[{','.join(code.array())}]);\n", tuple(code.chunks.values()))


def render_draft(part: Mapping[str, object], scripts: Scripts, *, prefix: str, assets_url: str) -> DraftCode:
    """Return lists of a config, such as `experiments`, in the form that snippets hold, as JavaScript.

    The scripts of `part` must be without problems. Chunks are loaded from `assets_url`, and their names
    begin with `prefix`.
    """
    code = _Code(scripts, prefix)
    rest = code.rest_of(part)
    if code.chunks:
        rest["runtime"] = {"assets_url": assets_url}
    needed = inlined(cast(PublishedConfig, rest))
    return DraftCode(expression(needed), f"[{','.join(code.array())}]", tuple(code.chunks.values()))


def problem_of(source: object, scripts: Scripts) -> str | None:
    """Return why a script cannot be delivered: it does not parse, or nothing makes it safe in a page; else None."""
    if not isinstance(source, str):  # an older release may have stored any form
        return "is not a text"
    problem = scripts.problem(source)
    if problem is not None:
        return problem
    try:
        as_function(source, scripts.parses)
    except UnsafeScriptError as error:
        return str(error)
    return None


def _children(value: object) -> list[Part]:
    return value if isinstance(value, list) else []


def _place(part: Part, index: int = 0) -> str:
    return f"{part['name']!r}" if "name" in part else f"block {index + 1}"


class _Code:
    """Code of a config, collected for the array of functions and for chunks; equal code is collected once."""

    def __init__(self, scripts: Scripts, prefix: str = "") -> None:
        self.chunks: dict[str, Chunk] = {}
        self._scripts = scripts
        self._prefix = prefix
        self._positions: dict[tuple[str, str], int] = {}
        """By parameters and body."""

    def taken_from(self, config: PublishedConfig) -> PublishedConfig:
        """Return the config with positions for scripts and names for chunks, without names for people."""
        # Scripts become positions and long styles names of chunks: nothing after this reads them as texts.
        rest = cast(PublishedConfig, self.rest_of(config))
        consent = rest["runtime"].get("consent")
        if consent is not None:
            read = self._position(str(consent["read"]), "group")
            rest["runtime"] = {**rest["runtime"], "consent": {**consent, "read": read}}
        return rest

    def rest_of(self, part: Part) -> dict[str, object]:
        """Return the same of any part of a config."""
        return dict(self._fields(part))

    def array(self) -> Iterator[str]:
        """Return a function or the name of a chunk for each position."""
        for parameters, source in self._positions:
            # Only the reader of consent has parameters. It runs before anything is shown, so it is never loaded later.
            chunk = None if parameters else self._chunk(source)
            yield f'"{chunk.name}"' if chunk else as_function(source, self._scripts.parses, parameters)

    def _fields(self, part: Part, *, is_named: bool = False) -> Iterator[tuple[str, object]]:
        for name, value in part.items():
            if name in _SCRIPT_FIELDS and isinstance(value, str):
                self._keep(self._chunk(value))
                yield name, self._position(value)
            elif name == "css" and isinstance(value, str):
                chunk = style_chunk(value, self._prefix)
                self._keep(chunk)
                yield name, {"chunk": chunk.name} if chunk else value
            elif name in _WITH_SCRIPTS:
                yield name, [dict(self._fields(child, is_named=True)) for child in _children(value)]
            elif not (is_named and name == "name"):
                yield name, value

    def _position(self, source: str, parameters: str = "") -> int:
        return self._positions.setdefault((parameters, source), len(self._positions))

    def _chunk(self, source: str) -> Chunk | None:
        return script_chunk(source, self._scripts, self._prefix)

    def _keep(self, chunk: Chunk | None) -> None:
        if chunk is not None:
            self.chunks[chunk.file] = chunk
