"""Word ratchet: the words that this project avoids, counted per file and rule; a count may only fall.

    python -m tools.lint_words                      fail where a count is above its allowance
    python -m tools.lint_words --list PATH...       every word that is left in these files or folders
    python -m tools.lint_words --moved OLD NEW...   pass on the allowance that OLD no longer uses
    python -m tools.lint_words --moved              the same from all files changed since main to all above their counts
    python -m tools.lint_words --lower              write the counts that have fallen to the baseline

`tools/lint_words.baseline` has one row for a file and a rule. A count below its row passes, so that branches that
lower counts in parallel never edit the baseline; `--lower` does it now and then, and never raises a count. A file
without rows is allowed nothing, unless a file of the same name has left the tree: then it inherits those rows. Code
that moves to another file name takes its allowance along with `--moved`. Git merges the baseline line by line (see
.gitattributes); where a merge leaves two rows for one file and rule, the lower one counts.

Names count where they are defined. Strings count when they are sentences (they have white space); code in backticks and
single quoted words do not count, nor do fenced blocks of Markdown.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
BASELINE = ROOT / "tools/lint_words.baseline"
PYTHON = ("shared/abtest/", "functions/", "tools/", "tests/", "benchmarks/")
SCRIPTS = ("shared/abtest/storefront/src/", "shared/abtest/storefront/build/")
EXEMPT = {"CHANGELOG.md", "tools/lint_words.py", "tests/unit/tools/test_lint_words.py"}

Counts = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Rule:
    """Pattern of a group of words, and what to write instead."""

    name: str
    pattern: re.Pattern[str]
    instead: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One avoided word at a line of a file."""

    path: str
    line: int
    rule: Rule
    word: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule.name}: '{self.word}'; write {self.rule.instead}"


def _rule(name: str, pattern: str, instead: str) -> Rule:
    return Rule(name, re.compile(pattern, re.IGNORECASE), instead)


WORDS = (
    _rule("told", r"\b(told|tells|says|said)\b", "reported, notified, returns or shows"),
    _rule("stands", r"\b(stands(?!\s+for\b)|lies)\b", "is stored, is current or is"),
    _rule("asked", r"\b(asked|stated|wanted)\b", "requested, given or expected"),
    _rule("somebody", r"\b(somebody|nobody|whoever)\b", "the caller, another writer or no one"),
    _rule(
        "is-no",
        r"(?<!\bthere )\b(is|are)\s+no\b(?!\s+(longer|more|less|fewer|later|earlier)\b)",
        "'must be an X', 'is not an X' or 'there is no X'",
    ),
    _rule(
        "anew",
        r"\b(anew|beside|dear|in\s+earnest|of\s+which|jokes?)\b",
        "again, next to, expensive, real or whose; delete a joke",
    ),
)
ANY_WORD = re.compile("|".join(rule.pattern.pattern for rule in WORDS), re.IGNORECASE)
NAMES = (
    _rule("found", r"^found$", "the noun it is: experiment, orders, rows"),
    _rule(
        "name",
        r"\b(doorbell|sayings|telling|ringing|answering|keeping|lineup|standing|tally|wish)\b|^again$",
        "a name of the field: notification, messages, disabled_notice, redelivery, worker, looks, goals, "
        "EndpointHealth, RollupSummary",
    ),
)
OPENINGS = (_rule("opening", r"\A(what|who|whether|of)\b", "a noun or an imperative verb to open the docstring"),)

# Raw text of a file in which no rule can match has none of these; it is not parsed.
ANYTHING = re.compile(
    r"told|tells|says|said|stands|lies|asked|stated|wanted|somebody|nobody|whoever|is[\s_]*no|are[\s_]*no|anew|beside|dear"
    r"|earnest|which|joke|found|doorbell|sayings|telling|ringing|answering|keeping|lineup|standing|tally|wish|again"
    r"|[\"']\s*(what|who|whether|of)\b",
    re.IGNORECASE,
)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
NAMED = (ast.arg, ast.Name, ast.Attribute, ast.alias, ast.ExceptHandler)
WORDED = {*DOCUMENTED, *NAMED, ast.Constant, ast.JoinedStr}
QUOTED = re.compile(r"```.*?```|~~~.*?~~~|`[^`]*`|[\"'“‘][^\s\"'“”‘’]+[\"'”’]", re.DOTALL)
PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
TOKENS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<import>\bimport\b[^;'"()]*\bfrom\b)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)
    |(?:(?<=[=(,:\[!&|?;{}])|(?<=[=(,:\[!&|?;{}][ \n]))/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/
    |(?P<name>(?<![.\w$])[A-Za-z_$][\w$]*)""",
    re.DOTALL | re.VERBOSE,
)


def hits(path: str, text: str) -> list[Hit]:
    """Return the avoided words of one file, in the order of its lines."""
    suffix = PurePosixPath(path).suffix
    if suffix == ".py":
        result = [*_module_name(path), *_python(path, text)]
    elif suffix in {".js", ".ts", ".mjs"}:
        result = [*_module_name(path), *_javascript(path, text)]
    else:
        result = list(_prose(path, 1, text))
    return sorted(result, key=lambda hit: hit.line)


def _python(path: str, text: str) -> Iterator[Hit]:
    if not ANYTHING.search(text):
        return
    # Most nodes of a tree are names in use, operators and contexts; they are left out here because a million are slow.
    nodes = [node for node in ast.walk(ast.parse(text)) if type(node) in WORDED]
    fragments = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        yield from _opening(path, node)
        if id(node) not in fragments and len((sentence := _sentence(node)).split(None, 1)) == 2:
            yield from _prose(path, getattr(node, "lineno", 1), sentence)
        for name in _defined(node):
            yield from _name(path, getattr(node, "lineno", 1), name)
    yield from _comments(path, text)


def _opening(path: str, node: ast.AST) -> Iterator[Hit]:
    if isinstance(node, DOCUMENTED) and node.body:
        docstring = ast.get_docstring(node, clean=False) or ""
        opening = docstring.lstrip()
        above = docstring.count("\n") - opening.count("\n")
        yield from _matches(path, node.body[0].lineno + above, opening, OPENINGS)


def _sentence(node: ast.AST) -> str:
    """Text of a string; an f-string's values become braces, which no rule matches."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_sentence(part) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return ""


def _defined(node: ast.AST) -> list[str]:
    """Names that a node defines. Uses do not count: a name of a third party cannot be changed here."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return [name]
        case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
            return [name]
        case _:
            return []


def _comments(path: str, text: str) -> Iterator[Hit]:
    # Reading tokens takes longer than parsing, so it is done only where a line with a # has such a word.
    if not any("#" in line and ANY_WORD.search(line) for line in text.splitlines()):
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield from _prose(path, token.start[0], token.string)


def _javascript(path: str, text: str) -> Iterator[Hit]:
    """Comments, sentences, and each name once unless it is imported or a property of something else."""
    seen: set[str] = set()
    for token in TOKENS.finditer(text):
        line = 1 + text.count("\n", 0, token.start())
        if token["import"]:
            seen.update(re.findall(r"[\w$]+", token["import"]))
        elif token["comment"] or " " in (token["text"] or ""):
            yield from _prose(path, line, token[0])
        elif token["name"] and token["name"] not in seen:
            seen.add(token["name"])
            yield from _name(path, line, token["name"])


def _module_name(path: str) -> Iterator[Hit]:
    file = PurePosixPath(path)
    yield from _name(path, 1, file.parent.name if file.stem == "__init__" else file.stem)


def _name(path: str, line: int, name: str) -> Iterator[Hit]:
    for rule, word in _words_of_name(name):
        yield Hit(path, line, rule, f"{word}' in '{name}")


@cache
def _words_of_name(name: str) -> list[tuple[Rule, str]]:
    parts = " ".join(PARTS.findall(name)).lower()
    return [(rule, match[0]) for rule in (*WORDS, *NAMES) for match in rule.pattern.finditer(parts)]


def _prose(path: str, line: int, text: str) -> Iterator[Hit]:
    return _matches(path, line, QUOTED.sub(_blank, text), WORDS) if ANY_WORD.search(text) else iter(())


def _blank(quoted: re.Match[str]) -> str:
    """Keep the line breaks of a quotation, so that lines behind it are counted right."""
    return re.sub(r"[^\n]", "·", quoted[0])


def _matches(path: str, line: int, text: str, rules: Iterable[Rule]) -> Iterator[Hit]:
    for rule in rules:
        for match in rule.pattern.finditer(text):
            yield Hit(path, line + text.count("\n", 0, match.start()), rule, " ".join(match[0].split()))


def counted(path: str) -> bool:
    """Return whether the words of this file are counted."""
    if path in EXEMPT:
        return False
    if path.endswith(".py"):
        return path.startswith(PYTHON)
    if path.endswith((".js", ".ts", ".mjs")):
        return path.startswith(SCRIPTS)
    return path.endswith((".md", ".sh")) or path in {"template.yaml", "Makefile"}


def allowances(counts: Counts, baseline: Counts, paths: Iterable[str]) -> Counts:
    """Rows of the baseline for files that exist; a file without rows draws on those of vanished files of its name."""
    present, known = set(paths), {path for path, _ in baseline}
    allowed = {row: count for row, count in baseline.items() if row[0] in present}
    vanished: dict[tuple[str, str], int] = defaultdict(int)
    for (path, rule), count in baseline.items():
        if path not in present:
            vanished[PurePosixPath(path).name, rule] += count
    for (path, rule), count in sorted(counts.items()):
        pool = (PurePosixPath(path).name, rule)
        if path not in known and vanished[pool]:
            allowed[path, rule] = min(count, vanished[pool])
            vanished[pool] -= allowed[path, rule]
    return allowed


def exceeded(counts: Counts, allowed: Counts) -> list[tuple[str, str]]:
    """Return the files and rules whose count is above the allowance."""
    return sorted(row for row, count in counts.items() if count > allowed.get(row, 0))


def lowered(counts: Counts, allowed: Counts) -> Counts:
    """Allowances after a fall: never above what was allowed."""
    return {row: min(count, allowed[row]) for row, count in counts.items() if row in allowed}


def moved(counts: Counts, allowed: Counts, old: str, new: Sequence[str]) -> Counts:
    """Allowances after code went from one file to others: what the old file no longer uses covers their excess."""
    after = dict(allowed)
    for path, rule in exceeded(counts, allowed):
        if path in new:
            spare = after.get((old, rule), 0) - counts.get((old, rule), 0)
            passed = max(0, min(spare, counts[path, rule] - after.get((path, rule), 0)))
            after[path, rule] = after.get((path, rule), 0) + passed
            after[old, rule] = after.get((old, rule), 0) - passed
    return {row: count for row, count in after.items() if count}


def read_baseline(text: str) -> Counts:
    """Allowances of a baseline; of two rows for one file and rule, which a merge may leave, the lower one."""
    rows: dict[tuple[str, str], int] = {}
    for line in text.splitlines():
        path, rule, count = line.split("\t")
        rows[path, rule] = min(int(count), rows.get((path, rule), int(count)))
    return rows


def _write_baseline(counts: Counts) -> None:
    BASELINE.write_text("".join(f"{path}\t{rule}\t{count}\n" for (path, rule), count in sorted(counts.items())))


def _paths() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return sorted({path for path in listed.stdout.splitlines() if counted(path) and (ROOT / path).is_file()})


def _changed() -> list[str]:
    """Files that differ from the point where this branch left main, deleted ones too."""
    base = _git("merge-base", "main", "HEAD") or ["HEAD"]
    return _git("diff", "--name-only", "--no-renames", base[0])


def _git(*arguments: str) -> list[str]:
    """Lines that git prints; none where it fails."""
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=False, capture_output=True, text=True
    ).stdout.splitlines()


def _fail(counts: Counts, allowed: Counts, hit_list: Sequence[Hit]) -> int:
    for path, rule in exceeded(counts, allowed):
        print(f"{path}: {counts[path, rule]} of rule '{rule}', {allowed.get((path, rule), 0)} allowed:")
        for hit in hit_list:
            if (hit.path, hit.rule.name) == (path, rule):
                print(f"  {hit}")
    print("If the text only moved here, run 'python -m tools.lint_words --moved' and commit the baseline.")
    return 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, list, or rewrite the baseline."""
    parser = argparse.ArgumentParser(description="words that this project avoids; a count may only fall")
    parser.add_argument("--list", nargs="+", metavar="PATH", help="show every word left in these files or folders")
    parser.add_argument("--moved", nargs="*", metavar="PATH", help="OLD NEW...: pass on what OLD no longer uses")
    parser.add_argument("--lower", action="store_true", help="write the counts that have fallen to the baseline")
    options = parser.parse_args(arguments)
    paths = _paths()
    all_hits = [hit for path in paths for hit in hits(path, (ROOT / path).read_text())]
    if options.list:
        print(*(hit for hit in all_hits if hit.path.startswith(tuple(options.list))), sep="\n")
        return 0
    counts: Counts = Counter((hit.path, hit.rule.name) for hit in all_hits)
    baseline = read_baseline(BASELINE.read_text()) if BASELINE.exists() else counts
    if options.moved is not None:
        donors, receivers = (options.moved[:1], options.moved[1:]) if options.moved else (_changed(), paths)
        for donor in donors:
            baseline = moved(counts, baseline, donor, receivers)
        _write_baseline(baseline)
    allowed = allowances(counts, baseline, paths)
    if options.lower:
        _write_baseline(lowered(counts, allowed))
    if exceeded(counts, allowed):
        return _fail(counts, allowed, all_hits)
    print(f"words: {len(all_hits)} left, {sum(baseline.values()) - len(all_hits)} below the baseline")
    return 0


if __name__ == "__main__":
    sys.exit(main())
