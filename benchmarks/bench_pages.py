"""Landing pages: their weight next to a template of Bootstrap, what rendering and what serving cost.

The first page has the parts of the template: a form, three features, three pictures with text, three testimonials, a
call to action and a footer. The second has every block. Weights are brotli, without snippet and pictures.
"""

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import brotli

from abtest.contract.page_specs import spec_of
from abtest.domain.pages.render import RenderedPage, render
from benchmarks.harness import compare, line, milliseconds, peak_megabytes
from benchmarks.pages import peer, serving
from tests.support.landing import FOOTER, LIBRARY, SEO, SITE, block, page

GOAL = 0.25
MOST_BYTES, MOST_NODES = 40 * 1024, 1_500
REPEAT = 20


def as_the_template() -> dict[str, Any]:
    """Return a page with the parts of the template."""
    blocks = [
        block("hero", links=[{"label": "Sign up", "href": "#form"}]),
        block("features"),
        *(block("text", id=f"text-{number}") for number in (1, 2, 3)),
        *(block("image", id=f"image-{number}") for number in (1, 2, 3)),
        block("testimonials", tone="muted"),
        block("cta", tone="dark"),
        block("form"),
        block("faq"),
    ]
    return page() | {"blocks": blocks, "footer": FOOTER}


def rendered(document: dict[str, Any]) -> RenderedPage:
    """Return the page of a spec."""
    return render(spec_of(document), assets=LIBRARY, seo=SEO, site=SITE)


def weigh(name: str, document: dict[str, Any], baseline: int) -> None:
    """Print the weight of a page, and whether it is within goal and budget."""
    result = rendered(document)
    size = len(brotli.compress(result.html))
    line(name, f"{size:,} B", "startbootstrap-landing-page", f"{baseline:,} B", size / baseline)
    is_met = size / baseline <= GOAL and size <= MOST_BYTES and result.nodes <= MOST_NODES
    print(f"    {result.nodes} elements, {len(result.html):,} B uncompressed; {'met' if is_met else 'missed'}")


def peak_kilobytes(call: Callable[[], object]) -> float:
    """Return the most memory that a call holds at once."""
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1024


def main() -> None:
    """Print weights, times and memory."""
    baseline = peer.weight()
    print(f"Weight of a page (goal: <= {GOAL} of the template, {MOST_BYTES // 1024} KB, {MOST_NODES} elements)")
    everything = page(footer=FOOTER)
    weigh("the template's parts", as_the_template(), baseline)
    weigh("every block", everything, baseline)
    spec = spec_of(everything)
    print("Rendering of every block, CPU")
    cost = compare(
        lambda: render(spec, assets=LIBRARY, seo=SEO, site=SITE),
        lambda: spec_of(everything),
        repeat=REPEAT,
        clock=time.process_time,
    )
    line("rendering", milliseconds(cost.ours), "validating the spec", milliseconds(cost.baseline), cost.ratio)
    peak = peak_kilobytes(lambda: render(spec, assets=LIBRARY, seo=SEO, site=SITE))
    print(f"  memory: {peak:,.0f} KB for a rendering, {peak_megabytes():.0f} MB for the process")
    serving.report()


if __name__ == "__main__":
    main()
