"""The console next to its baselines: each part is a module of `benchmarks/console`, in the order printed.

`ARGS=selectors` measures single parts. `overview` is `make bench-overview`.
"""

import sys
from collections.abc import Callable, Mapping

from benchmarks import bench_overview
from benchmarks.console import requests, selectors, starts, weights

PARTS: Mapping[str, Callable[[], None]] = {
    "weights": weights.report,
    "selectors": selectors.report,
    "starts": starts.report,
    "requests": requests.report,
    "overview": bench_overview.main,
}


def main() -> None:
    """Print the parts named, or all."""
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
