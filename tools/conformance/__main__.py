"""`python -m tools.conformance hash|url|condition|decide|explain|signal|statistics`: JSON lines in and out."""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))

from tools.conformance.modes import MODES, Mode


def answer(line: bytes, mode: Mode | Mapping[str, Mode]) -> dict[str, Any]:
    """`{"id", "result"}`, or `{"id", "error"}` for a line that asks nothing."""
    question: Any = None
    try:
        question = json.loads(line)
        computation = mode if callable(mode) else mode[question["kind"]]
        return {"id": question["id"], "result": computation(question["inputs"])}
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        number = question.get("id") if isinstance(question, dict) else None
        return {"id": number, "error": f"{type(error).__name__}: {error}"[:200]}


def run(lines: Iterable[bytes], mode: Mode | Mapping[str, Mode]) -> None:
    """Answer as the lines come; lone surrogates leave as the escapes that they came as."""
    for line in lines:
        if line.strip():
            sys.stdout.write(json.dumps(answer(line, mode), separators=(",", ":")) + "\n")


def mode_named(name: str) -> Mode | Mapping[str, Mode] | None:
    """Return the functions of a mode, for statistics of each kind; only those load scipy."""
    if name != "statistics":
        return MODES.get(name)
    from tools.conformance.statistics import KINDS

    return KINDS


def main(arguments: list[str]) -> int:
    """The exit code: 2 for a mode that does not exist."""
    mode = mode_named(arguments[0]) if len(arguments) == 1 else None
    if mode is None:
        sys.stderr.write(f"usage: python -m tools.conformance {'|'.join([*MODES, 'statistics'])} < lines.jsonl\n")
        return 2
    run(sys.stdin.buffer, mode)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
