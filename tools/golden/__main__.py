"""`python -m tools.golden` writes tests/golden/*.jsonl; with `--check` it only reports whether they would change."""

import sys
from pathlib import Path

from tools.golden.vectors import MODES, DisagreementError, vectors

FOLDER = Path(__file__).parents[2] / "tests" / "golden"


def render(mode: str) -> bytes:
    """The file of a mode. Raises DisagreementError."""
    return "".join(f"{vector.line()}\n" for vector in vectors(mode)).encode()


def main(arguments: list[str]) -> int:
    """The exit code: 1 where the implementations disagree, or a file would change."""
    try:
        rendered = {FOLDER / f"{mode}.jsonl": render(mode) for mode in MODES}
    except DisagreementError as error:
        print(error)
        return 1
    stale = [path for path, content in rendered.items() if not path.exists() or path.read_bytes() != content]
    if "--check" in arguments:
        for path in stale:
            print(f"{path.name} is not what both implementations say: run python -m tools.golden")
        return 1 if stale else 0
    for path in stale:
        path.write_bytes(rendered[path])
    print(f"{sum(map(len, rendered.values()))} bytes in {len(rendered)} files, {len(stale)} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
