"""Figures of the code with their targets, computed from the code: `make figures`.

Sources are the Python files of `shared/abtest` and `functions`. How each row is counted, and where that differs from
the review that set the targets:

- Private: functions and methods with one leading underscore, as a share of all functions and methods.
- Small private: at most four lines after the docstring, no decorator, and its name used once more in its module as a
  name or an attribute. The review counted 353 where this counts more: it may have counted uses in other modules.
- Untyped: functions of `abtest/domain` whose signature has `Any`, a bare `dict` or `Mapping`, or an alias that
  resolves to one of them, in the module or imported (a callable that takes `Any` is one). The second figure leaves
  aliases out. `Mapping[str, object]` is not counted.
- Comments: comment lines and comments behind a statement, without directives to tools, over lines that hold code or a
  docstring.
- Openings: docstrings of modules, classes and functions that open with What, Who, Whether or Of.
- "told": every occurrence, also inside a name.
- Warm read: distinct functions of our files, lambdas and comprehensions left out, that run in the third
  `GET /experiments/{id}` of a process, through the Lambda handler on moto with all its adapters.
- Family: all lines of the files and folders named after it, and each line of another file that names it, for two of
  the smallest families. Lines of template, tests and documentation are not counted.
- Gate: seconds of the last `make test` and `make check`, as they left them in `.local/gate.json`.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import sys
import threading
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType

from tools.resource import names, planned

ROOT = Path(__file__).parents[1]
SOURCES = ("shared/abtest", "functions")
FAMILIES = {
    "exclusion groups": r"exclusion_?groups?",
    "data-layer triggers": r"triggers?(?![a-z])",
}
MAPPINGS = {"dict", "Mapping", "MutableMapping", "Dict"}
DIRECTIVE = re.compile(r"#\s*(noqa|type:|fmt:|pragma|mypy:|ruff:|!)")
OPENING = re.compile(r"(What|Who|Whether|Of)\b")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One source file, read and parsed."""

    path: str
    text: str
    tree: ast.Module

    @property
    def dotted(self) -> str:
        """Name under which the module is imported."""
        return re.sub(r"^(shared|functions)/|(/__init__)?\.py$", "", self.path).replace("/", ".")

    @classmethod
    def parsed(cls, path: str, text: str) -> Module:
        """Parse the text of a file. Raises SyntaxError."""
        return cls(path, text, ast.parse(text))


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: the review's figure, today's, and the target."""

    name: str
    before: str
    now: str
    target: str


def functions(module: Module) -> list[Function]:
    """Functions and methods of a module, nested ones too."""
    return [node for node in ast.walk(module.tree) if isinstance(node, Function)]


def is_private(function: Function) -> bool:
    """Return whether the name has one leading underscore."""
    return function.name.startswith("_") and not function.name.startswith("__")


def small_private(module: Module) -> list[str]:
    """Names of private functions of at most four lines with one caller."""
    uses = Counter(name for node in ast.walk(module.tree) if (name := _used(node)))
    return [
        function.name
        for function in functions(module)
        if is_private(function)
        and uses[function.name] == 1
        and not function.decorator_list
        and _body_lines(function) <= 4
    ]


def _used(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _body_lines(function: Function) -> int:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def aliases(modules: Iterable[Module]) -> set[tuple[str, str]]:
    """Module and name of each alias that resolves to `Any` or to an untyped mapping, also where it is imported."""
    named = [(module.dotted, name, value) for module in modules for name, value in _assigned_or_imported(module)]
    untyped: set[tuple[str, str]] = set()
    while True:
        local = _by_module(untyped)
        fresh = {
            (dotted, name)
            for dotted, name, value in named
            if (value in untyped if isinstance(value, tuple) else is_untyped(value, local[dotted]))
        }
        if fresh <= untyped:
            return untyped
        untyped |= fresh


def _by_module(untyped: Iterable[tuple[str, str]]) -> defaultdict[str, set[str]]:
    local: defaultdict[str, set[str]] = defaultdict(set)
    for dotted, name in untyped:
        local[dotted].add(name)
    return local


def _assigned_or_imported(module: Module) -> Iterator[tuple[str, ast.expr | tuple[str, str]]]:
    """Aliases with what they are for, and imported names with their module and name there."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name() | ast.Subscript() | ast.BinOp() as value):
                if node in module.tree.body:  # a constant or an instance is never in an annotation, so it does no harm
                    yield name, value
            case ast.ImportFrom(module=str(source), names=names):
                yield from ((each.asname or each.name, (source, each.name)) for each in names)


def is_untyped(annotation: ast.expr, untyped: Set[str]) -> bool:
    """Return whether an annotation has `Any`, a mapping to `Any`, a bare mapping or one of these aliases in it."""
    subscripted = {id(node.value) for node in ast.walk(annotation) if isinstance(node, ast.Subscript)}
    return any(
        _used(node) == "Any"
        or (isinstance(node, ast.Name) and node.id in untyped)
        or (_used(node) in MAPPINGS and id(node) not in subscripted)
        for node in ast.walk(annotation)
    )


def untyped_functions(module: Module, untyped: Set[tuple[str, str]]) -> list[str]:
    """Names of the functions whose parameters or result are untyped."""
    local = _by_module(untyped)[module.dotted]
    return [
        function.name
        for function in functions(module)
        if any(is_untyped(annotation, local) for annotation in _signature(function))
    ]


def _signature(function: Function) -> Iterator[ast.expr]:
    parts = function.args
    every = [*parts.posonlyargs, *parts.args, *parts.kwonlyargs, parts.vararg, parts.kwarg]
    yield from (each.annotation for each in every if each and each.annotation)
    if function.returns:
        yield function.returns


def comments_and_code(text: str) -> tuple[int, int]:
    """Count comments without directives, and lines that hold code or a docstring."""
    comments = 0
    lines: set[int] = set()
    ignored = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments += not DIRECTIVE.match(token.string)
        elif token.type not in ignored:
            lines.update(range(token.start[0], token.end[0] + 1))
    return comments, len(lines)


def docstrings(module: Module) -> list[str]:
    """Docstrings of the module, its classes and functions."""
    nodes = (node for node in ast.walk(module.tree) if isinstance(node, (ast.Module, ast.ClassDef, Function)))
    return [text for node in nodes if (text := ast.get_docstring(node))]


def family_size(modules: Iterable[Module], pattern: str) -> tuple[int, int]:
    """Lines and files of one family: its own files whole, of other files the lines that name it."""
    noun = re.compile(pattern, re.IGNORECASE)
    lines = files = 0
    for module in modules:
        own = noun.search(module.path) is not None
        named = sum(own or noun.search(line) is not None for line in module.text.splitlines())
        lines, files = lines + named, files + (named > 0)
    return lines, files


def warm_read() -> tuple[int, int]:
    """Count the functions and files of ours that the third read of an experiment runs."""
    with redirect_stdout(Path(os.devnull).open("w")):
        called = _calls_of_third_read()
    return len(called), len({code.co_filename for code in called})


def _calls_of_third_read() -> set[CodeType]:
    import pytest

    from tests.support.moto_stack import moto_stack

    with pytest.MonkeyPatch.context() as monkeypatch, moto_stack(monkeypatch) as stack:
        stack.enter("ApiExperiments")
        read = _reader()
        # The framework may run a route in a thread of its own, so new threads are observed from the first request on.
        return _observed([read, read, read])


def _reader() -> Callable[[], None]:
    from abtest.services.shops import Shops
    from abtest.wiring.api import management
    from api_experiments.app import handler
    from benchmarks.bench_edge import Context
    from benchmarks.world import gateway_event

    base = management()
    fields = {"name": "Shop", "domain": "shop.example", "currency": "EUR"}
    _, key = Shops(base.world, base.publication).found(base.world.new_id(), fields)
    headers = {"authorization": f"Bearer {key.text}", "content-type": "application/json"}
    body = json.dumps({"name": "Figures"})
    created = handler(gateway_event("POST", "/api/v1/experiments", headers=headers, body=body), Context())
    experiment_id = json.loads(created["body"])["id"]
    event = gateway_event("GET", f"/api/v1/experiments/{experiment_id}", headers=headers)

    def read() -> None:
        response = handler(event, Context())
        assert response["statusCode"] == 200, response

    return read


def _observed(steps: Sequence[Callable[[], None]]) -> set[CodeType]:
    """Run all steps and return the named functions of our sources that ran in the last."""
    called: set[CodeType] = set()
    ours = tuple(str(ROOT / source) for source in SOURCES)

    def record(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ours) and not code.co_name.startswith("<"):
            called.add(code)

    threading.setprofile(record)
    sys.setprofile(record)
    try:
        for step in steps:
            called.clear()
            step()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return called


def gate(recorded: Path) -> str:
    """Minutes of the last recorded gate, or how to record one."""
    if not recorded.exists():
        return "not measured; run make test"
    seconds = json.loads(recorded.read_text())
    parts = {"make test": seconds.get("seconds"), "make check": seconds.get("check_seconds")}
    return ", ".join(f"{name} {value / 60:.1f} min" for name, value in parts.items() if value is not None)


def sources(root: Path) -> list[Module]:
    """Every Python file of the product."""
    paths = sorted(path for source in SOURCES for path in (root / source).rglob("*.py") if _is_ours(path))
    return [Module.parsed(path.relative_to(root).as_posix(), path.read_text()) for path in paths]


def _is_ours(path: Path) -> bool:
    return "node_modules" not in path.parts


def code_figures(modules: Sequence[Module]) -> list[Figure]:
    """Rows that are computed from the sources alone."""
    every = [function for module in modules for function in functions(module)]
    private = sum(map(is_private, every))
    small = sum(len(small_private(module)) for module in modules)
    counted = [comments_and_code(module.text) for module in modules]
    texts = [text for module in modules for text in docstrings(module)]
    lines = sum(len(module.text.splitlines()) for module in modules)
    occurrences = sum(len(re.findall("told", module.text, re.IGNORECASE)) for module in modules)
    comments, code = (sum(column) for column in zip(*counted, strict=True))
    return [
        Figure("private functions, share of all", "43 %", _share(private, len(every)), "≤ 25 %"),
        Figure("private, ≤ 4 lines, one caller", "353", str(small), "≤ 60"),
        Figure("domain functions with an untyped signature", "27 %", _untyped(modules), "≤ 8 %"),
        Figure("# comments", "0.7 %", _share(comments, code), "2–4 %"),
        Figure(
            "docstrings that open with What, Who, Whether, Of",
            "22 %",
            _share(sum(OPENING.match(text) is not None for text in texts), len(texts)),
            "≤ 3 %",
        ),
        Figure(
            '"told" per 10,000 lines', "78", f"{occurrences / lines * 10_000:.1f} ({occurrences} in {lines:,})", "0"
        ),
        _family(modules),
    ]


def _untyped(modules: Sequence[Module]) -> str:
    domain = [module for module in modules if module.path.startswith("shared/abtest/domain/")]
    every = sum(len(functions(module)) for module in domain)
    resolved, direct = (
        sum(len(untyped_functions(module, untyped)) for module in domain) for untyped in (aliases(modules), set())
    )
    return f"{_share(resolved, every)}; {_share(direct, every)} without aliases"


def scaffold_size() -> tuple[int, int]:
    """Lines that `make resource` adds, tests and registrations included, and the files that it touches."""
    contents = planned(ROOT, names("figure_sample", "api_experiments", "experiments"))
    lines = 0
    for path, content in contents.items():
        before = path.read_text() if path.exists() else ""
        lines += len(content.splitlines()) - len(before.splitlines())
    return lines, len(contents)


def _family(modules: Sequence[Module]) -> Figure:
    sizes = [(*family_size(modules, noun), name) for name, noun in FAMILIES.items()]
    sizes.append((*scaffold_size(), "a new one, by make resource"))
    now = "; ".join(f"{lines} in {files} files ({name})" for lines, files, name in sorted(sizes))
    return Figure("lines of a CRUD family", "~700 in 26 files", now, "≤ 350 in ≤ 12")


def _share(part: int, whole: int) -> str:
    return f"{part / whole * 100:.1f} % ({part} of {whole})"


def main() -> None:
    """Print the table."""
    called, files = warm_read()
    figures = [
        *code_figures(sources(ROOT)),
        Figure(
            "functions for GET /experiments/{id}, warm",
            "100 in 35 files",
            f"{called} in {files} files",
            "≤ 60 in ≤ 25",
        ),
        Figure("gate", "29 min", gate(ROOT / ".local/gate.json"), "≤ 15 min, make check ≤ 6"),
    ]
    rows = [("", "review", "now", "target"), *((each.name, each.before, each.now, each.target) for each in figures)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main()
