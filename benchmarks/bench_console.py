"""The console next to its baselines: each part is a module of `benchmarks/console`, in the order printed.

`ARGS=selectors` measures single parts.
"""

import sys
from collections.abc import Callable, Mapping

from benchmarks.console import selectors, weights

PARTS: Mapping[str, Callable[[], None]] = {
    "weights": weights.report,
    "selectors": selectors.report,
}


def main() -> None:
    """Print the parts named, or all."""
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
