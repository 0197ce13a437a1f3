"""`python -m tools.conformance hash|url|condition|decide|signal`: a JSON object a line in, one out, in their order."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))

from tools.conformance.modes import MODES, Mode


def answer(line: bytes, mode: Mode) -> dict[str, Any]:
    """`{"id", "result"}`, or `{"id", "error"}` for a line that asks nothing."""
    question: Any = None
    try:
        question = json.loads(line)
        return {"id": question["id"], "result": mode(question["inputs"])}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        number = question.get("id") if isinstance(question, dict) else None
        return {"id": number, "error": f"{type(error).__name__}: {error}"[:200]}


def run(lines: Iterable[bytes], mode: Mode) -> None:
    """Answer as the lines come; lone surrogates leave as the escapes that they came as."""
    for line in lines:
        if line.strip():
            sys.stdout.write(json.dumps(answer(line, mode), separators=(",", ":")) + "\n")


def main(arguments: list[str]) -> int:
    """The exit code: 2 for a mode that does not exist."""
    mode = MODES.get(arguments[0]) if len(arguments) == 1 else None
    if mode is None:
        sys.stderr.write(f"usage: python -m tools.conformance {'|'.join(MODES)} < lines.jsonl\n")
        return 2
    run(sys.stdin.buffer, mode)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
