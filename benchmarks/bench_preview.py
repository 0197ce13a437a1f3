"""Preview, screenshots and QA in a browser: each part is a module of `benchmarks/preview`, in the order printed.

`ARGS=rewriting` measures single parts.
"""

import sys
from collections.abc import Callable, Mapping

from benchmarks.preview import added, defects, pixels, rewriting, shots

PARTS: Mapping[str, Callable[[], None]] = {
    "rewriting": rewriting.report,
    "added": added.report,
    "pixels": pixels.report,
    "shots": shots.report,
    "defects": defects.report,
}


def main() -> None:
    """Print the parts named, or all."""
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
