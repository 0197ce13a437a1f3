"""`python -m benchmarks.scale`: counting of many shops against the targets of its design; `--part 20` is quick."""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.scale.decisions import decisions
from benchmarks.scale.kills import kills
from benchmarks.scale.large import large
from benchmarks.scale.rounds import rounds
from benchmarks.scale.settings import Sizes
from benchmarks.scale.spending import summary
from benchmarks.scale.table import Figure, lines

PARTS = ("rounds", "large", "kills", "decisions")
OTHERS = {"large": large, "kills": kills, "decisions": decisions}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts and print the table. The status is 1 where a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help=f"of {', '.join(PARTS)}; without any, all")
    parser.add_argument("--part", type=int, default=1, help="so small a part of shops and rows (1: full size)")
    parser.add_argument("--shops", type=int, help="number of shops")
    parser.add_argument("--experiments", type=int, help="experiments of each shop")
    parser.add_argument("--rows-large", type=int, help="rows of the largest shop")
    parser.add_argument("--seed", type=int, default=1, help="of the generator")
    parser.add_argument("--json", type=Path, help="file for sums of what units spent")
    given = parser.parse_args(arguments)
    sizes = Sizes.part(given.part)
    changes = {"shops": given.shops, "experiments": given.experiments, "large": given.rows_large}
    sizes = replace(sizes, **{name: value for name, value in changes.items() if value is not None})
    figures: list[Figure] = []
    began = time.perf_counter()
    for part in given.parts or PARTS:
        if part == "rounds":
            own, measured = rounds(sizes, given.seed)
            figures += own
            if given.json:
                given.json.write_text(json.dumps(summary(measured), indent=1))
        else:
            figures += OTHERS[part](sizes, given.seed)
    figures.append(Figure(what="all of it, by the clock", value=time.perf_counter() - began, unit="s", target=2400))
    print("\n".join(lines(figures)))
    return int(any(figure.verdict == "MISSED" for figure in figures))


if __name__ == "__main__":
    raise SystemExit(main())
