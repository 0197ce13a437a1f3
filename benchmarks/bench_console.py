"""The console next to its baselines: each part is a module of `benchmarks/console`, in the order printed.

`ARGS=selectors` measures single parts. `overview` is `make bench-overview`.
"""

import subprocess
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
    """Print the parts named, or all: each in a process of its own, since each has its own engine and clients."""
    if len(sys.argv) == 2:
        PARTS[sys.argv[1]]()
        return
    for name in sys.argv[1:] or PARTS:
        subprocess.run([sys.executable, __file__, name], check=True)


if __name__ == "__main__":
    main()
