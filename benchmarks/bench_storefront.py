"""The storefront beside GrowthBook, Amplitude, PostHog and dom-mutator: sizes, speed, flicker, what observing costs.

`make bench-storefront` takes about fourteen minutes; ARGS=--quick four, with fewer repetitions. `--only sizes` (or
another group) runs one group, `--json FILE` keeps every figure, `--document` writes the table of docs/benchmarks.md.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.storefront import blocking, evaluation, flicker, foreign, navigations, observing, peers, report, sizes
from benchmarks.storefront.report import Row
from benchmarks.storefront.site import Progress, Site, serving
from tests.support.browser import launch

PEERS = ("@growthbook/growthbook", "@amplitude/experiment-js-client", "posthog-js", "dom-mutator", "@hotwired/turbo")
Group = Callable[[Browser, Site, bool, Progress], Iterator[Row]]
GROUPS: dict[str, Group] = {
    "sizes": lambda _browser, _site, _quick, _tell: sizes.rows(),
    "evaluation": lambda _browser, _site, quick, _tell: evaluation.rows(quick),
    "blocking": blocking.rows,
    "foreign": foreign.rows,
    "observing": observing.rows,
    "navigations": navigations.rows,
    "flicker": flicker.rows,
}


def asked() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--only", choices=GROUPS, nargs="+", default=list(GROUPS), help="these groups")
    parser.add_argument("--json", type=Path, help="where to write every figure")
    parser.add_argument("--document", action="store_true", help="write the table of docs/benchmarks.md (all groups)")
    return parser.parse_args()


def measured(wanted: list[str], quick: bool) -> Iterator[Row]:
    """The rows of the groups, each as soon as it stands."""
    begun = time.monotonic()

    def tell(what: str) -> None:
        print(f"  … {time.monotonic() - begun:4.0f} s  {what}", flush=True)

    with sync_playwright() as playwright, serving() as site:
        browser = launch(playwright, is_whole=True)
        for name in wanted:
            tell(name)
            yield from GROUPS[name](browser, site, quick, tell)
        browser.close()


def main() -> None:
    wish = asked()
    peers.install()
    versions = {package: peers.version(package) for package in PEERS}
    print(f"The storefront beside {', '.join(f'{name} {version}' for name, version in versions.items())}")
    rows = []
    for row in measured(wish.only, wish.quick):
        report.show(row)
        rows.append(row)
    if wish.json:
        wish.json.write_text(report.as_json(rows, {"peers": versions, "quick": wish.quick}))
    if wish.document:
        told = ", ".join(f"`{name}` {version}" for name, version in versions.items())
        report.write_document(rows, f"`make bench-storefront`, medians, compared with {told}. Two shared cores.")
    missed = sum(row.met is False for row in rows)
    print(f"{sum(row.met is True for row in rows)} aims met, {missed} missed")


if __name__ == "__main__":
    main()
